import { writeSync } from 'node:fs'

/** A group of lines is written when it is so long, or this old. */
const GROUP_CHARS = 65_536
const GROUP_MS = 100
/** Lines that wait for a reader who does not read, at most; what comes then is dropped. */
const WAITING_CHARS_MAX = 16 * 1024 * 1024

/** A destination of log lines that writes them in groups: a system call a line costs more than the request. */
export class LogStream {
  readonly #descriptor: number
  #waiting: string[] = []
  #chars = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  write(line: string): void {
    if (this.#chars > WAITING_CHARS_MAX) return
    this.#waiting.push(line)
    this.#chars += line.length
    if (this.#chars >= GROUP_CHARS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), GROUP_MS)
  }

  /** Writes what waits, as far as the descriptor takes it. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const bytes = Buffer.from(this.#waiting.join(''))
    this.#waiting = []
    this.#chars = 0
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error
      this.#waiting = [bytes.toString('utf8', written)]
      this.#chars = bytes.length - written
      this.#timer = setTimeout(() => this.flush(), GROUP_MS)
    }
  }
}
