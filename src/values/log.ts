/** The log: each call writes one entry, in the chosen format. The field `error` is the text of an unexpected error. */
export interface Log {
  /** Writes an entry, which is JSON text without a newline. */
  access(entry: string): void
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Returns the text of a thrown value, with its stack if it has one. */
export function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
