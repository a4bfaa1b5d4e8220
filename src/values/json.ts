/** A parsed JSON text: integers are exact bigints, every other number is a finite JavaScript number. */
export type JsonValue = null | boolean | string | bigint | number | JsonValue[] | JsonObject
interface JsonObject {
  [member: string]: JsonValue
}

/** JSON text that `writeJson` copies unchanged, such as stored output of an earlier `writeJson`. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The maximum number of nested levels. No body of the contract needs more than a few. */
export const JSON_DEPTH_MAX = 32

/** The maximum number of member names whose quoted form is cached. */
const QUOTED_NAMES_MAX = 1000

/** An integer with more characters is far outside int64, so its remaining digits are not parsed. */
const INTEGER_CHARS_MAX = 40

/** Thrown if a text is not JSON, or is JSON that this stricter parser does not accept. */
export class JsonSyntaxError extends Error {
  /** What is wrong, as a part of a sentence. */
  readonly found: string
  /** The index of the character at which the text is wrong. */
  readonly at: number
  /** Whether the text is rejected only because it is nested too deep. */
  readonly isTooDeep: boolean

  constructor(found: string, at: number, isTooDeep = false) {
    super(`The text is not JSON: ${found}, at character ${at}.`)
    this.name = 'JsonSyntaxError'
    this.found = found
    this.at = at
    this.isTooDeep = isTooDeep
  }
}

/**
 * Returns the value in one JSON text (RFC 8259). Throws JsonSyntaxError for any other text. The parser is stricter than
 * JSON.parse: a duplicate member, a lone surrogate and more than 32 levels are also rejected.
 *
 * `prototype` is the prototype of every object. Without a prototype, an object has only the members of the text.
 */
export function parseJson(text: string, prototype: object | null = null): JsonValue {
  const parser = new JsonParser(text, prototype)
  const value = parser.value(0)
  parser.end()
  return value
}

/**
 * Returns a value as compact JSON: bigints as exact integers, without undefined members. Throws for a value that JSON
 * cannot represent, such as NaN or a function.
 */
export function writeJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value)
    case 'bigint':
    case 'boolean':
      return String(value)
    case 'number':
      if (!Number.isFinite(value)) throw new Error('JSON cannot represent a number that is not finite')
      return String(value)
    case 'object':
      if (value === null) return 'null'
      if (value instanceof JsonText) return value.text
      if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`
      // Safe: every object can be read by the names of its own members.
      return writeObject(value as Readonly<Record<string, unknown>>)
    default:
      throw new Error(`JSON cannot represent a value of type ${typeof value}`)
  }
}

/** Printable ASCII without the two characters that JSON escapes. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/

/** Returns a text as a JSON string. Most texts are plain, and the check is cheaper than JSON.stringify. */
export function quoted(text: string): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text)
}

function writeObject(value: Readonly<Record<string, unknown>>): string {
  let text = ''
  // Object.entries would create an array for each member, which costs as much as writing the member.
  for (const name of Object.keys(value)) {
    const member = value[name]
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${memberName(name)}${writeJson(member)}`
  }
  return `{${text}}`
}

const quotedNames = new Map<string, string>()

/**
 * Returns a name in quotes, with a colon. Up to QUOTED_NAMES_MAX texts are cached, because most members have one of a
 * few names.
 */
function memberName(name: string): string {
  const known = quotedNames.get(name)
  if (known !== undefined) return known
  const text = `${JSON.stringify(name)}:`
  if (quotedNames.size < QUOTED_NAMES_MAX) quotedNames.set(name, text)
  return text
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y
/**
 * The maximum number of digits of an integer that is read without a regular expression. A JavaScript number holds every
 * such integer exactly.
 */
const SHORT_INTEGER_DIGITS_MAX = 15
const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const ZERO = 0x30
const BACKSLASH = 0x5c
const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

function defineMember(object: JsonObject, name: string, value: JsonValue): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
}

class JsonParser {
  #at = 0
  readonly #text: string
  readonly #prototype: object | null

  constructor(text: string, prototype: object | null) {
    this.#text = text
    this.#prototype = prototype
    if (text.charCodeAt(0) === 0xfeff) throw this.#error('unexpected byte order mark')
    this.#skipWhitespace()
  }

