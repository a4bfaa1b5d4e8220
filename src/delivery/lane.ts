import { storedInstant } from '../model/instant.ts'
import {
  type AttemptOutcome,
  type DueDelivery,
  eventOf,
  type HeldWebhook,
  pendingDeliveries,
  type Receiver,
  receiverOf,
} from '../shop/dispatch.ts'
import type { PlacedEvent } from '../shop/events.ts'
import { type Answer, attempt, type Courier } from './attempt.ts'
import { Backlog, type BacklogOptions } from './backlog.ts'
import type { Pace } from './pace.ts'
import { Recorder } from './recorder.ts'
import { judge, pauseMs, retryAfterMs } from './retry.ts'

/** Attempts under way to one receiver, at most. */
const IN_FLIGHT_MAX = 4
/** How long a lane goes without looking what is due, though nobody told it to. */
const LOOK_MS = 10_000
/** How long a lane rests after a fault of the store itself. */
const AGAIN_MS = 1000

export interface LaneOptions extends Courier, Pick<BacklogOptions, 'owner' | 'readRow' | 'onFault'> {
  /** Writes outcomes down, and how far the lane has come. */
  readonly record: (
    webhookId: bigint,
    position: bigint,
    begun: boolean,
    outcomes: readonly AttemptOutcome[],
  ) => Promise<void>
  readonly pace: Pace
  /** From 0 to 1, for the jitter. */
  readonly random: () => number
  readonly retryMs?: readonly number[]
}

type Work =
  /** Tried for the first time. */
  | { readonly event: PlacedEvent; readonly due?: never }
  /** Tried before, and due again. */
  | { readonly due: DueDelivery; readonly event?: never }

/**
 * What is sent to one webhook, by the one process that holds it: events in the order of their positions, and what is
 * due again before them. An event has a row only when it was tried, so a backlog is a position, not a table.
 */
