import type { TimeSlices } from '../database/time-slices.ts'
import type { SequencedEvent } from '../shop/log/recording.ts'
import {
  type AttemptOutcome,
  eventOf,
  isRetryDue,
  type LeasedWebhook,
  type PendingDelivery,
  pendingDeliveries,
  type Receiver,
  receiverOf,
} from '../shop/webhooks/delivery-state.ts'
import { storedInstant } from '../values/instant.ts'
import { type AttemptResult, attempt, type DeliveryContext } from './attempt.ts'
import { OutcomeWriter, type OutcomeWriterOptions } from './outcome-writer.ts'
import { PendingEvents, type PendingEventsOptions } from './pending-events.ts'
import { decideRetry, type RetryDecision } from './retry.ts'
import {
  type Instants,
  initialState,
  nextStep,
  type SenderState,
  withAttemptEnded,
  withAttemptStarted,
  withDue,
  withDueRead,
  withPause,
  withReceiver,
  withResult,
  withStop,
} from './sender-schedule.ts'
import type { Throttle } from './throttle.ts'

const ERROR_PAUSE_MS = 1000
/** The minimum pause of a sender after the limit of its host was reached. Many senders may wait for one host. */
const HOST_PAUSE_MIN_MS = 1000

export interface WebhookSenderOptions
  extends DeliveryContext,
    Pick<PendingEventsOptions, 'owner' | 'readShort' | 'onError'>,
    Pick<OutcomeWriterOptions, 'record'> {
  readonly throttle: Throttle
  /** Divides the thread between the senders that search a long backlog and other work. */
  readonly slices: TimeSlices
  /** Returns a number from 0 to 1, for the jitter. */
  readonly random: () => number
  readonly retryDelaysMs?: readonly number[]
  /**
   * The longest time from the first attempt of a retry cycle to a retry. A delivery whose next retry would be later has
   * failed. No limit by default.
   */
  readonly giveUpAfterMs?: number
}

/** An attempt, and the receiver as it was read last. */
type Work = { readonly receiver: Receiver } & (
  | { readonly event: SequencedEvent; readonly due?: never }
  /** A retry. */
  | { readonly due: PendingDelivery; readonly event?: never }
)

/**
 * Sends events to one webhook, in the process that holds its lease: due retries first, then events in order of
 * position. An event gets a delivery row only after its first attempt, so a backlog is stored as one position.
 */
