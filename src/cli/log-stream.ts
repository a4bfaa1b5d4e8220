import { writeSync } from 'node:fs'
import { hasCode } from '../engine/system-error.ts'
import type { DeferredEntry } from '../store/open.ts'

/**
 * A group of lines is written when it reaches this length, or the age GROUP_MS. All requests wait while the texts of a
 * group are made and written, so it is not larger.
 */
const GROUP_CHARS = 16_384
const GROUP_MS = 100
/** The maximum length of the lines that wait for a slow reader; further lines are dropped. */
const WAITING_CHARS_MAX = 16 * 1024 * 1024
/** The pause before the next write to a full pipe. It doubles up to GROUP_MS while the reader reads nothing. */
const RETRY_MS_MIN = 1
/** The maximum time that `end` waits for a slow reader. */
const END_MS = 500
const NEWLINE = 10

export interface LogStreamOptions {
  readonly descriptor: number
  /** Returns the line that reports how many lines were lost, with its line end. */
  readonly lossLine: (lost: number) => string
  /** Like writeSync of node:fs: returns the number of bytes written. */
  readonly write?: (descriptor: number, bytes: Uint8Array, offset: number) => number
}

/** Lines that are being written. */
interface Group {
  readonly bytes: Uint8Array
  /** The length of the report at the start of `bytes`, and the number of lost lines that it reports. */
  readonly reportBytes: number
  readonly reported: number
  /** The number of bytes that were written. */
  written: number
}

/**
 * Writes log lines in groups, because a system call for each line costs more than the request. Lines that cannot be
 * written are dropped and counted, and the count is logged once writing works again. Never throws, because a full disk
 * or a closed reader must not stop the store.
 */
export class LogStream {
  readonly #options: LogStreamOptions
  /** Lines with their line end, and entries that become a line without one. */
  #waiting: (string | DeferredEntry)[] = []
  #chars = 0
  /** The group that a slow reader has not read to its end. Further lines wait, so that a retry copies nothing. */
  #group: Group | undefined
  #retryMs = RETRY_MS_MIN
  #lost = 0
  /** Whether the last line was written only in part. */
  #isTorn = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: LogStreamOptions) {
    this.#options = options
  }

  /** Writes a line, which has its line end. */
  write(line: string): void {
    this.#add(line, line.length)
  }

  /**
   * Writes a line whose text is made with the others of its group, when the code that makes it is in the caches of the
   * CPU.
   */
  defer(entry: DeferredEntry): void {
    this.#add(entry, entry.chars)
  }

  #add(line: string | DeferredEntry, chars: number): void {
    const unwritten = this.#group ? this.#group.bytes.length - this.#group.written : 0
    if (this.#chars + unwritten > WAITING_CHARS_MAX) {
      this.#lost++
      return
    }
    this.#waiting.push(line)
    this.#chars += chars
    if (this.#chars >= GROUP_CHARS && !this.#group) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), GROUP_MS)
  }

  /** Writes the waiting lines, as far as the descriptor accepts them, and the rest later. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (;;) {
      this.#group ??= this.#nextGroup()
      if (!this.#group) return
      const { written } = this.#group
      const error = this.#put(this.#group)
      if (this.#group.written > written) this.#retryMs = RETRY_MS_MIN
      if (isBusy(error)) {
        this.#timer = setTimeout(() => this.flush(), this.#retryMs)
        this.#retryMs = Math.min(2 * this.#retryMs, GROUP_MS)
        return
      }
      if (error === undefined) this.#isTorn = false
      else this.#drop(this.#group)
      this.#group = undefined
      // The report of the lost lines waits for the next line. Otherwise, this loop would not end on a full disk.
      if (error !== undefined && this.#waiting.length === 0) return
    }
  }

  /**
   * Writes the waiting lines before the process ends. Blocks the process while a slow reader reads them, up to END_MS.
   * Returns the number of lines that were lost and not reported.
   */
  end(): number {
    const untilMs = performance.now() + END_MS
    this.flush()
    while (this.#group && performance.now() < untilMs) {
      Bun.sleepSync(this.#retryMs)
      this.flush()
    }
    clearTimeout(this.#timer)
    if (this.#group) this.#drop(this.#group)
    this.#group = undefined
    return this.#waiting.reduce((sum, line) => sum + countLines(Buffer.from(lineText(line))), this.#lost)
  }

  /** Removes the first waiting lines, up to GROUP_CHARS, and returns them as a group; undefined if no line waits. */
  #nextGroup(): Group | undefined {
    const report = (this.#isTorn ? '\n' : '') + (this.#lost > 0 ? this.#options.lossLine(this.#lost) : '')
    let lines = ''
    let count = 0
    while (count < this.#waiting.length && lines.length < GROUP_CHARS) {
      const line = this.#waiting[count++]
      if (line === undefined) break
      this.#chars -= typeof line === 'string' ? line.length : line.chars
      lines += lineText(line)
    }
    this.#waiting = count < this.#waiting.length ? this.#waiting.slice(count) : []
    if (report === '' && lines === '') return undefined
    const reported = this.#lost
    this.#lost = 0
    return {
      bytes: Buffer.from(report + lines),
      reportBytes: Buffer.byteLength(report),
      reported,
      written: 0,
    }
  }

  /** Writes the rest of a group. Returns the error that prevents it, or undefined. */
  #put(group: Group): unknown {
    const { descriptor, write = writeSync } = this.#options
    try {
      while (group.written < group.bytes.length)
        group.written += write(descriptor, group.bytes, group.written)
      return undefined
    } catch (error) {
      return error
    }
  }

  /** Counts the lines of a group that were not written, or only in part. */
  #drop({ bytes, written, reportBytes, reported }: Group): void {
    if (written > 0) this.#isTorn = bytes[written - 1] !== NEWLINE
    // A line that lacks only its newline is not lost: the next group begins with a newline.
    const lostFrom = this.#isTorn && written > 0 && bytes[written] === NEWLINE ? written + 1 : written
    if (lostFrom < reportBytes) this.#lost += reported
    this.#lost += countLines(bytes.subarray(Math.max(lostFrom, reportBytes)))
  }
}

function lineText(line: string | DeferredEntry): string {
  return typeof line === 'string' ? line : `${line.text()}\n`
}

/** Returns whether a write failed only because the reader of a pipe is slow: it may read the rest later. */
function isBusy(error: unknown): boolean {
  return hasCode(error, 'EAGAIN')
}

function countLines(bytes: Uint8Array): number {
  let count = 0
  for (const byte of bytes) if (byte === NEWLINE) count++
  return count
}
