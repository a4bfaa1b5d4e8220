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
const NEWLINE = 10

export interface LogStreamOptions {
  readonly descriptor: number
  /** Returns the line that reports how many lines were lost, with its line end. */
  readonly lossLine: (lost: number) => string
  /** Like writeSync of node:fs: returns the number of bytes written. */
  readonly write?: (descriptor: number, bytes: Uint8Array, offset: number) => number
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
  /** The part of an earlier group that a slow reader has not read. */
  #unwritten: Uint8Array = new Uint8Array()
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
    if (this.#chars + this.#unwritten.length > WAITING_CHARS_MAX) {
      this.#lost++
      return
    }
    this.#waiting.push(line)
    this.#chars += chars
    if (this.#chars >= GROUP_CHARS && this.#unwritten.length === 0) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), GROUP_MS)
  }

  /** Writes the waiting lines, as far as the descriptor accepts them. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const report = (this.#isTorn ? '\n' : '') + (this.#lost > 0 ? this.#options.lossLine(this.#lost) : '')
    const head = Buffer.concat([this.#unwritten, Buffer.from(report)])
    let texts = ''
    for (const line of this.#waiting) texts += typeof line === 'string' ? line : `${line.text()}\n`
    const lines = Buffer.from(texts)
    const bytes = head.length === 0 ? lines : Buffer.concat([head, lines])
    this.#waiting = []
    this.#chars = 0
    this.#unwritten = new Uint8Array()
    const { written, error } = this.#put(bytes)
    if (isBusy(error)) {
      this.#unwritten = bytes.subarray(written)
      this.#timer = setTimeout(() => this.flush(), GROUP_MS)
    }
    if (error === undefined || isBusy(error)) {
      this.#lost = 0
      this.#isTorn = false
      return
    }
    this.#lost =
      written < head.length
        ? this.#lost + countLines(bytes.subarray(head.length))
        : countLines(bytes.subarray(written))
    if (written > 0) this.#isTorn = bytes[written - 1] !== NEWLINE
  }

  #put(bytes: Uint8Array): { written: number; error?: unknown } {
    const { descriptor, write = writeSync } = this.#options
    let written = 0
    try {
      while (written < bytes.length) written += write(descriptor, bytes, written)
      return { written }
    } catch (error) {
      return { written, error }
    }
  }
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
