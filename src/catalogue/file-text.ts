import { escapeControls } from '../values/control-characters.ts'
import { message } from '../values/message.ts'
import { foreignFormat } from './foreign-format.ts'

/** A file of an import. */
export interface CatalogueSource {
  /** The name for messages, without a directory. */
  readonly name: string
  /** Yields the bytes. Throws UnreadableFile if they cannot be read, or changed meanwhile. */
  chunks(): AsyncIterable<Uint8Array>
}

/** Thrown if a file is refused as a whole. The message is a sentence for the user. */
export class UnreadableFile extends Error {}

/** Thrown if only the columns of a file are not understood: a person may say what they are. */
export class UnclearColumns extends UnreadableFile {}

/** The number of bytes in which the format and the encoding of a file are recognized. */
const START_BYTES = 4096
const CHARS_SHOWN = 100
const MARK = '\ufeff'
/** The end of a text file in DOS (Ctrl-Z), which old tills still write. */
const DOS_END = '\u001a'

type EncodingLabel = ConstructorParameters<typeof TextDecoder>[0]
// Safe: the Encoding Standard, which the runtime and every browser follow, has this label. The types of Bun lack it.
const MAC_ROMAN = 'macintosh' as EncodingLabel
const ADVICE = message`save it as "CSV UTF-8", or with the encoding "Unicode (UTF-8)"`

/**
 * Decodes the bytes of a file and divides its text into lines, piece by piece. The file is in UTF-8 or UTF-16, with or
 * without a byte order mark. An 8-bit encoding is never guessed, because a wrong guess changes names silently.
 */
export class FileLines {
  readonly #name: string
  readonly #content: 'table' | 'text'
  readonly #lineCharsMax: number
  #start: Uint8Array = new Uint8Array()
  #decoder: TextDecoder | undefined
  #linesEnded = 0
  /** The text after the last line end. */
  #unended = ''
  /** The byte order mark of the file as text, or of the UTF-8 form of a file in UTF-16; otherwise empty. */
  mark = ''

  /** `content` is a text, such as a key, or a table, which people mistake other formats for. */
  constructor(name: string, content: 'table' | 'text', lineCharsMax = Number.POSITIVE_INFINITY) {
    this.#name = escapeControls(name)
    this.#content = content
    this.#lineCharsMax = lineCharsMax
  }

  /**
   * Returns the lines that the next bytes complete, with their line ends. Throws UnreadableFile if the file has another
   * format or encoding, or a line that is too long.
   */
  push(bytes: Uint8Array): string[] {
    if (this.#decoder) return this.#lines(this.#decode(this.#decoder, bytes, true), false)
    this.#start = joined(this.#start, bytes)
    return this.#start.length < START_BYTES ? [] : this.#lines(this.#decodeStart(true), false)
  }

  /** Returns the last lines. The last of them may have no line end. */
  end(): string[] {
    const text = this.#decoder
      ? this.#decode(this.#decoder, new Uint8Array(), false)
      : this.#decodeStart(false)
    return this.#lines(text, true)
  }

  #decodeStart(stream: boolean): string {
    const bytes = this.#start
    const foreign = this.#content === 'table' && foreignFormat(bytes.subarray(0, START_BYTES))
    if (foreign) throw new UnreadableFile(message`${this.#name} is ${foreign.name}: ${foreign.advice}.`)
    const encoding = encodingOf(bytes)
    this.#start = new Uint8Array()
    this.#decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
    const text = this.#decode(this.#decoder, bytes, stream)
    const hasMark = text.startsWith(MARK)
    if (hasMark || encoding !== 'utf-8') this.mark = MARK
    return hasMark ? text.slice(MARK.length) : text
  }

