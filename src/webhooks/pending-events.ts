import { StoreError } from '../contract/error.ts'
import type { ReadShort } from '../database/engine.ts'
import { type EventPage, readEventPage } from '../shop/events/feed.ts'
import { findLogBounds } from '../shop/log/bounds.ts'
import type { SequencedEvent } from '../shop/log/recording.ts'
import {
  type LeasedWebhook,
  type Receiver,
  receiverOf,
  recordedPositions,
} from '../shop/webhooks/delivery-state.ts'
import { typesOf } from '../shop/webhooks/verbs.ts'
import {
  completedPosition,
  initialPositions,
  isRecorded,
  isSaveDue,
  type PendingPositions,
  withClosed,
  withFloor,
  withPage,
  withRecorded,
  withSaved,
} from './pending-positions.ts'
import { ownTypes, relevanceOf } from './subscription.ts'

/** The maximum number of events that are read ahead. It bounds the memory of a backlog of any length. */
const EVENTS_AHEAD_MAX = 32

export interface PendingEventsOptions {
  readonly owner: string
  readonly readShort: ReadShort
  readonly onError: (error: unknown) => void
}

/** The next event to send, if one has been read, and whether a redelivery was requested by an event before it. */
interface TakenEvent {
  readonly event?: SequencedEvent
  /** Whether a redelivery was requested, so that a delivery may be due. */
  readonly isRedeliveryRequested: boolean
}

/** The result of reading a page. */
interface PageRead {
  /** The receiver now; undefined if this process may not send to the webhook any more. */
  readonly receiver: Receiver | undefined
  readonly hasEvents: boolean
  readonly isAtHead: boolean
  /** Whether the progress must be stored now, because many positions have passed without an event to send. */
  readonly isSaveDue: boolean
}

/** The stored progress of a webhook. */
interface Progress {
  readonly position: bigint
  readonly seenCreation: boolean
}

/** Reads the events that one webhook has not been sent yet, in order of position. */
export class PendingEvents {
  readonly #id: bigint
  readonly #createdAt: string
  readonly #options: PendingEventsOptions
  #positions: PendingPositions
  #seenCreation: boolean
  #buffer: SequencedEvent[] = []

  constructor({ id, position, seenCreation, createdAt }: LeasedWebhook, options: PendingEventsOptions) {
    this.#id = id
    this.#createdAt = createdAt
    this.#options = options
    this.#positions = initialPositions(position)
    this.#seenCreation = seenCreation
  }

  /** Returns whether there may be another event to send. `head` is the position of the last event. */
  mayHaveMore(head: bigint): boolean {
    return this.#buffer.length > 0 || this.#positions.readPosition < head
  }

  /**
   * Returns the next event to send from the page that was read, if there is one, and leaves its position open. Skips
   * the events before it that the webhook must not be sent.
   */
  take(types: string | null): TakenEvent {
    const subscribed = typesOf({ types })
    let isRedeliveryRequested = false
    for (let event = this.#buffer.shift(); event; event = this.#buffer.shift()) {
      const relevance = relevanceOf(event, {
        webhookId: this.#id,
        createdAt: this.#createdAt,
        seenCreation: this.#seenCreation,
        types: subscribed,
      })
      this.#seenCreation ||= relevance.isCreation
      isRedeliveryRequested ||= relevance.isRedelivery
      if (relevance.isWanted && !isRecorded(this.#positions, event.position)) {
        return { event, isRedeliveryRequested }
      }
      this.#positions = withClosed(this.#positions, [event.position])
    }
    return { isRedeliveryRequested }
  }

  /**
   * Reads the next page of events, after `take` has returned every event of the previous page. Returns no events and no
   * receiver if the webhook was disabled, deleted or leased by another process. If its types changed during the read,
   * the page is discarded, and the result has no events.
   */
  async readPage(types: string | null): Promise<PageRead> {
    const { readShort, owner } = this.#options
    if (this.#positions.recorded === undefined) {
      const { savedPosition } = this.#positions
      const recorded = await readShort(reader => recordedPositions(reader, this.#id, savedPosition))
      this.#positions = withRecorded(this.#positions, recorded)
    }
    const page = await this.#readEvents([...typesOf({ types }), ...ownTypes])
    const receiver = await readShort(reader => receiverOf(reader, this.#id, owner))
    if (!receiver) return { receiver, hasEvents: false, isAtHead: true, isSaveDue: false }
    if (receiver.types !== types) return { receiver, hasEvents: false, isAtHead: false, isSaveDue: false }
    this.#buffer = [...page.events]
    const opened = page.events.map(({ position }) => position)
    this.#positions = withPage(this.#positions, page.to, opened)
    const hasEvents = opened.length > 0
    return {
      receiver,
      hasEvents,
      isAtHead: page.isAtHead,
      isSaveDue: !hasEvents && isSaveDue(this.#positions),
    }
  }

  /** Returns the progress of the webhook once the outcomes of the positions `written` are stored. */
  progressAfter(written: readonly bigint[]): Progress {
    return {
      position: completedPosition(this.#positions, written),
      seenCreation: this.#seenCreation,
    }
  }

  /** Records that the outcomes of the positions `written` and the progress of the webhook are stored. */
  complete(written: readonly bigint[], { position }: Progress): void {
    this.#positions = withSaved(this.#positions, written, position)
  }

  async #readEvents(types: readonly string[]): Promise<EventPage> {
    const { readShort, onError } = this.#options
    const { readPosition } = this.#positions
    try {
      return await readShort(reader => readEventPage(reader, readPosition, { types }, EVENTS_AHEAD_MAX))
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'event_history_expired') throw error
      const { floor } = await readShort(findLogBounds)
      const missed = `the events after ${readPosition} up to ${floor}`
      onError(new Error(`webhook ${this.#id} missed ${missed}: they were deleted`))
      this.#positions = withFloor(this.#positions, floor)
      this.#seenCreation = true
      return this.#readEvents(types)
    }
  }
}
