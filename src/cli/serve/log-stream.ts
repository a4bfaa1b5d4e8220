import { writeSync } from 'node:fs'
import { hasCode } from '../../files/system-error.ts'
import type { EncodedEntry } from '../../values/log.ts'

/**
 * The waiting lines are written when they reach this length, or the age GROUP_MS. All requests wait while a group is
 * written, so it is not larger.
 */
const GROUP_BYTES = 16_384
const GROUP_MS = 100
/** The size of a chunk, except for a longer line. One chunk is enough unless the reader is slow. */
const CHUNK_BYTES = 4 * GROUP_BYTES
/** If chunks of this size wait for a slow reader, and the last one is full, lines are lost. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024
/** The pause before the next write to a full pipe. It doubles up to GROUP_MS while the reader reads nothing. */
const RETRY_MS_MIN = 1
/** The maximum time that `end` waits for a slow reader. */
const END_MS = 500
/** The maximum number of bytes in UTF-8 for each code unit of a string. */
const BYTES_PER_UNIT_MAX = 3
const NEWLINE = 10

export interface LogStreamOptions {
  readonly descriptor: number
  /** Returns the line that reports how many lines were lost, with its line end. */
  readonly lossLine: (lost: number) => string
  /** Like writeSync of node:fs: returns the number of bytes written. */
  readonly write?: (descriptor: number, bytes: Uint8Array, offset: number, length: number) => number
}

/** Lines that wait: the bytes from `start` to `end`. */
interface Chunk {
  readonly bytes: Buffer
  start: number
  end: number
  /** A report of lost lines among them. */
  report: { readonly start: number; readonly end: number; readonly lost: number } | undefined
}

/**
 * Writes log lines in groups, because a system call for each line costs more than the request. Lines that cannot be
 * written are dropped and counted, and the count is logged once writing works again. Never throws, because a full disk
 * or a closed reader must not stop the store.
 */
