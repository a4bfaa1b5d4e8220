import { StoreError } from '../../contract/error.ts'
import { invalidParameter, overloaded, shuttingDown } from '../../contract/refusals.ts'
import type { CommitSignal } from '../../database/commit-signal.ts'
import type { ReadShort } from '../../database/engine.ts'
import type { TimeSlices } from '../../database/time-slices.ts'
import { isKeyValid } from '../../shop/keys/verbs.ts'
import { assertWithinLog } from '../../shop/log/bounds.ts'
import { untaggedPosition } from '../../shop/log/content-tag.ts'
import { eventTypes } from '../../shop/log/event-types.ts'
import { storedInstant } from '../../values/instant.ts'
import { parseSequence } from '../../values/sequence.ts'
import { type Capacity, CapacityLimiter, type Within } from '../limits/admission.ts'
import { callerName, type RequestContext } from '../request/request-context.ts'
import { type Batch, eventsThatFit, RecentEvents } from './recent-events.ts'
import { KEEP_ALIVE_MS, RECONNECT_MS, STALLED_MS, streamResponse } from './stream-headers.ts'

/** The longest time for which `SseHub.end` waits for clients that do not read. */
const ENDING_MS = 1000

const LAST_EVENT_ID = { in: 'header', name: 'Last-Event-ID' } as const
const encoder = new TextEncoder()

export interface SseHubOptions {
  readonly commitSignal: CommitSignal
  readonly readShort: ReadShort
  /** Divides the thread between the streams that catch up and other work. */
  readonly slices: TimeSlices
  readonly base: string
  /** Identifies the content of the store since its last reset; undefined for a store that is never reset. */
  readonly contentTag?: bigint | undefined
  readonly within?: Within | undefined
  readonly streamsMax: number
  readonly streamsPerCallerMax: number
  /** Returns milliseconds since 1970; used for key expiry. */
  readonly clock: () => number
  readonly keepAliveMs?: number
  readonly stalledMs?: number
  readonly onError: (error: unknown) => void
}

interface StreamInput {
  readonly after?: bigint | undefined
  readonly type?: readonly string[] | undefined
  readonly seconds?: number | undefined
}

/** All streams of one store: server-sent events (WHATWG HTML, section 9.2), pulled as fast as each client reads. */
export class SseHub {
  readonly #options: SseHubOptions
  readonly #recentEvents: RecentEvents
  readonly #open = new Set<SseStream>()
  readonly #tickTimer: ReturnType<typeof setInterval>
  readonly #allClosed = Promise.withResolvers<void>()
  readonly #capacity: Capacity
  readonly #shares: CapacityLimiter
  #isEnded = false

  constructor(options: SseHubOptions) {
    this.#options = options
    this.#capacity = { total: options.streamsMax, perCaller: options.streamsPerCallerMax }
    this.#shares = new CapacityLimiter(this.#capacity, options.within)
    const { commitSignal, readShort, slices, base, contentTag, onError } = options
    const onRevoked = (keyId: string): void => {
      for (const stream of this.#open) if (String(stream.keyId) === keyId) stream.end()
    }
    const onMoved = (): void => {
      for (const stream of this.#open) stream.wake()
    }
    this.#recentEvents = new RecentEvents({
      commitSignal,
      readShort,
      slices,
      base,
      contentTag,
      onMoved,
      onRevoked,
      onError,
    })
    this.#tickTimer = setInterval(() => this.#tick(), options.keepAliveMs ?? KEEP_ALIVE_MS)
  }

  get count(): number {
    return this.#open.size
  }

