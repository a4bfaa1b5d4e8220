/** The log: each call writes one entry, in the chosen format. The field `error` is the text of an unexpected error. */
export interface Log {
  /** Writes an entry that is JSON text without a newline, or encodes such text. */
  access(entry: string | EncodedEntry): void
  info(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** An entry of the log that encodes its own text. It is not used after the call, so one object can be many entries. */
export interface EncodedEntry {
  /** The maximum length of the text, in bytes. */
  readonly bytesMax: number
  /** Writes the text, JSON without a newline in UTF-8, to `target` from `start`, and returns its end. Never throws. */
  encodeInto(target: Uint8Array, start: number): number
}

/** Returns the text of a thrown value, with its stack if it has one. */
export function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Returns the text of an entry of the log. */
export function entryText(entry: string | EncodedEntry): string {
  if (typeof entry === 'string') return entry
  const bytes = Buffer.alloc(entry.bytesMax)
  return bytes.toString('utf8', 0, entry.encodeInto(bytes, 0))
}
