import { storedInstant } from '../model/instant.ts'
import {
  type AttemptOutcome,
  type DueDelivery,
  eventOf,
  type LeasedWebhook,
  pendingDeliveries,
  type Receiver,
  receiverOf,
} from '../shop/delivery-state.ts'
import type { SequencedEvent } from '../shop/events.ts'
import { type AttemptResult, attempt, type DeliveryContext } from './attempt.ts'
import { OutcomeWriter } from './outcome-writer.ts'
import { PendingEvents, type PendingEventsOptions } from './pending-events.ts'
import { backoffMs, decideRetry, retryAfterMs } from './retry.ts'
import type { Throttle } from './throttle.ts'

/** Maximum number of concurrent attempts to one receiver. */
const IN_FLIGHT_MAX = 4
/** How long a sender waits before it checks for due deliveries without being woken. */
const POLL_MS = 10_000
/** How long a sender waits after an error of the store itself. */
const AGAIN_MS = 1000

export interface WebhookSenderOptions
  extends DeliveryContext,
    Pick<PendingEventsOptions, 'owner' | 'readRow' | 'onFault'> {
  /** Stores outcomes, and the progress of the sender. */
  readonly record: (
    webhookId: bigint,
    position: bigint,
    seenCreation: boolean,
    outcomes: readonly AttemptOutcome[],
  ) => Promise<void>
  readonly throttle: Throttle
  /** Returns a number from 0 to 1, for the jitter. */
  readonly random: () => number
  readonly retryMs?: readonly number[]
}

type Work =
  /** A first attempt. */
  | { readonly event: SequencedEvent; readonly due?: never }
  /** A retry that is due. */
  | { readonly due: DueDelivery; readonly event?: never }

