import type { CommitSignal } from '../../database/commit-signal.ts'
import type { ReadShort } from '../../database/engine.ts'
import type { TimeSlices } from '../../database/time-slices.ts'
import { envelopeText, readEventPage } from '../../shop/events/feed.ts'
import { findLogBounds, type LogBounds } from '../../shop/log/bounds.ts'
import { taggedPosition } from '../../shop/log/content-tag.ts'
import { eventTypes } from '../../shop/log/event-types.ts'
import type { SequencedEvent } from '../../shop/log/recording.ts'

/** The maximum number of events in one read. */
const EVENTS_PER_READ_MAX = 200
/**
 * The maximum size of one chunk of a stream, because the chunk of a slow client stays in memory. A larger event is a
 * chunk of its own.
 */
const BATCH_BYTES_MAX = 64 * 1024
/** The maximum size of the batches kept for all streams. A stream that needs older events reads from the store. */
const CACHE_BYTES_MAX = 4 * 1024 * 1024
/** The memory of a batch in addition to its bytes. */
const BATCH_OVERHEAD_BYTES = 256
/**
 * The maximum number of batches kept for streams that are behind. These streams can share a batch: after a burst, all
 * streams are behind at the same position.
 */
const BATCHES_BEHIND_MAX = 32
const READ_RETRY_MS = 1000

const KEY_REVOKED = 'petstore.key.revoked'
const encoder = new TextEncoder()

/** One encoded event of a stream. */
interface Frame {
  readonly position: bigint
  readonly type: string
  /** The byte range of the frame in its batch. */
  readonly from: number
  readonly to: number
}

/** The events after the position `after`, up to the position `to`. */
export interface Batch {
  readonly after: bigint
  readonly to: bigint
  readonly frames: readonly Frame[]
  /** All frames in one chunk. A stream without a type filter whose position is `after` sends the chunk unchanged. */
  readonly bytes: Uint8Array
}

/** The values that the frames of all events of a store have in common. */
interface FrameSource {
  readonly base: string
  readonly contentTag: bigint | undefined
}

/**
 * The newest events, read and encoded once for all streams. They are read after each commit while at least one stream
 * is open.
 */
export class RecentEvents {
  readonly #commitSignal: CommitSignal
  readonly #readShort: ReadShort
  readonly #slices: TimeSlices
  readonly #source: FrameSource
  readonly #onMoved: () => void
  readonly #onRevoked: (keyId: string) => void
  readonly #onError: (error: unknown) => void
  #batches: Batch[] = []
  #keptBytes = 0
  readonly #behind = new Map<string, Promise<Batch>>()
  #streamCount = 0
  #running: Promise<void> | undefined
  #head = 0n

  constructor(options: {
    readonly commitSignal: CommitSignal
    readonly readShort: ReadShort
    /** Divides the thread between the reads of all streams and other work. */
    readonly slices: TimeSlices
    readonly base: string
    readonly contentTag?: bigint | undefined
    readonly onMoved: () => void
    readonly onRevoked: (keyId: string) => void
    readonly onError: (error: unknown) => void
  }) {
    this.#commitSignal = options.commitSignal
    this.#readShort = options.readShort
    this.#slices = options.slices
    this.#source = { base: options.base, contentTag: options.contentTag }
    this.#onMoved = options.onMoved
    this.#onRevoked = options.onRevoked
    this.#onError = options.onError
  }

  /** The position up to which events have been read. */
  get head(): bigint {
    return this.#head
  }

