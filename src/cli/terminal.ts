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

/** Text of a file or of a store for a terminal: control characters and those that turn text around are escaped. */
export function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
