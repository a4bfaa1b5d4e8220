import { Readable } from 'node:stream'
import { parse } from 'csv-parse'

/** Broken on purpose: reads a CSV text without a limit per record. Returns the number of characters that it read. */
export async function readWithoutBound(text: string): Promise<number> {
  let read = 0
  const pieces = function* (): Generator<string> {
    for (let from = 0; from < text.length; from += 65_536) {
      const piece = text.slice(from, from + 65_536)
      read += piece.length
      yield piece
    }
  }
  const parser = Readable.from(pieces()).pipe(parse({ relaxColumnCount: true, relaxQuotes: true }))
  try {
    for await (const _ of parser);
  } catch {
    // A quote that is never closed is detected only at the end.
  }
  return read
}
