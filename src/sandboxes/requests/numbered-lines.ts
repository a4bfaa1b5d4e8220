import { type FileHandle, open } from 'node:fs/promises'

/** A line of JSON in a file: the number of its entry, and its place in bytes, without the line end. */
export interface NumberedLine {
  readonly number: number
  readonly from: number
  readonly to: number
}

/** The start and the end of a line that was written completely: a kill of the process can leave part of a line. */
const LINE_START = /^{"number":(\d{1,15}),/
const LINE_START_BYTES = 32
const LINE_END = '}'.charCodeAt(0)
const NEWLINE = 0x0a
const READ_BYTES = 256 * 1024
/** The maximum number of bytes of one read of lines, unless one line is longer. */
const SPAN_BYTES_MAX = 32 * 1024

/** Returns the complete lines of a file, in their order. An absent file has none. */
export async function findLines(file: string): Promise<NumberedLine[]> {
  const handle = await open(file).catch(() => undefined)
  if (!handle) return []
  try {
    const lines: NumberedLine[] = []
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    let from = 0
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, from)
      const bytes = buffer.subarray(0, bytesRead)
      let start = 0
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        const number = numberOf(bytes.subarray(start, end))
        if (number !== undefined) lines.push({ number, from: from + start, to: from + end })
        start = end + 1
      }
      // A line that is longer than the buffer is not an entry of a log.
      const read = start === 0 ? bytesRead : start
      if (read === 0) return lines
      from += read
    }
  } finally {
    await handle.close()
  }
}

/** Returns the number of the entry in a line; undefined if the line is incomplete. */
function numberOf(line: Buffer): number | undefined {
  const start = LINE_START.exec(line.toString('latin1', 0, LINE_START_BYTES))
  return start && line.at(-1) === LINE_END ? Number(start[1]) : undefined
}

/**
 * Splits lines of one file into spans that are read at once. The lines follow each other in the file, from the first to
 * the last or from the last to the first.
 */
export function spansOf(lines: readonly NumberedLine[]): NumberedLine[][] {
  const spans: NumberedLine[][] = []
  // The first line starts a span.
  let bytes = SPAN_BYTES_MAX
  for (const line of lines) {
    const length = line.to - line.from
    bytes += length
    if (bytes <= SPAN_BYTES_MAX) spans.at(-1)?.push(line)
    else {
      spans.push([line])
      bytes = length
    }
  }
  return spans
}

/** Reads the lines of a span, as pairs of a number and a text in UTF-8. Throws if the file is shorter. */
export async function readSpan(
  handle: FileHandle,
  lines: readonly NumberedLine[],
): Promise<[number: number, text: Uint8Array][]> {
  const from = Math.min(...lines.map(line => line.from))
  const length = Math.max(...lines.map(line => line.to)) - from
  const buffer = Buffer.allocUnsafe(length)
  const { bytesRead } = await handle.read(buffer, 0, length, from)
  if (bytesRead < length) throw new Error('a file of the request log was truncated')
  return lines.map(line => [line.number, buffer.subarray(line.from - from, line.to - from)])
}