export class LogStream {
  readonly #options: LogStreamOptions
  #last = makeChunk(CHUNK_BYTES)
  /** All chunks, the oldest one first. `#last` is the last one. */
  #chunks = [this.#last]
  /** The number of lost lines that are in no waiting report. */
  #lost = 0
  #lastByteWritten = NEWLINE
  /** Whether the reader was too slow for the last write. The timer then runs until the next one. */
  #isBusy = false
  #retryMs = RETRY_MS_MIN
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: LogStreamOptions) {
    this.#options = options
  }

  /** Writes a line, which has its line end. */
  write(line: string): void {
    if (!this.#begin(bytesMaxOf(line))) return
    this.#last.end += this.#last.bytes.write(line, this.#last.end)
    this.#flushIfDue()
  }

  /** Writes a line that encodes itself, and adds its line end. */
  encode(entry: EncodedEntry): void {
    if (!this.#begin(entry.bytesMax + 1)) return
    const { bytes, end } = this.#last
    const entryEnd = entry.encodeInto(bytes, end)
    bytes[entryEnd] = NEWLINE
    this.#last.end = entryEnd + 1
    this.#flushIfDue()
  }

  /** Writes the waiting lines, as far as the descriptor accepts them, and the rest later. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    let error: unknown
    do {
      this.#resume()
      error = this.#writeChunks()
      // If the chunks had no room for the report, it is written after them.
    } while (error === undefined && this.#lost > 0)
    this.#isBusy = hasCode(error, 'EAGAIN')
    if (this.#isBusy) {
      this.#timer = setTimeout(() => this.flush(), this.#retryMs)
      this.#retryMs = Math.min(2 * this.#retryMs, GROUP_MS)
    } else if (error !== undefined) this.#drop()
  }

  /**
   * Writes the waiting lines before the process ends. Blocks the process while a slow reader reads them, up to END_MS.
   * Returns the number of lines that were lost and not reported.
   */
  end(): number {
    const untilMs = performance.now() + END_MS
    this.flush()
    while (this.#isBusy && performance.now() < untilMs) {
      Bun.sleepSync(this.#retryMs)
      this.flush()
    }
    clearTimeout(this.#timer)
    this.#drop()
    return this.#lost
  }

  /** Makes room for a line. If too much waits already, this counts the line as lost and returns false. */
  #begin(bytesMax: number): boolean {
    this.#resume()
    if (this.#hasRoom(bytesMax)) return true
    this.#lost++
    return false
  }

  /** Ends a line of which only a part was written, and reports the lost lines. */
  #resume(): void {
    if (this.#last.end === 0 && this.#lastByteWritten !== NEWLINE)
      this.#last.bytes[this.#last.end++] = NEWLINE
    if (this.#lost === 0 || this.#last.report) return
    const text = this.#options.lossLine(this.#lost)
    if (!this.#hasRoom(bytesMaxOf(text))) return
    const start = this.#last.end
    this.#last.end += this.#last.bytes.write(text, start)
    this.#last.report = { start, end: this.#last.end, lost: this.#lost }
    this.#lost = 0
  }

  /** Returns whether the last chunk has room, after adding a chunk if it is full. */
  #hasRoom(bytesMax: number): boolean {
    if (this.#last.end + bytesMax <= this.#last.bytes.length) return true
    if (sizeOf(this.#chunks) >= WAITING_BYTES_MAX) return false
    this.#last = makeChunk(Math.max(bytesMax, CHUNK_BYTES))
    this.#chunks.push(this.#last)
    return true
  }

  #flushIfDue(): void {
    if (this.#isBusy) return
    if (this.#last.end >= GROUP_BYTES || this.#chunks.length > 1) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), GROUP_MS)
  }

  /** Writes the chunks. Returns the error that prevents it, or undefined. */
  #writeChunks(): unknown {
    const { descriptor, write = writeSync } = this.#options
    for (const chunk of this.#chunks) {
      try {
        while (chunk.start < chunk.end) {
          chunk.start += write(descriptor, chunk.bytes, chunk.start, chunk.end - chunk.start)
          this.#lastByteWritten = chunk.bytes[chunk.start - 1] ?? NEWLINE
          this.#retryMs = RETRY_MS_MIN
        }
      } catch (error) {
        this.#chunks = this.#chunks.slice(this.#chunks.indexOf(chunk))
        return error
      }
    }
    this.#clear()
  }

  /** Drops the waiting lines, and counts them as lost. */
  #drop(): void {
    for (const chunk of this.#chunks) this.#lost += this.#linesOf(chunk)
    this.#clear()
  }

  /** Returns how many lines a chunk has, and how many lost lines its report has. */
  #linesOf({ bytes, start, end, report }: Chunk): number {
    // A line of which only the newline was not written is not lost: `#resume` ends it.
    const from = this.#lastByteWritten !== NEWLINE && bytes[start] === NEWLINE ? start + 1 : start
    if (!report || from >= report.end) return countLines(bytes.subarray(from, end))
    return (
      countLines(bytes.subarray(from, Math.max(from, report.start))) +
      report.lost +
      countLines(bytes.subarray(report.end, end))
    )
  }

  #clear(): void {
    if (this.#chunks.length > 1 || this.#last.bytes.length > CHUNK_BYTES) {
      this.#last = makeChunk(CHUNK_BYTES)
      this.#chunks = [this.#last]
    }
    this.#last.start = 0
    this.#last.end = 0
    this.#last.report = undefined
  }
}

function makeChunk(size: number): Chunk {
  return { bytes: Buffer.alloc(size), start: 0, end: 0, report: undefined }
}

/** Returns how many bytes a text has at most. For a short text, this saves the time to compute the exact number. */
function bytesMaxOf(text: string): number {
  const bytesMax = BYTES_PER_UNIT_MAX * text.length
  return bytesMax > GROUP_BYTES ? Buffer.byteLength(text) : bytesMax
}

function sizeOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

function countLines(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if (byte === NEWLINE) count++
  return count
}
