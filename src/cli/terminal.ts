/** Ends a command in order: one clear sentence on standard error, and this exit status. */
export class CommandFailed extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Writes a line for a person; standard output is for what programs read. A closed standard error is no failure. */
export function say(line: string): void {
  try {
    process.stderr.write(`${line}\n`)
  } catch {
    // Nobody can be told.
  }
}

/** The message of an error, without its full stop: it goes into a sentence. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
}
