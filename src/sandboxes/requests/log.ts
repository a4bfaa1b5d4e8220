import {
  appendFile,
  type FileHandle,
  open,
  readFile,
  rename,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { writeJson } from '../../values/json.ts'
import type { LoggedRequest } from '../contract/schema.ts'
import { fileBytes } from './file-bytes.ts'
import { masked } from './masked.ts'
import { findLines, type NumberedLine, readSpan, spansOf } from './numbered-lines.ts'

/** The maximum number of requests that the log returns, and the number after which it starts a new file. */
export const REQUESTS_KEPT = 1000
export const BODY_BYTES_KEPT = 4096
/** The log also starts a new file at this size. Only large headers and bodies make a file so large. */
const FILE_BYTES_MAX = 8 * 1024 * 1024
/** The delay before entries are written to the disk, so that one write contains many of them. */
const WRITE_DELAY_MS = 200
const NEWLINE = '\n'
const EVENT_END = Buffer.from('\n\n')

interface RequestWatcher {
  readonly onRequest: () => void
  /** Called when the log is closed together with its sandbox. */
  readonly onClosed: () => void
}

/** Entries of the log as server-sent events, and the number of the last one. */
export interface LoggedEvents {
  readonly bytes: Uint8Array
  readonly to: number
}

/**
 * A page of the log, as the text of a JSON array. It is read while it is sent, because a page can have 16 MiB. Call
 * `close` if `next` was not called until its end.
 */
export interface LogPage {
  readonly bytes: number
  next(): Promise<Uint8Array | undefined>
  close(): Promise<void>
}

interface UnwrittenEntry {
  readonly number: number
  readonly line: Buffer
}

interface LogFile {
  readonly path: string
  readonly lines: readonly NumberedLine[]
}

/**
 * The last requests to one sandbox, as lines of JSON in two files. When the current file has 1,000 entries or 8 MiB, it
 * replaces the previous file. Only the places of the lines are in memory.
 */
export class RequestLog {
  readonly #files: ReturnType<typeof filesIn>
  readonly #watchers = new Set<RequestWatcher>()
  #unwritten: UnwrittenEntry[] = []
  #current: NumberedLine[]
  /** The lines of the previous file; undefined until they are needed. */
  #previous: readonly NumberedLine[] | undefined
  #lastNumber: number
  /** Settles when all changes and openings of the files have ended. One of them runs at a time. */
  #lastTurn: Promise<unknown> = Promise.resolve()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false
  #lastRead: { after: number; lastNumber: number; events: Promise<LoggedEvents> } | undefined

  private constructor(files: ReturnType<typeof filesIn>, lastNumber: number, current: NumberedLine[]) {
    this.#files = files
    this.#lastNumber = lastNumber
    this.#current = current
  }

  static async open(directory: string): Promise<RequestLog> {
    const files = filesIn(directory)
    const current = await findLines(files.current)
    const last = current.at(-1) ?? (await findLines(files.previous)).at(-1)
    const cleared = await readFile(files.cleared, 'utf8').catch(() => '0')
    const clearedNumber = Number(/^\d{1,15}$/.test(cleared) ? cleared : 0)
    return new RequestLog(files, last?.number ?? clearedNumber, current)
  }

  get lastNumber(): number {
    return this.#lastNumber
  }

  /** Adds a request, unless the log is closed: a request can end after its sandbox was closed. */
  add(request: Omit<LoggedRequest, 'number'>): void {
    if (this.#isClosed) return
    this.#lastNumber++
    const text = writeJson({ number: BigInt(this.#lastNumber), ...request })
    this.#unwritten.push({ number: this.#lastNumber, line: Buffer.from(text + NEWLINE) })
    this.#timer ??= setTimeout(() => this.#write(), WRITE_DELAY_MS)
    for (const { onRequest } of this.#watchers) onRequest()
  }

  /** Returns up to `limit` entries, the newest first; with `before`, only entries before the one with this number. */
  async page(limit: number, before = Number.POSITIVE_INFINITY): Promise<LogPage> {
    this.#write()
    return this.#inTurn(async () => {
      const files = await this.#lastLines()
      const wanted = files.flatMap(({ lines }) => lines).filter(({ number }) => number < before)
      const oldest = wanted.at(-limit)?.number ?? 0
      const parts = files.map(({ path, lines }) => ({
        path,
        lines: lines.filter(({ number }) => number >= oldest && number < before).reverse(),
      }))
      return openPage(parts.reverse().filter(({ lines }) => lines.length > 0))
    })
  }

  /**
   * Returns the next entries after the one with a number, the oldest first, as server-sent events: about 32 KiB of
   * them. Streams that wait for the same entry share a read.
   */
  readEvents(after: number): Promise<LoggedEvents> {
    const isShared = this.#lastRead?.after === after && this.#lastRead.lastNumber === this.#lastNumber
    const events = isShared && this.#lastRead ? this.#lastRead.events : this.#readEvents(after)
    this.#lastRead = { after, lastNumber: this.#lastNumber, events }
    return events
  }

  #readEvents(after: number): Promise<LoggedEvents> {
    this.#write()
    return this.#inTurn(async () => {
      for (const { path, lines } of await this.#lastLines()) {
        const [span] = spansOf(lines.filter(({ number }) => number > after))
        if (!span) continue
        const handle = await open(path)
        try {
          const parts = (await readSpan(handle, span)).flatMap(([number, text]) => [
            Buffer.from(`id: ${number}\nevent: request\ndata: `),
            text,
            EVENT_END,
          ])
          return { bytes: Buffer.concat(parts), to: span.at(-1)?.number ?? after }
        } finally {
          await handle.close()
        }
      }
      return { bytes: Buffer.alloc(0), to: this.#lastNumber }
    })
  }

  /** Deletes all entries. The numbers continue. */
  async clear(): Promise<void> {
    this.#write()
    await this.#inTurn(async () => {
      this.#current = []
      this.#previous = []
      await writeFile(this.#files.cleared, String(this.#lastNumber), { mode: 0o600 })
      const { current, previous } = this.#files
      await Promise.all([current, previous].map(file => rm(file, { force: true })))
    })
  }

  /** Calls a watcher after each new entry, and once when the log is closed. Returns a function that stops the calls. */
  watch(watcher: RequestWatcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Notifies the watchers, and writes the entries that are still in memory. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { onClosed } of this.#watchers) onClosed()
    this.#watchers.clear()
    this.#write()
    await this.#lastTurn
  }

  /** Returns the files with the last requests, the oldest first. */
  async #lastLines(): Promise<LogFile[]> {
    const { current, previous } = this.#files
    this.#previous ??= await findLines(previous)
    // Another program may have deleted a file.
    if (this.#previous.length > 0 && (await fileBytes(previous)) === 0) this.#previous = []
    if (this.#current.length > 0 && (await fileBytes(current)) === 0) this.#current = []
    const others = Math.max(0, REQUESTS_KEPT - this.#current.length)
    return [
      { path: previous, lines: others === 0 ? [] : this.#previous.slice(-others) },
      { path: current, lines: this.#current.slice(-REQUESTS_KEPT) },
    ]
  }

  /** Runs work after all earlier work on the files. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lastTurn.then(work)
    this.#lastTurn = result.catch(() => {})
    return result
  }

  /** Writes the entries in memory in the next turn. */
  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const entries = this.#unwritten
    this.#unwritten = []
    // A log that cannot be written, for example because the disk is full, must not stop the sandbox.
    if (entries.length > 0) this.#inTurn(() => this.#append(entries)).catch(() => {})
  }

  async #append(entries: readonly UnwrittenEntry[]): Promise<void> {
    const { current: file, previous } = this.#files
    let end = await fileBytes(file)
    if (this.#current.length >= REQUESTS_KEPT || end >= FILE_BYTES_MAX) {
      // Another program may have deleted the file.
      if (end > 0) {
        await rename(file, previous)
        this.#previous = this.#current
      }
      end = 0
    }
    if (end === 0) this.#current = []
    const known = (this.#current.at(-1)?.to ?? -NEWLINE.length) + NEWLINE.length
    // A full disk or a kill left a part of a line, to which the next one must not be added.
    if (end > known) {
      await truncate(file, known)
      end = known
    }
    await appendFile(file, Buffer.concat(entries.map(({ line }) => line)), { mode: 0o600 })
    for (const { number, line } of entries) {
      this.#current.push({ number, from: end, to: end + line.length - NEWLINE.length })
      end += line.length
    }
  }
}

/** Opens the files of a page at once, so that it is complete even if the log starts a new file meanwhile. */
async function openPage(parts: readonly LogFile[]): Promise<LogPage> {
  const opened: { handle: FileHandle; lines: readonly NumberedLine[] }[] = []
  const close = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map(({ handle }) => handle.close()))
  }
  try {
    for (const { path, lines } of parts) opened.push({ handle: await open(path), lines })
  } catch (error) {
    await close()
    throw error
  }
  const lengths = parts.flatMap(({ lines }) => lines.map(({ from, to }) => to - from + ','.length))
  const chunks = arrayText([...opened])
  return {
    bytes: lengths.reduce((sum, length) => sum + length, '[]'.length - Math.min(lengths.length, 1)),
    next: async () => (await chunks.next()).value,
    close,
  }
}

async function* arrayText(
  parts: readonly { handle: FileHandle; lines: readonly NumberedLine[] }[],
): AsyncGenerator<Uint8Array, undefined> {
  let separator = '['
  for (const { handle, lines } of parts) {
    for (const span of spansOf(lines)) {
      const texts: Uint8Array[] = []
      for (const [, text] of await readSpan(handle, span)) {
        texts.push(Buffer.from(separator), text)
        separator = ','
      }
      yield Buffer.concat(texts)
    }
  }
  yield Buffer.from(separator === '[' ? '[]' : ']')
  return undefined
}

function filesIn(directory: string) {
  return {
    current: join(directory, 'requests.ndjson'),
    previous: join(directory, 'requests-before.ndjson'),
    /** The number of the last request before the log was cleared. */
    cleared: join(directory, 'requests-cleared'),
  }
}

/** Returns the start of a body as text, without secrets. */
export function bodyText(bytes: Uint8Array): string {
  // A streaming decoder omits an incomplete character at the end.
  return masked(new TextDecoder().decode(bytes.subarray(0, BODY_BYTES_KEPT), { stream: true }))
}