export class Lane {
  /** Resolves when it was stopped, or its webhook is held no more, and what was under way has ended. */
  readonly ended: Promise<void>
  readonly #id: bigint
  readonly #options: LaneOptions
  readonly #backlog: Backlog
  readonly #recorder: Recorder
  readonly #end = Promise.withResolvers<void>()
  readonly #atWork = new Set<bigint>()
  #inFlight = 0
  #head: bigint
  #failures = 0n
  /** An instant of the wall clock, as deliveries have: when the next one that is known falls due. */
  #nextDueMs = 0
  /** Of the monotonic clock, as everything that measures time: the wall clock may step. */
  #nextLookMs = 0
  #resumeAtMs = 0
  #pumping = false
  #again = false
  #stopped = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(held: HeldWebhook, options: LaneOptions) {
    this.#id = held.id
    this.#options = options
    this.#head = held.position
    this.ended = this.#end.promise
    this.#recorder = new Recorder({
      write: outcomes => this.#write(outcomes),
      isOver: () => this.#stopped,
      onFault: options.onFault,
    })
    this.#backlog = new Backlog(held, {
      ...options,
      onRedelivered: () => {
        this.#nextDueMs = 0
      },
      onPassed: () => this.#recorder.flush(),
    })
  }

  /** Looks for work: something may have happened, fallen due or been asked for. `head`: the last position there is. */
  wake(head: bigint = this.#head): void {
    this.#head = head
    this.#again = true
    if (!this.#pumping && !this.#stopped) this.#pump()
  }

  /** Takes up nothing more; resolves when what is under way has ended and is written down. */
  stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    this.#endWhenIdle()
    return this.ended
  }

  async #pump(): Promise<void> {
    this.#pumping = true
    try {
      while (this.#again && !this.#stopped) {
        this.#again = false
        await this.#fill()
      }
    } catch (error) {
      this.#options.onFault(error)
      this.#nap(AGAIN_MS)
    }
    this.#pumping = false
    this.#endWhenIdle()
  }

  /** Starts attempts until there are enough, or no work. */
  async #fill(): Promise<void> {
    const { readRow, owner, clock } = this.#options
    while (!this.#stopped) {
      const restMs = this.#resumeAtMs - performance.now()
      if (restMs > 0) return this.#nap(restMs)
      if (this.#inFlight >= (pauseMs(this.#failures) > 0 ? 1 : IN_FLIGHT_MAX)) return
      if (!this.#mayBeDue() && !this.#backlog.mayHaveMore(this.#head)) break
      const receiver = await readRow(reading => receiverOf(reading, this.#id, owner))
      if (!receiver) {
        this.#stopped = true
        return
      }
      if (this.#inFlight === 0) this.#failures = receiver.failures
      const work = (await this.#dueWork()) ?? (await this.#nextWork(receiver))
      if (!work) break
      if (!this.#stopped) this.#start(work, receiver)
    }
    this.#nap(Math.min(this.#nextDueMs - clock(), this.#nextLookMs - performance.now()))
  }

  #mayBeDue(): boolean {
    return this.#options.clock() >= this.#nextDueMs || performance.now() >= this.#nextLookMs
  }

  async #dueWork(): Promise<Work | undefined> {
    const { readRow, clock } = this.#options
    if (!this.#mayBeDue()) return undefined
    // Both as they are before the reading: what ends while it is under way still looks due in it, and may bring the
    // next look forward.
    const atWork = new Set(this.#atWork)
    this.#nextDueMs = Number.POSITIVE_INFINITY
    this.#nextLookMs = performance.now() + LOOK_MS
    const pending = await readRow(reading => pendingDeliveries(reading, this.#id))
    const due = pending.find(({ id }) => !atWork.has(id))
    if (!due) return undefined
    this.#lookAt(Date.parse(due.nextAt))
    return Date.parse(due.nextAt) <= clock() ? { due } : undefined
  }

  async #nextWork(receiver: Receiver): Promise<Work | undefined> {
    const event = await this.#backlog.next(receiver)
    return event && { event }
  }

  #start(work: Work, receiver: Receiver): void {
    this.#inFlight++
    if (work.due) this.#atWork.add(work.due.id)
    this.#carry(work, receiver)
      .catch(this.#options.onFault)
      .finally(async () => {
        // Before the rest: while it lasts somebody may ask for the same delivery again.
        if (work.due) this.#atWork.delete(work.due.id)
        const restMs = this.#options.pace.restMs()
        if (restMs > 0 && !this.#stopped) await Bun.sleep(restMs)
        this.#inFlight--
        this.wake()
        this.#endWhenIdle()
      })
  }

  async #carry(work: Work, receiver: Receiver): Promise<void> {
    const startedMs = this.#options.clock()
    const answer = await this.#attempt(work, receiver)
    const outcome = this.#outcomeOf(work, answer, startedMs)
    if (!answer.unsent) this.#learn(answer, outcome.state === 'delivered')
    await this.#recorder.note(outcome)
    if (outcome.nextAt !== undefined) this.#lookAt(Date.parse(outcome.nextAt))
  }

  /** Whatever goes wrong is an answer too: an event is passed over only when what came of it is written down. */
  async #attempt({ event, due }: Work, receiver: Receiver): Promise<Answer> {
    const { readRow, onFault } = this.#options
    try {
      const sent = event ?? (await readRow(reading => eventOf(reading, due.eventId)))
      if (sent) return await attempt(this.#options, receiver, sent)
      return { error: 'The event is kept no more.', unsent: true, final: true, durationMs: 0 }
    } catch (error) {
      onFault(error)
      this.#rest(AGAIN_MS)
      return { error: 'The store could not make this attempt.', unsent: true, durationMs: 0 }
    }
  }

  /** What an answer says of the receiver: how it is to be spared. */
  #learn({ status, retryAfter }: Answer, isDelivered: boolean): void {
    const { clock } = this.#options
    this.#failures = isDelivered ? 0n : this.#failures + 1n
    const askedMs = status === 429 || status === 503 ? retryAfterMs(retryAfter, clock()) : 0
    if (isDelivered) this.#resumeAtMs = 0
    else this.#rest(pauseMs(this.#failures, askedMs))
  }

  #rest(ms: number): void {
    this.#resumeAtMs = Math.max(this.#resumeAtMs, performance.now() + ms)
  }

  #outcomeOf({ event, due }: Work, answer: Answer, startedMs: number): AttemptOutcome {
    const { random, retryMs, clock } = this.#options
    const roundAttempts = Number(due?.roundAttempts ?? 0n) + 1
    const { status, error, reply, unsent, durationMs } = answer
    const verdict = answer.final
      ? ({ state: 'failed' } as const)
      : judge(answer, roundAttempts, clock(), random(), retryMs)
    return {
      event: due ? { id: due.eventId, position: due.position, type: due.type } : event,
      ...(due && { deliveryId: due.id }),
      roundAttempts: BigInt(roundAttempts),
      at: storedInstant(startedMs),
      durationMs: BigInt(Math.round(durationMs)),
      ...(status !== undefined && { status: BigInt(status) }),
      ...(error !== undefined && { error }),
      ...(reply !== undefined && reply !== '' && { reply }),
      ...(unsent && { unsent }),
      state: verdict.state,
      ...(verdict.state === 'pending' && { nextAt: storedInstant(verdict.nextAtMs) }),
      ...(verdict.state === 'failed' && verdict.gone && { gone: true }),
    }
  }

  async #write(outcomes: readonly AttemptOutcome[]): Promise<void> {
    const written = outcomes.filter(({ deliveryId }) => deliveryId === undefined)
    const positions = written.map(({ event }) => event.position)
    const reached = this.#backlog.reached(positions)
    await this.#options.record(this.#id, reached, this.#backlog.begun, outcomes)
    this.#backlog.settle(positions, reached)
  }

  #lookAt(instantMs: number): void {
    this.#nextDueMs = Math.min(this.#nextDueMs, instantMs)
  }

  #nap(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#stopped) return
    this.#timer = setTimeout(() => this.wake(), Math.max(ms, 0))
  }

  #endWhenIdle(): void {
    if (this.#stopped && !this.#pumping && this.#inFlight === 0) this.#end.resolve()
  }
}