  /**
   * Returns a stream of the events after the position in Last-Event-ID or `after`, or else after the head. Throws
   * `overloaded` if too many streams are open, `shutting_down` after `end`, and `event_history_expired` and
   * `invalid_parameter` like the feed. The stream ends after `seconds`, if that is set.
   */
  async respond(context: RequestContext, { after, type, seconds }: StreamInput): Promise<Response> {
    const last = lastEventId(context)
    const sent = last ?? after
    const from = sent === undefined ? undefined : untaggedPosition(sent, this.#options.contentTag)
    if (this.#isEnded) throw shuttingDown()
    const caller = callerName(context)
    if (!this.#shares.take(caller)) {
      const { total, perCaller } = this.#capacity
      const message = `At most ${total} streams can be open, ${perCaller} per caller; try again later.`
      throw overloaded(message, 10)
    }
    let stream: SseStream | undefined
    try {
      const bounds = await this.#recentEvents.join()
      try {
        if (from !== undefined) assertWithinLog(from, bounds, last === undefined ? undefined : LAST_EVENT_ID)
      } catch (error) {
        this.#recentEvents.leave()
        throw error
      }
      if (context.request.method === 'HEAD') {
        this.#recentEvents.leave()
        return streamResponse(context.headers, null)
      }
      const opened = new SseStream(this.#recentEvents, context, from ?? bounds.head, type, () => {
        clearTimeout(timer)
        this.#open.delete(opened)
        this.#shares.release(caller)
        this.#recentEvents.leave()
        if (this.#isEnded && this.#open.size === 0) this.#allClosed.resolve()
      })
      const timer = seconds === undefined ? undefined : setTimeout(() => opened.end(), seconds * 1000)
      stream = opened
      this.#open.add(stream)
      // All streams were ended while this one was being opened.
      if (this.#isEnded) stream.end()
      return streamResponse(context.headers, stream.readable())
    } finally {
      if (!stream) this.#shares.release(caller)
    }
  }

  /**
   * Ends all streams gracefully; their clients reconnect. Resolves when all streams have ended, or after a second if
   * some clients do not read.
   */
  async end(): Promise<void> {
    this.#isEnded = true
    clearInterval(this.#tickTimer)
    for (const stream of this.#open) stream.end()
    const late = setTimeout(this.#allClosed.resolve, ENDING_MS)
    if (this.#open.size > 0) await this.#allClosed.promise
    clearTimeout(late)
  }

  #tick(): void {
    const { stalledMs = STALLED_MS, onError } = this.#options
    for (const stream of this.#open) stream.tick(stalledMs)
    this.#endStreamsWithoutKey().catch(onError)
  }

  /** Ends the streams of keys that have expired. Nothing signals an expiry, so all keys are checked at every tick. */
  async #endStreamsWithoutKey(): Promise<void> {
    const now = storedInstant(this.#options.clock())
    for (const keyId of new Set([...this.#open].map(stream => stream.keyId))) {
      if (keyId === null || (await this.#options.readShort(reader => isKeyValid(reader, keyId, now))))
        continue
      for (const stream of this.#open) if (stream.keyId === keyId) stream.end()
    }
  }
}

/** The stream of one client. The runtime pulls the next chunk once the client has read the previous one. */
class SseStream {
  readonly keyId: bigint | null
  readonly #recentEvents: RecentEvents
  readonly #context: RequestContext
  readonly #types: ReadonlySet<string> | undefined
  readonly #onClosed: () => void
  /** Ends the wait for something to send. */
  #wake = (): void => {}
  #isTickDue = false
  #position: bigint
  /**
   * The maximum number of events per read when the stream is behind: about one chunk. If a read fetched events beyond
   * the chunk, the next read would fetch these events again.
   */
  #readMax = 16
  #hasStarted = false
  /** Whether the stream may send a chunk in this turn of the event loop. */
  #hasTurn = false
  #isEnded = false
  #isClosed = false
  /** When the stream began to wait for its client, by `performance.now`; undefined while it waits for events. */
  #unreadSinceMs: number | undefined = performance.now()

  constructor(
    recentEvents: RecentEvents,
    context: RequestContext,
    position: bigint,
    types: readonly string[] | undefined,
    onClosed: () => void,
  ) {
    this.keyId = context.caller?.keyId ?? null
    this.#recentEvents = recentEvents
    this.#context = context
    this.#position = position
    this.#types = types && new Set(types)
    this.#onClosed = onClosed
  }

  readable(): ReadableStream<Uint8Array> {
    return new ReadableStream(
      { pull: controller => this.#pull(controller), cancel: () => this.#close() },
      // Nothing is produced before it is pulled, so for a slow client only the buffer of its socket is filled.
      { highWaterMark: 0 },
    )
  }

  /** Checks for something to send, if the stream is waiting. */
  wake(): void {
    this.#wake()
  }

  end(): void {
    this.#isEnded = true
    this.#wake()
  }

  /** Sends a keep-alive, or disconnects a client that does not read. */
  tick(stalledMs: number): void {
    this.#isTickDue = true
    this.#wake()
    if (this.#unreadSinceMs === undefined || performance.now() - this.#unreadSinceMs < stalledMs) return
    this.#close()
    this.#context.closeConnection()
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#unreadSinceMs = undefined
    try {
      const bytes = await this.#next()
      if (bytes) return controller.enqueue(bytes)
      this.#close()
      controller.close()
    } catch (error) {
      this.#close()
      // The history was deleted while the stream was behind. The client reconnects and gets the error.
      if (error instanceof StoreError) return controller.close()
      throw error
    } finally {
      this.#unreadSinceMs = performance.now()
    }
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (!this.#hasStarted) {
      this.#hasStarted = true
      // The first block has the position, at which a client that is disconnected before the first event resumes.
      return encoder.encode(`retry: ${RECONNECT_MS}\nid: ${this.#recentEvents.idAt(this.#position)}\n\n`)
    }
    while (!this.#isEnded && !this.#isClosed) {
      if (this.#isTickDue) {
        this.#isTickDue = false
        return encoder.encode(`: alive\nid: ${this.#recentEvents.idAt(this.#position)}\n\n`)
      }
      if (this.#position < this.#recentEvents.head) {
        // A client may read as fast as its stream sends, so the stream would never leave the thread by itself.
        if (!this.#hasTurn) {
          await this.#recentEvents.turn()
          this.#hasTurn = true
          continue
        }
        this.#hasTurn = false
        const bytes = this.#matchingBytes(await this.#batch())
        if (bytes.length > 0) return bytes
      } else {
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
        // The read of the new events had a turn of its own.
        this.#hasTurn = true
      }
    }
    return undefined
  }

  async #batch(): Promise<Batch> {
    const recent = this.#recentEvents.batchAfter(this.#position)
    if (recent) return recent
    const types = this.#types ? [...this.#types] : eventTypes
    const batch = await this.#recentEvents.readBehind(this.#position, types, this.#readMax)
    this.#readMax = eventsThatFit(batch)
    return batch
  }

  #matchingBytes(batch: Batch): Uint8Array {
    const { after, to, bytes, frames } = batch
    const from = this.#position
    this.#position = to
    if (from === after && !this.#types) return bytes
    const matching = frames.filter(
      ({ position, type }) => position > from && (!this.#types || this.#types.has(type)),
    )
    return Buffer.concat(matching.map(frame => bytes.subarray(frame.from, frame.to)))
  }

  #close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#wake()
    this.#onClosed()
  }
}

/**
 * Returns the position in Last-Event-ID; undefined if the header is missing or empty. Throws `invalid_parameter` if it
 * is malformed.
 */
function lastEventId({ request }: RequestContext): bigint | undefined {
  const text = request.headers.get('last-event-id')
  if (text === null || text === '') return undefined
  const position = parseSequence(text)
  if (position !== undefined) return position
  const message = 'Last-Event-ID must be a position: 1 to 19 digits.'
  throw invalidParameter({ ...LAST_EVENT_ID, code: 'invalid_format', message })
}