  end(): void {
    if (this.#at < this.#text.length) throw this.#error('unexpected text after the value')
  }

  value(depth: number): JsonValue {
    const value = this.#parseValue(depth)
    this.#skipWhitespace()
    return value
  }

  #parseValue(depth: number): JsonValue {
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(depth)
      case '[':
        return this.#array(depth)
      case '"':
        return this.#string()
      case 't':
        return this.#word('true', true)
      case 'f':
        return this.#word('false', false)
      case 'n':
        return this.#word('null', null)
      case undefined:
        throw this.#error('unexpected end of the text')
      default:
        return this.#number()
    }
  }

  #object(depth: number): JsonObject {
    this.#refuseDepth(depth)
    const object: JsonObject = Object.create(this.#prototype)
    this.#step()
    if (this.#accept('}')) return object
    do {
      if (this.#text[this.#at] !== '"') throw this.#error('a member name in double quotes is expected')
      const name = this.#string()
      this.#skipWhitespace()
      if (Object.hasOwn(object, name)) throw this.#error(`a duplicate member ${JSON.stringify(name)}`)
      if (!this.#accept(':')) throw this.#error('a colon is expected after a member name')
      const member = this.value(depth + 1)
      // An assignment to this name would replace the prototype of an object that has one.
      if (name === '__proto__') defineMember(object, name, member)
      else object[name] = member
    } while (this.#accept(','))
    if (!this.#accept('}')) throw this.#error('a comma or a closing brace is expected after a member')
    return object
  }

  #array(depth: number): JsonValue[] {
    this.#refuseDepth(depth)
    const array: JsonValue[] = []
    this.#step()
    if (this.#accept(']')) return array
    do {
      array.push(this.value(depth + 1))
    } while (this.#accept(','))
    if (!this.#accept(']')) throw this.#error('a comma or a closing bracket is expected after an element')
    return array
  }

  #string(): string {
    const value = this.#plain() ?? this.#escaped()
    if (!value.isWellFormed()) throw this.#error('a lone surrogate in a string')
    return value
  }

  /** Returns a string without escapes, the usual case; undefined, without reading anything, for any other string. */
  #plain(): string | undefined {
    const start = this.#at + 1
    let end = start
    for (;;) {
      const code = this.#text.charCodeAt(end)
      if (code === QUOTE) break
      // The end of the text has no code: NaN.
      if (!(code >= SPACE) || code === BACKSLASH) return undefined
      end++
    }
    this.#at = end + 1
    return this.#text.slice(start, end)
  }

  #escaped(): string {
    let value = ''
    this.#at++
    for (;;) {
      const char = this.#text[this.#at++]
      if (char === undefined) throw this.#error('an unterminated string')
      if (char === '"') return value
      if (char < ' ') throw this.#error('a control character in a string')
      value += char === '\\' ? this.#escape() : char
    }
  }

  #escape(): string {
    const char = this.#text[this.#at++] ?? ''
    const plain = ESCAPES[char]
    if (plain !== undefined) return plain
    const digits = this.#text.slice(this.#at, this.#at + 4)
    if (char !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) throw this.#error('an invalid escape sequence')
    this.#at += 4
    return String.fromCharCode(Number.parseInt(digits, 16))
  }

  #number(): bigint | number {
    return this.#shortInteger() ?? this.#anyNumber()
  }

  /** Returns an integer of a few digits, the usual case; undefined, without reading anything, for any other number. */
  #shortInteger(): bigint | undefined {
    let end = this.#at
    let value = 0
    for (;;) {
      const digit = this.#text.charCodeAt(end) - ZERO
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
      end++
    }
    const digits = end - this.#at
    const hasLeadingZero = digits > 1 && this.#text[this.#at] === '0'
    if (digits === 0 || digits > SHORT_INTEGER_DIGITS_MAX || hasLeadingZero) return undefined
    const next = this.#text[end]
    if (next === '.' || next === 'e' || next === 'E') return undefined
    this.#at = end
    return BigInt(value)
  }

  #anyNumber(): bigint | number {
    NUMBER.lastIndex = this.#at
    const match = NUMBER.exec(this.#text)
    if (!match) throw this.#error('an invalid value')
    const [literal, fraction, exponent] = match
    this.#at += literal.length
    // JSON has no infinity, so a number beyond the range becomes the nearest one that can be written again.
    if (fraction !== undefined || exponent !== undefined)
      return Math.max(-Number.MAX_VALUE, Math.min(Number(literal), Number.MAX_VALUE))
    return BigInt(literal.slice(0, INTEGER_CHARS_MAX))
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#error('an invalid value')
    this.#at += word.length
    return value
  }

  #refuseDepth(depth: number): void {
    if (depth < JSON_DEPTH_MAX) return
    throw new JsonSyntaxError(`it is nested deeper than ${JSON_DEPTH_MAX} levels`, this.#at, true)
  }

  #accept(char: string): boolean {
    if (this.#text[this.#at] !== char) return false
    this.#step()
    return true
  }

  #step(): void {
    this.#at++
    this.#skipWhitespace()
  }

  #skipWhitespace(): void {
    while (isWhitespace(this.#text.charCodeAt(this.#at))) this.#at++
  }

  #error(found: string): JsonSyntaxError {
    return new JsonSyntaxError(found, this.#at)
  }
}

function isWhitespace(code: number): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB
}