export class WebhookSender {
  /** Resolves when the sender was stopped or lost its lease, and its attempts in progress have ended. */
  readonly ended: Promise<void>
  readonly #id: bigint
  readonly #options: WebhookSenderOptions
  readonly #pending: PendingEvents
  readonly #outcomeWriter: OutcomeWriter
  readonly #end = Promise.withResolvers<void>()
  readonly #inProgress = new Set<bigint>()
  #state: SenderState = initialState
  #head: bigint
  #isRunning = false
  #isWoken = false
  /** The number of events that requested a redelivery. */
  #redeliveryRequests = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(held: LeasedWebhook, options: WebhookSenderOptions) {
    this.#id = held.id
    this.#options = options
    this.#head = held.position
    this.ended = this.#end.promise
    this.#pending = new PendingEvents(held, options)
    this.#outcomeWriter = new OutcomeWriter({ ...options, webhookId: held.id, pending: this.#pending })
  }

  /** Looks for work: new events, due retries or requested redeliveries. `head` is the position of the last event. */
  wake(head: bigint = this.#head): void {
    this.#head = head
    this.#isWoken = true
    if (!this.#isRunning && !this.#state.isStopped) this.#run()
  }

  /** Stops new attempts. Resolves when the attempts in progress have ended and their outcomes are stored or dropped. */
  stop(): Promise<void> {
    this.#state = withStop(this.#state)
    this.#outcomeWriter.stop()
    clearTimeout(this.#timer)
    this.#resolveIfEnded()
    return this.ended
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    try {
      while (this.#isWoken && !this.#state.isStopped) {
        this.#isWoken = false
        await this.#startAttempts()
      }
    } catch (error) {
      this.#options.onError(error)
      this.#sleep(ERROR_PAUSE_MS)
    }
    this.#isRunning = false
    this.#resolveIfEnded()
  }

  /** Starts attempts until every permit is taken, no work is left, a pause begins, or the sender is stopped. */
  async #startAttempts(): Promise<void> {
    for (let hasFound = true; ; ) {
      // A search that found nothing is repeated when the sender is woken, not at once.
      const mayHaveEvents = hasFound && this.#pending.mayHaveMore(this.#head)
      const step = nextStep({ ...this.#state, mayHaveEvents }, this.#now())
      if (step.step === 'wait') return this.#sleep(step.waitMs)
      if (step.step !== 'send') return
      hasFound = await this.#startNext(step.from)
    }
  }

  /** Starts the next attempt. Returns whether there was anything to send. */
  async #startNext(from: 'due' | 'event'): Promise<boolean> {
    const { readShort, owner } = this.#options
    const receiver = await readShort(reader => receiverOf(reader, this.#id, owner))
    this.#state = withReceiver(this.#state, receiver)
    if (!receiver) {
      this.#outcomeWriter.stop()
      return false
    }
    const due = from === 'due' ? await this.#dueDelivery() : undefined
    const work = due ? { due, receiver } : await this.#nextEvent(receiver)
    if (work && !this.#state.isStopped) this.#start(work)
    return work !== undefined
  }

  async #dueDelivery(): Promise<PendingDelivery | undefined> {
    const { readShort, clock } = this.#options
    // Copied before the read: a delivery whose attempt ends during the read still looks due in the result.
    const inProgress = new Set(this.#inProgress)
    // Reset before the read: a reset after it would lose the due time of a delivery that was added during the read.
    this.#state = withDueRead(this.#state, this.#now())
    const deliveries = await readShort(reader => pendingDeliveries(reader, this.#id))
    const next = deliveries.find(({ id }) => !inProgress.has(id))
    if (!next) return undefined
    const isDue = isRetryDue(next.nextAt, clock())
    this.#state = withDue(this.#state, isDue ? 0 : Date.parse(next.nextAt))
    return isDue ? next : undefined
  }

  async #nextEvent(receiver: Receiver): Promise<Work | undefined> {
    for (let current = receiver; ; ) {
      const { event, isRedeliveryRequested } = this.#pending.take(current.types)
      if (isRedeliveryRequested) {
        this.#redeliveryRequests++
        this.#state = withDue(this.#state, 0)
      }
      if (event) return { event, receiver: current }
      const page = await this.#pending.readPage(current.types)
      if (page.isSaveDue) this.#outcomeWriter.flush()
      if (!page.receiver || (page.isAtHead && !page.hasEvents)) return undefined
      current = page.receiver
      // A long backlog may have no event of these types, and other work needs the thread in between.
      if (!page.hasEvents) await this.#options.slices.next()
    }
  }

  #start(work: Work): void {
    this.#state = withAttemptStarted(this.#state)
    if (work.due) this.#inProgress.add(work.due.id)
    const requestsBefore = this.#redeliveryRequests
    this.#attemptAndRecord(work)
      .catch(this.#options.onError)
      .finally(async () => {
        // This comes before the pause, during which a redelivery of the same event may be requested.
        if (work.due) this.#inProgress.delete(work.due.id)
        // The check for due deliveries at the request has left out the deliveries in progress.
        if (requestsBefore !== this.#redeliveryRequests) this.#state = withDue(this.#state, 0)
        const pauseMs = this.#options.throttle.pauseMs()
        if (pauseMs > 0 && !this.#state.isStopped) await Bun.sleep(pauseMs)
        this.#state = withAttemptEnded(this.#state)
        this.wake()
        this.#resolveIfEnded()
      })
  }

  async #attemptAndRecord(work: Work): Promise<void> {
    const startedMs = this.#options.clock()
    const { url, ...result } = await this.#attempt(work)
    if (result.waitMs !== undefined) this.#pauseForHost(result.waitMs)
    // The row of a retry already has its due time. Recording an attempt at each pause would add nothing.
    if (result.waitMs !== undefined && work.due) return
    const cycleAttempts = Number(work.due?.cycleAttempts ?? 0n) + (result.waitMs === undefined ? 1 : 0)
    const decision = this.#decide({ work, startedMs, cycleAttempts, result })
    const outcome = outcomeOf({ work, startedMs, cycleAttempts, result, decision, url })
    const isDelivered = outcome.state === 'delivered'
    this.#state = withResult(this.#state, { ...result, isDelivered }, this.#now())
    await this.#outcomeWriter.add(outcome)
    // If the address was changed meanwhile, a delivery that has failed is due again.
    if (outcome.state === 'failed') this.#state = withDue(this.#state, 0)
    if (outcome.nextAt !== undefined) this.#noteDue(outcome.nextAt)
  }

  #decide({ work, startedMs, cycleAttempts, result }: Omit<EndedAttempt, 'decision' | 'url'>): RetryDecision {
    const { clock, random, retryDelaysMs, giveUpAfterMs = Number.POSITIVE_INFINITY } = this.#options
    const nowMs = clock()
    if (result.final) return { state: 'failed' }
    if (result.waitMs !== undefined) return { state: 'pending', nextAtMs: nowMs + result.waitMs }
    const cycleStartedAt = work.due?.cycleStartedAt
    const giveUpAtMs = (cycleStartedAt ? Date.parse(cycleStartedAt) : startedMs) + giveUpAfterMs
    return decideRetry(result, cycleAttempts, nowMs, random(), { retryDelaysMs, giveUpAtMs })
  }

  /**
   * Pauses all attempts of this sender, because they go to one host, whose limit is reached. Other senders may send to
   * it too, so the limit can be reached again after the pause.
   */
  #pauseForHost(waitMs: number): void {
    const pauseMs = Math.max(waitMs, HOST_PAUSE_MIN_MS)
    this.#state = withPause(this.#state, pauseMs, this.#now())
    this.#state = withDue(this.#state, this.#now().nowMs + pauseMs)
  }

  /**
   * Returns the result of an attempt, and the address to which it went. Never throws: an error becomes a result too, so
   * no event is passed over without a stored outcome.
   */
  async #attempt(work: Work): Promise<AttemptResult & { readonly url?: string }> {
    const { readShort, onError, owner } = this.#options
    const { due } = work
    try {
      const { event, receiver = work.receiver } = due
        ? await readShort(async reader => ({
            event: await eventOf(reader, due.eventId),
            receiver: await receiverOf(reader, this.#id, owner),
          }))
        : work
      if (event) return { ...(await attempt(this.#options, receiver, event)), url: receiver.url }
      return { error: 'The event has been deleted.', unsent: true, final: true, durationMs: 0 }
    } catch (error) {
      onError(error)
      this.#state = withPause(this.#state, ERROR_PAUSE_MS, this.#now())
      return { error: 'The store could not make this attempt.', unsent: true, durationMs: 0 }
    }
  }

  #noteDue(instant: string): void {
    this.#state = withDue(this.#state, Date.parse(instant))
  }

  #now(): Instants {
    return { nowMs: this.#options.clock(), monotonicMs: performance.now() }
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#state.isStopped) return
    this.#timer = setTimeout(() => this.wake(), ms)
  }

  #resolveIfEnded(): void {
    const { isStopped, inFlight } = this.#state
    if (isStopped && !this.#isRunning && inFlight === 0) this.#end.resolve()
  }
}

interface EndedAttempt {
  readonly work: Work
  readonly startedMs: number
  readonly cycleAttempts: number
  readonly result: AttemptResult
  readonly decision: RetryDecision
  readonly url: string | undefined
}

function outcomeOf(ended: EndedAttempt): AttemptOutcome {
  const { work, startedMs, cycleAttempts, result, decision, url } = ended
  const { event, due } = work
  const { status, error, reply, unsent, durationMs } = result
  return {
    event: due ? { id: due.eventId, position: due.position, type: due.type } : event,
    ...(due && { deliveryId: due.id, dueAt: due.nextAt }),
    ...(url !== undefined && !unsent && { url }),
    cycleAttempts: BigInt(cycleAttempts),
    at: storedInstant(startedMs),
    durationMs: BigInt(Math.round(durationMs)),
    ...(status !== undefined && { status: BigInt(status) }),
    ...(error !== undefined && { error }),
    ...(reply !== undefined && reply !== '' && { reply }),
    state: decision.state,
    ...(decision.state === 'pending' && { nextAt: storedInstant(decision.nextAtMs) }),
    ...(decision.state === 'failed' && decision.gone && { gone: true }),
  }
}