  /** Returns the id that a stream sends at a position. */
  idAt(position: bigint): bigint {
    return taggedPosition(position, this.#source.contentTag)
  }

  /** Resolves when a stream that is behind may send its next chunk. The streams of a process take turns. */
  turn(): Promise<void> {
    return this.#slices.next()
  }

  /** Counts a stream, and starts reading for the first one. Returns the bounds of the log. */
  async join(): Promise<LogBounds> {
    const bounds = await this.#readShort(findLogBounds)
    if (this.#streamCount++ === 0 && !this.#running) {
      this.#head = bounds.head
      this.#running = this.#run()
    }
    return bounds
  }

  leave(): void {
    this.#streamCount--
  }

  /**
   * Returns the batch with the next events after a position; undefined if they are not in memory. The position must be
   * before the head.
   */
  batchAfter(position: bigint): Batch | undefined {
    const oldest = this.#batches[0]
    if (!oldest || position < oldest.after) return undefined
    return this.#batches.findLast(({ after }) => after <= position)
  }

  /**
   * Returns the next events of a stream that is behind, read from the store, in at most one chunk. Streams with the
   * same position and types share a read. `limit` is the maximum number of events if this call starts the read.
   */
  readBehind(position: bigint, types: readonly string[], limit: number): Promise<Batch> {
    const readKey = `${position} ${types.join(' ')}`
    const known = this.#behind.get(readKey)
    if (known) return known
    const batch = this.#readShort(async read => {
      const { events, to } = await readEventPage(read, position, { types }, limit)
      return batchOf(position, to, events, this.#source)
    })
    this.#behind.set(readKey, batch)
    batch.catch(() => this.#behind.delete(readKey))
    for (const oldest of this.#behind.keys()) {
      if (this.#behind.size <= BATCHES_BEHIND_MAX) break
      this.#behind.delete(oldest)
    }
    return batch
  }

  async #run(): Promise<void> {
    while (this.#streamCount > 0 && !this.#commitSignal.hasEnded) {
      const nextCommit = this.#commitSignal.next()
      try {
        while (await this.#advance()) await this.#slices.next()
        await nextCommit
      } catch (error) {
        this.#onError(error)
        // The read is retried without waiting for a commit, because the missed events may be the last for a long time.
        await Bun.sleep(READ_RETRY_MS)
      }
    }
    this.#running = undefined
    this.#batches = []
    this.#keptBytes = 0
    this.#behind.clear()
  }

  async #advance(): Promise<boolean> {
    const after = this.#head
    const { events, to, isAtHead } = await this.#readShort(reader =>
      readEventPage(reader, after, { types: [...eventTypes, KEY_REVOKED] }, EVENTS_PER_READ_MAX),
    )
    if (to === after) return false
    for (const { type, subject } of events) {
      if (type === KEY_REVOKED) this.#onRevoked(subject.replace('keys/', ''))
    }
    const published = events.filter(({ type }) => type !== KEY_REVOKED)
    for (let rest = published; this.#head < to; ) {
      const batch = batchOf(this.#head, to, rest, this.#source)
      this.#keep(batch)
      this.#head = batch.to
      rest = rest.slice(batch.frames.length)
    }
    this.#onMoved()
    return !isAtHead
  }

  #keep(batch: Batch): void {
    this.#batches.push(batch)
    this.#keptBytes += sizeOf(batch)
    while (this.#keptBytes > CACHE_BYTES_MAX) {
      const oldest = this.#batches.shift()
      this.#keptBytes -= oldest ? sizeOf(oldest) : 0
    }
  }
}

/** Returns how many events fit in one chunk if they are as long as the events of a batch. */
export function eventsThatFit({ frames, bytes }: Batch): number {
  const fit = Math.floor((BATCH_BYTES_MAX * frames.length) / Math.max(1, bytes.length))
  return frames.length === 0 ? EVENTS_PER_READ_MAX : Math.min(Math.max(fit, 1), EVENTS_PER_READ_MAX)
}

/** Returns a batch of encoded events: all of them, up to `to`, or as many as fit in one chunk. */
function batchOf(after: bigint, to: bigint, events: readonly SequencedEvent[], source: FrameSource): Batch {
  const texts: string[] = []
  const ends: number[] = []
  let size = 0
  for (const event of events) {
    const text = frameText(event, source)
    size += Buffer.byteLength(text)
    if (size > BATCH_BYTES_MAX && texts.length > 0) break
    texts.push(text)
    ends.push(size)
  }
  const last = texts.length < events.length ? events[texts.length - 1] : undefined
  const bytes = encoder.encode(texts.join(''))
  const frames = events.slice(0, texts.length).map(({ position, type }, index) => ({
    position,
    type,
    from: ends[index - 1] ?? 0,
    to: ends[index] ?? size,
  }))
  return { after, to: last?.position ?? to, frames, bytes }
}

function frameText(event: SequencedEvent, { base, contentTag }: FrameSource): string {
  const { position, type } = event
  return `id: ${taggedPosition(position, contentTag)}\nevent: ${type}\ndata: ${envelopeText(event, base)}\n\n`
}

function sizeOf({ bytes }: Batch): number {
  return bytes.length + BATCH_OVERHEAD_BYTES
}
