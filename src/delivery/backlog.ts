import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reading } from '../engine/engine.ts'
import { StoreError } from '../model/error.ts'
import { TEST_TYPE } from '../model/event-type.ts'
import { type HeldWebhook, type Receiver, receiverOf, recordedPositions } from '../shop/dispatch.ts'
import { findEnds, type PlacedEvent, readStretch, type Stretch } from '../shop/events.ts'
import { typesOf, webhookSubject } from '../shop/webhooks.ts'

/** Events read ahead, at most: all that is in memory of a backlog, whatever its length. */
const EVENTS_AHEAD_MAX = 32
/** How far a lane goes without writing down how far it has come. */
const UNSAVED_POSITIONS_MAX = 1000n

/** What concerns one webhook alone, whatever types it is sent. */
const ownTypes = [TEST_TYPE, 'petstore.webhook.created', 'petstore.webhook.redelivered']

export interface BacklogOptions {
  readonly owner: string
  readonly readRow: <T>(work: (reading: Reading) => Promise<T>) => Promise<T>
  /** Called when somebody asked for deliveries to be made again. */
  readonly onRedelivered: () => void
  /** Called when so much was passed over that it should be written down. */
  readonly onPassed: () => void
  readonly onFault: (error: unknown) => void
}

/**
 * What one webhook has not been sent yet, in the order of positions. A position is open from when it was read until it
 * is written down or passed over: the webhook has come as far as nothing is open.
 */
export class Backlog {
  readonly #id: bigint
  readonly #createdAt: string
  readonly #options: BacklogOptions
  /** Every event up to there was read. */
  #taken: bigint
  #saved: bigint
  #begun: boolean
  #ahead: PlacedEvent[] = []
  readonly #open = new Set<bigint>()
  /** Positions beyond the first that have their deliveries, since others before them took longer. */
  #recorded: Set<bigint> | undefined

  constructor({ id, position, begun, createdAt }: HeldWebhook, options: BacklogOptions) {
    this.#id = id
    this.#createdAt = createdAt
    this.#options = options
    this.#taken = position
    this.#saved = position
    this.#begun = begun === 1n
  }

  /** Whether the event of the webhook's own making has been met. */
  get begun(): boolean {
    return this.#begun
  }

  /** Whether there may be something to send, when the last event has this position. */
  mayHaveMore(head: bigint): boolean {
    return this.#ahead.length > 0 || this.#taken < head
  }

  /** Takes up the next event that is to be sent; undefined when there is none. */
  async next(receiver: Receiver): Promise<PlacedEvent | undefined> {
    for (let { types } = receiver; ; ) {
      const event = this.#ahead.shift()
      if (event && this.#isToBeSent(event, typesOf({ types }))) return event
      if (event) {
        this.#open.delete(event.position)
        continue
      }
      const reading = await this.#readOn(types)
      if (reading.atHead && this.#ahead.length === 0) return undefined
      types = reading.types
      // A backlog may hold nothing of these types for long, and others want the thread.
      if (this.#ahead.length === 0) await nextTurn()
    }
  }

  /** Up to where nothing is left to be written down, once these positions are. */
  reached(written: readonly bigint[]): bigint {
    let position = this.#taken
    for (const open of this.#open) {
      if (open <= position && !written.includes(open)) position = open - 1n
    }
    return position
  }

  /** These positions are written down, and that the webhook has come to `reached`. */
  settle(written: readonly bigint[], reached: bigint): void {
    for (const position of written) this.#open.delete(position)
    this.#saved = reached
  }

  /** Reads on by one stretch. Nothing is taken when the webhook's types have changed under the reading. */
  async #readOn(types: string | null): Promise<{ types: string | null; atHead: boolean }> {
    const { readRow, owner, onPassed } = this.#options
    this.#recorded ??= new Set(await readRow(reading => recordedPositions(reading, this.#id, this.#saved)))
    const stretch = await this.#stretch([...typesOf({ types }), ...ownTypes])
    const receiver = await readRow(reading => receiverOf(reading, this.#id, owner))
    if (!receiver) return { types, atHead: true }
    if (receiver.types !== types) return { types: receiver.types, atHead: false }
    this.#taken = stretch.to
    this.#ahead = [...stretch.events]
    for (const { position } of this.#ahead) this.#open.add(position)
    if (this.#ahead.length === 0 && this.reached([]) - this.#saved >= UNSAVED_POSITIONS_MAX) onPassed()
    return { types, atHead: stretch.atHead }
  }

  async #stretch(types: readonly string[]): Promise<Stretch> {
    const { readRow, onFault } = this.#options
    try {
      return await readRow(reading => readStretch(reading, this.#taken, types, EVENTS_AHEAD_MAX))
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'event_history_expired') throw error
      const { horizon } = await readRow(findEnds)
      onFault(new Error(`webhook ${this.#id} missed what happened from ${this.#taken} to ${horizon}`))
      this.#taken = horizon
      this.#begun = true
      return this.#stretch(types)
    }
  }

  /** Whether an event goes to this webhook, and has not yet. */
  #isToBeSent({ position, type, subject, at }: PlacedEvent, types: readonly string[]): boolean {
    const isOwn = subject === webhookSubject(this.#id)
    // What another process did after the webhook was made may have been numbered before that.
    const happenedSince = this.#begun || at > this.#createdAt
    if (isOwn && type === 'petstore.webhook.created') this.#begun = true
    if (isOwn && type === 'petstore.webhook.redelivered') this.#options.onRedelivered()
    const isWanted = type === TEST_TYPE ? isOwn : types.includes(type)
    return happenedSince && isWanted && !this.#recorded?.delete(position)
  }
}