  #decode(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string {
    try {
      return decoder.decode(bytes, { stream })
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      if (String(decoder.encoding) !== 'utf-8')
        throw new UnreadableFile(message`${this.#name} is not valid UTF-16: ${ADVICE}.`)
      throw this.#notUtf8(joined(new TextEncoder().encode(this.#unended), bytes))
    }
  }

  /** Returns the error about the first line that is not in UTF-8, with its text in the encodings that it may have. */
  #notUtf8(bytes: Uint8Array): UnreadableFile {
    const lines = new TextDecoder('latin1').decode(bytes).split(/\r\n?|\n/)
    let from = 0
    let index = 0
    // Latin-1 has one character for each byte, so the lengths are numbers of bytes.
    for (const line of lines) {
      if (!isUtf8(bytes.subarray(from, from + line.length))) break
      from += line.length
      from += bytes[from] === 0x0d && bytes[from + 1] === 0x0a ? 2 : 1
      index++
    }
    const line = bytes.subarray(from, from + (lines[index]?.length ?? 0))
    const windows = specialCell(line, 'windows-1252')
    const readings = message`${windows} in Windows-1252, ${specialCell(line, MAC_ROMAN)} in Mac Roman`
    const place = `${this.#name}:${this.#linesEnded + index + 1}`
    return new UnreadableFile(
      message`${place}: the file is not in UTF-8 (this line has ${readings}): ${ADVICE}.`,
    )
  }

  #lines(text: string, isEnd: boolean): string[] {
    const read = this.#unended + text
    const all = isEnd && read.endsWith(DOS_END) ? read.slice(0, -DOS_END.length) : read
    // A CR at the end may be the first half of a CRLF.
    const complete = isEnd || !all.endsWith('\r') ? all : all.slice(0, -1)
    const to = Math.max(complete.lastIndexOf('\n'), complete.lastIndexOf('\r')) + 1
    const lines = linesOf(all.slice(0, to))
    this.#unended = all.slice(to)
    if (isEnd && this.#unended !== '') lines.push(this.#unended)
    const tooLong = lines.findIndex(
      line => line.length > this.#lineCharsMax && withoutLineEnd(line).length > this.#lineCharsMax,
    )
    if (tooLong >= 0) throw this.#tooLong(this.#linesEnded + tooLong + 1)
    this.#linesEnded += lines.length
    if (!isEnd && this.#unended.length > this.#lineCharsMax + 1) throw this.#tooLong(this.#linesEnded + 1)
    return lines
  }

  #tooLong(line: number): UnreadableFile {
    return new UnreadableFile(
      message`${this.#name}:${line}: the line has more than ${this.#lineCharsMax} characters`,
    )
  }
}

/** Returns the text of a whole file, without a byte order mark. Throws UnreadableFile like FileLines. */
export function textOfFile(name: string, bytes: Uint8Array, content: 'table' | 'text'): string {
  const lines = new FileLines(name, content)
  return [...lines.push(bytes), ...lines.end()].join('')
}

/**
 * Returns the encoding of a file. Without a byte order mark, UTF-16 is recognized by the zeros in its first two
 * characters: they are ASCII in each of our files, and no text contains U+0000.
 */
function encodingOf([first, second, third, fourth]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first && second === 0 && third && fourth === 0) return 'utf-16le'
  if (first === 0 && second && third === 0 && fourth) return 'utf-16be'
  return 'utf-8'
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Divides a text into its lines, with their line ends. The last line may have none. */
export function linesOf(text: string): string[] {
  const lines: string[] = []
  let from = 0
  for (const end of text.matchAll(/\r\n?|\n/g)) {
    const to = end.index + end[0].length
    lines.push(text.slice(from, to))
    from = to
  }
  if (from < text.length) lines.push(text.slice(from))
  return lines
}

/** Returns a line without its line end. */
export function withoutLineEnd(line: string): string {
  const ends = ['\r\n', '\n', '\r'].find(end => line.endsWith(end)) ?? ''
  return line.slice(0, line.length - ends.length)
}

/** Returns the first cell of a line that has a character above ASCII, as it is in an encoding, quoted. */
function specialCell(line: Uint8Array, encoding: EncodingLabel): string {
  const cells = new TextDecoder(encoding).decode(line).split(/[,;\t|"]/)
  const cell = cells.find(text => /[\u0080-\uffff]/.test(text)) ?? ''
  return escapeControls(JSON.stringify(cell.trim().slice(0, CHARS_SHOWN)))
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
