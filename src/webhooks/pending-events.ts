import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Reader } from '../engine/engine.ts'
import { StoreError } from '../model/error.ts'
import { TEST_TYPE } from '../model/event-type.ts'
import { type LeasedWebhook, type Receiver, receiverOf, recordedPositions } from '../shop/delivery-state.ts'
import { type EventPage, findLogBounds, readEventPage, type SequencedEvent } from '../shop/events.ts'
import { typesOf, webhookSubject } from '../shop/webhooks.ts'

/** Maximum number of events read ahead: all that memory holds of a backlog, whatever its length. */
const EVENTS_AHEAD_MAX = 32
/** How many positions may pass before the progress is stored. */
const UNSAVED_POSITIONS_MAX = 1000n

/** Events about the webhook itself, which are read whatever types it subscribes to. */
const ownTypes = [TEST_TYPE, 'petstore.webhook.created', 'petstore.webhook.redelivered']

export interface PendingEventsOptions {
  readonly owner: string
  readonly readRow: <T>(work: (reader: Reader) => Promise<T>) => Promise<T>
  /** Called when a redelivery was requested. */
  readonly onRedelivered: () => void
  /** Called when so many positions were skipped that the progress should be stored. */
  readonly onPassed: () => void
  readonly onFault: (error: unknown) => void
}

/**
 * The events that one webhook has not been sent yet, in order of position. A position is open from being read until
 * its outcome is stored or the event is skipped. The webhook's progress is the last position before the first open
 * one.
 */
export class PendingEvents {
  readonly #id: bigint
  readonly #createdAt: string
  readonly #options: PendingEventsOptions
  /** Every event up to here has been read. */
  #readPosition: bigint
  #savedPosition: bigint
  #seenCreation: boolean
  #buffer: SequencedEvent[] = []
  readonly #open = new Set<bigint>()
  /** Later positions that already have deliveries, because earlier ones took longer. */
  #recorded: Set<bigint> | undefined

  constructor({ id, position, seenCreation, createdAt }: LeasedWebhook, options: PendingEventsOptions) {
    this.#id = id
    this.#createdAt = createdAt
    this.#options = options
    this.#readPosition = position
    this.#savedPosition = position
    this.#seenCreation = seenCreation === 1n
  }

  /** Whether the creation event of this webhook has been read. */
  get seenCreation(): boolean {
    return this.#seenCreation
  }

  /** Whether there may be something to send, given the position of the last event. */
  mayHaveMore(head: bigint): boolean {
    return this.#buffer.length > 0 || this.#readPosition < head
  }

  /** Returns the next event to send, and marks it as open; undefined if there is none. */
  async next(receiver: Receiver): Promise<SequencedEvent | undefined> {
    for (let { types } = receiver; ; ) {
      const event = this.#buffer.shift()
      if (event && this.#isToBeSent(event, typesOf({ types }))) return event
      if (event) {
        this.#open.delete(event.position)
        continue
      }
      const reader = await this.#readNextPage(types)
      if (reader.atHead && this.#buffer.length === 0) return undefined
      types = reader.types
      // A backlog can go a long way without an event of these types, and other work needs the thread.
      if (this.#buffer.length === 0) await nextTurn()
    }
  }

  /** Returns the position up to which every outcome is stored, assuming that the outcomes of `written` are. */
  completedPosition(written: readonly bigint[]): bigint {
    let position = this.#readPosition
    for (const open of this.#open) {
      if (open <= position && !written.includes(open)) position = open - 1n
    }
    return position
  }

  /** Records that the outcomes of these positions are stored, and the progress `reached`. */
  complete(written: readonly bigint[], completed: bigint): void {
    for (const position of written) this.#open.delete(position)
    this.#savedPosition = completed
  }

  /** Reads the next page of events. The page is discarded if the webhook's types changed during the read. */
  async #readNextPage(types: string | null): Promise<{ types: string | null; atHead: boolean }> {
    const { readRow, owner, onPassed } = this.#options
    this.#recorded ??= new Set(
      await readRow(reader => recordedPositions(reader, this.#id, this.#savedPosition)),
    )
    const page = await this.#readPage([...typesOf({ types }), ...ownTypes])
    const receiver = await readRow(reader => receiverOf(reader, this.#id, owner))
    if (!receiver) return { types, atHead: true }
    if (receiver.types !== types) return { types: receiver.types, atHead: false }
    this.#readPosition = page.to
    this.#buffer = [...page.events]
    for (const { position } of this.#buffer) this.#open.add(position)
    if (
      this.#buffer.length === 0 &&
      this.completedPosition([]) - this.#savedPosition >= UNSAVED_POSITIONS_MAX
    )
      onPassed()
    return { types, atHead: page.atHead }
  }

  async #readPage(types: readonly string[]): Promise<EventPage> {
    const { readRow, onFault } = this.#options
    try {
      return await readRow(reader => readEventPage(reader, this.#readPosition, types, EVENTS_AHEAD_MAX))
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'event_history_expired') throw error
      const { floor } = await readRow(findLogBounds)
      const missed = `the events after ${this.#readPosition} up to ${floor}`
      onFault(new Error(`webhook ${this.#id} missed ${missed}: they were deleted`))
      this.#readPosition = floor
      this.#seenCreation = true
      return this.#readPage(types)
    }
  }

  /** Whether this webhook must be sent the event and has not been sent it yet. */
  #isToBeSent({ position, type, subject, at }: SequencedEvent, types: readonly string[]): boolean {
    const isOwn = subject === webhookSubject(this.#id)
    // An event that another process recorded after the webhook was created may have a lower position than its
    // creation.
    const happenedSince = this.#seenCreation || at > this.#createdAt
    if (isOwn && type === 'petstore.webhook.created') this.#seenCreation = true
    if (isOwn && type === 'petstore.webhook.redelivered') this.#options.onRedelivered()
    const isWanted = type === TEST_TYPE ? isOwn : types.includes(type)
    return happenedSince && isWanted && !this.#recorded?.delete(position)
  }
}
