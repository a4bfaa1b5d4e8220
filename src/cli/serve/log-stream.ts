import { writeSync } from 'node:fs'
import { hasCode } from '../../files/system-error.ts'

/**
 * The waiting lines are written when they reach this length, or the age GROUP_MS. All requests wait while a group is
 * written, so it is not larger.
 */
const GROUP_BYTES = 16_384
const GROUP_MS = 100
/** The size of the buffer, unless the reader is slow or a line is longer. */
const BUFFER_BYTES = 4 * GROUP_BYTES
/** The maximum size of the buffer. Lines that have no room are lost. */
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

/**
 * Writes log lines in groups, because a system call for each line costs more than the request. Lines that cannot be
 * written are dropped and counted, and the count is logged once writing works again. Never throws, because a full disk
 * or a closed reader must not stop the store.
 */
export class LogStream {
  readonly #options: LogStreamOptions
  /** The waiting lines are the bytes from `#start` to `#end`. */
  #bytes = Buffer.alloc(BUFFER_BYTES)
  #start = 0
  #end = 0
  /** The number of lost lines that no report counts. Until they are reported, all further lines are lost too. */
  #lost = 0
  /** The report of lost lines at the start of the buffer: its end, and its number of lines. */
  #report = { end: 0, lost: 0 }
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
    this.#end += this.#bytes.write(line, this.#end)
    this.#flushIfDue()
  }

  /** Writes the waiting lines, as far as the descriptor accepts them, and the rest later. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    let error: unknown
    do {
      this.#resume()
      error = this.#writeWaiting()
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
    if (this.#lost === 0 && this.#hasRoom(bytesMax)) return true
    this.#lost++
    return false
  }

  /** Begins an empty buffer: ends a line of which only a part was written, and reports the lost lines. */
  #resume(): void {
    if (this.#end > 0) return
    if (this.#lastByteWritten !== NEWLINE) this.#bytes[this.#end++] = NEWLINE
    if (this.#lost === 0) return
    this.#end += this.#bytes.write(this.#options.lossLine(this.#lost), this.#end)
    this.#report = { end: this.#end, lost: this.#lost }
    this.#lost = 0
  }

  /** Returns whether the buffer has room after its waiting lines. Before, this enlarges a full buffer. */
  #hasRoom(bytesMax: number): boolean {
    if (this.#end + bytesMax <= this.#bytes.length) return true
    const waiting = this.#bytes.subarray(this.#start, this.#end)
    const needed = waiting.length + bytesMax
    // Lines are moved only if half of the buffer is written, or a slow reader would cost a move for each line.
    const isHalfWritten = this.#start >= this.#bytes.length / 2
    if (needed > WAITING_BYTES_MAX || (this.#bytes.length === WAITING_BYTES_MAX && !isHalfWritten))
      return false
    const size = Math.max(needed, isHalfWritten ? this.#bytes.length : 2 * this.#bytes.length)
    this.#bytes = Buffer.alloc(Math.min(size, WAITING_BYTES_MAX))
    waiting.copy(this.#bytes)
    this.#report.end -= this.#start
    this.#end -= this.#start
    this.#start = 0
    return true
  }

  #flushIfDue(): void {
    if (this.#isBusy) return
    if (this.#end >= GROUP_BYTES) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), GROUP_MS)
  }

  /** Writes the waiting lines. Returns the error that prevents it, or undefined. */
  #writeWaiting(): unknown {
    const { descriptor, write = writeSync } = this.#options
    try {
      while (this.#start < this.#end) {
        this.#start += write(descriptor, this.#bytes, this.#start, this.#end - this.#start)
        this.#lastByteWritten = this.#bytes[this.#start - 1] ?? NEWLINE
        this.#retryMs = RETRY_MS_MIN
      }
    } catch (error) {
      return error
    }
    this.#clear()
  }

  /** Drops the waiting lines, and counts them as lost. */
  #drop(): void {
    // A line of which only the newline was not written is not lost: `#resume` ends it.
    const isOnlyEnd = this.#lastByteWritten !== NEWLINE && this.#bytes[this.#start] === NEWLINE
    let from = isOnlyEnd ? this.#start + 1 : this.#start
    if (from < this.#report.end) {
      this.#lost += this.#report.lost
      from = this.#report.end
    }
    this.#lost += countLines(this.#bytes.subarray(from, this.#end))
    this.#clear()
  }

  #clear(): void {
    if (this.#bytes.length > BUFFER_BYTES) this.#bytes = Buffer.alloc(BUFFER_BYTES)
    this.#start = 0
    this.#end = 0
    this.#report.end = 0
  }
}

/** Returns how many bytes a text has at most. For a short text, this saves the time to compute the exact number. */
function bytesMaxOf(text: string): number {
  const bytesMax = BYTES_PER_UNIT_MAX * text.length
  return bytesMax > GROUP_BYTES ? Buffer.byteLength(text) : bytesMax
}

function countLines(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if (byte === NEWLINE) count++
  return count
}
