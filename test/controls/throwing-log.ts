import type { LogStream, LogStreamOptions } from '../../src/cli/log-stream.ts'

/** Broken on purpose: a log whose `flush` throws if a write fails. */
export class ThrowingLog implements Pick<LogStream, 'write' | 'flush'> {
  readonly #options: LogStreamOptions
  #waiting: string[] = []

  constructor(options: LogStreamOptions) {
    this.#options = options
  }

  write(line: string): void {
    this.#waiting.push(line)
  }

  flush(): void {
    const bytes = Buffer.from(this.#waiting.splice(0).join(''))
    let written = 0
    while (written < bytes.length) {
      written += this.#options.write?.(this.#options.descriptor, bytes, written, bytes.length - written) ?? 0
    }
  }
}