/**
 * Sends events to one webhook, in the one process that leases it: due retries first, then events in order of
 * position. An event gets a row only after it was tried, so a backlog is a position, not a table.
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
  #inFlight = 0
  #head: bigint
  #failures = 0n
  /** On the wall clock, like the deliveries: when the next known delivery is due. */
  #nextDueMs = 0
  /** On the monotonic clock, like everything that measures time: the wall clock may jump. */
  #nextPollMs = 0
  #resumeAtMs = 0
  #running = false
  #again = false
  #stopped = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(held: LeasedWebhook, options: WebhookSenderOptions) {
    this.#id = held.id
    this.#options = options
    this.#head = held.position
    this.ended = this.#end.promise
    this.#outcomeWriter = new OutcomeWriter({
      write: outcomes => this.#write(outcomes),
      isOver: () => this.#stopped,
      onFault: options.onFault,
    })
    this.#pending = new PendingEvents(held, {
      ...options,
      onRedelivered: () => {
        this.#nextDueMs = 0
      },
      onPassed: () => this.#outcomeWriter.flush(),
    })
  }

  /** Looks for work: new events, due retries or requested redeliveries. `head`: the position of the last event. */
  wake(head: bigint = this.#head): void {
    this.#head = head
    this.#again = true
    if (!this.#running && !this.#stopped) this.#run()
  }

  /** Starts no new attempts. Resolves when those in progress have ended and their outcomes are stored. */
  stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    this.#endWhenIdle()
    return this.ended
  }

  async #run(): Promise<void> {
    this.#running = true
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false
        await this.#fill()
      }
    } catch (error) {
      this.#options.onFault(error)
      this.#sleep(AGAIN_MS)
    }
    this.#running = false
    this.#endWhenIdle()
  }

  /** Starts attempts until the limit is reached or no work is left. */
  async #fill(): Promise<void> {
    const { readRow, owner, clock } = this.#options
    while (!this.#stopped) {
      const pauseMs = this.#resumeAtMs - performance.now()
      if (pauseMs > 0) return this.#sleep(pauseMs)
      if (this.#inFlight >= (backoffMs(this.#failures) > 0 ? 1 : IN_FLIGHT_MAX)) return
      if (!this.#mayBeDue() && !this.#pending.mayHaveMore(this.#head)) break
      const receiver = await readRow(reader => receiverOf(reader, this.#id, owner))
      if (!receiver) {
        this.#stopped = true
        return
      }
      if (this.#inFlight === 0) this.#failures = receiver.failures
      const work = (await this.#dueWork()) ?? (await this.#nextWork(receiver))
      if (!work) break
      if (!this.#stopped) this.#start(work, receiver)
    }
    this.#sleep(Math.min(this.#nextDueMs - clock(), this.#nextPollMs - performance.now()))
  }

  #mayBeDue(): boolean {
    return this.#options.clock() >= this.#nextDueMs || performance.now() >= this.#nextPollMs
  }

  async #dueWork(): Promise<Work | undefined> {
    const { readRow, clock } = this.#options
    if (!this.#mayBeDue()) return undefined
    // Set both before the read: a delivery that completes during the read still looks due in it, and may bring the
    // next check forward.
    const atWork = new Set(this.#inProgress)
    this.#nextDueMs = Number.POSITIVE_INFINITY
    this.#nextPollMs = performance.now() + POLL_MS
    const pending = await readRow(reader => pendingDeliveries(reader, this.#id))
    const due = pending.find(({ id }) => !atWork.has(id))
    if (!due) return undefined
    this.#noteDue(Date.parse(due.nextAt))
    return Date.parse(due.nextAt) <= clock() ? { due } : undefined
  }

  async #nextWork(receiver: Receiver): Promise<Work | undefined> {
    const event = await this.#pending.next(receiver)
    return event && { event }
  }

  #start(work: Work, receiver: Receiver): void {
    this.#inFlight++
    if (work.due) this.#inProgress.add(work.due.id)
    this.#attemptAndRecord(work, receiver)
      .catch(this.#options.onFault)
      .finally(async () => {
        // Before the pause: a redelivery of the same event may be requested during it.
        if (work.due) this.#inProgress.delete(work.due.id)
        const pauseMs = this.#options.throttle.pauseMs()
        if (pauseMs > 0 && !this.#stopped) await Bun.sleep(pauseMs)
        this.#inFlight--
        this.wake()
        this.#endWhenIdle()
      })
  }

  async #attemptAndRecord(work: Work, receiver: Receiver): Promise<void> {
    const startedMs = this.#options.clock()
    const answer = await this.#attempt(work, receiver)
    const outcome = this.#outcomeOf(work, answer, startedMs)
    if (!answer.unsent) this.#adjustBackoff(answer, outcome.state === 'delivered')
    await this.#outcomeWriter.add(outcome)
    if (outcome.nextAt !== undefined) this.#noteDue(Date.parse(outcome.nextAt))
  }

  /** Never throws: a failure is recorded as an attempt, so an event is skipped only once its outcome is stored. */
  async #attempt({ event, due }: Work, receiver: Receiver): Promise<AttemptResult> {
    const { readRow, onFault } = this.#options
    try {
      const sent = event ?? (await readRow(reader => eventOf(reader, due.eventId)))
      if (sent) return await attempt(this.#options, receiver, sent)
      return { error: 'The event has been deleted.', unsent: true, final: true, durationMs: 0 }
    } catch (error) {
      onFault(error)
      this.#pause(AGAIN_MS)
      return { error: 'The store could not make this attempt.', unsent: true, durationMs: 0 }
    }
  }

  /** Adjusts the pauses for the receiver to an outcome. */
  #adjustBackoff({ status, retryAfter }: AttemptResult, isDelivered: boolean): void {
    const { clock } = this.#options
    this.#failures = isDelivered ? 0n : this.#failures + 1n
    const requestedMs = status === 429 || status === 503 ? retryAfterMs(retryAfter, clock()) : 0
    if (isDelivered) this.#resumeAtMs = 0
    else this.#pause(backoffMs(this.#failures, requestedMs))
  }

  #pause(ms: number): void {
    this.#resumeAtMs = Math.max(this.#resumeAtMs, performance.now() + ms)
  }

  #outcomeOf({ event, due }: Work, answer: AttemptResult, startedMs: number): AttemptOutcome {
    const { random, retryMs, clock } = this.#options
    const cycleAttempts = Number(due?.cycleAttempts ?? 0n) + 1
    const { status, error, reply, unsent, durationMs } = answer
    const decision = answer.final
      ? ({ state: 'failed' } as const)
      : decideRetry(answer, cycleAttempts, clock(), random(), retryMs)
    return {
      event: due ? { id: due.eventId, position: due.position, type: due.type } : event,
      ...(due && { deliveryId: due.id }),
      cycleAttempts: BigInt(cycleAttempts),
      at: storedInstant(startedMs),
      durationMs: BigInt(Math.round(durationMs)),
      ...(status !== undefined && { status: BigInt(status) }),
      ...(error !== undefined && { error }),
      ...(reply !== undefined && reply !== '' && { reply }),
      ...(unsent && { unsent }),
      state: decision.state,
      ...(decision.state === 'pending' && { nextAt: storedInstant(decision.nextAtMs) }),
      ...(decision.state === 'failed' && decision.gone && { gone: true }),
    }
  }

  async #write(outcomes: readonly AttemptOutcome[]): Promise<void> {
    const written = outcomes.filter(({ deliveryId }) => deliveryId === undefined)
    const positions = written.map(({ event }) => event.position)
    const completed = this.#pending.completedPosition(positions)
    await this.#options.record(this.#id, completed, this.#pending.seenCreation, outcomes)
    this.#pending.complete(positions, completed)
  }

  #noteDue(instantMs: number): void {
    this.#nextDueMs = Math.min(this.#nextDueMs, instantMs)
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#stopped) return
    this.#timer = setTimeout(() => this.wake(), Math.max(ms, 0))
  }

  #endWhenIdle(): void {
    if (this.#stopped && !this.#running && this.#inFlight === 0) this.#end.resolve()
  }
}
