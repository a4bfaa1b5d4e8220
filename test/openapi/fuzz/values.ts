import fc from 'fast-check'
import { INT64_MAX, INT64_MIN } from '../../../src/values/int64.ts'
import type { Schema } from './description.ts'

/** No generated text is longer, or exceeds a limit above this. */
const LENGTH_MAX = 2000
/** The patterns of texts that a client may choose freely, and of those that are empty or have two characters. */
const FREE = '^[^\\x00]*$'
const LONG_OR_EMPTY = '^([^\\x00]{2,})?$'

/** Code points that have caused problems in programs. Some combine with their neighbours. */
const troublesome =
  'aZ09 é\u0301ßİﬃ漢ש👩🏳𝕏\u200d\u202e\ufe0f\u{10ffff}\ufffd\uffff\ufeff\u2028\u0001\u007f\u0085\t\r\n"\'\\/%_+&=#;<>$'
/** Every character that UTF-8 can encode. The unit `binary` of fast-check fills a table with all of them in 2 s. */
const anyCodePoint = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter(point => point < 0xd800 || point > 0xdfff)
  .map(point => String.fromCodePoint(point), pointOf)
const codePoint = oftenFirst(fc.constantFrom(...troublesome), anyCodePoint)

/** Instants (RFC 3339) that programs often mishandle, and texts that are not instants. */
const instants = [
  ...'2026-12-01T09:30:00.123456789Z 2026-12-01T09:30:00+05:30 2026-12-01t09:30:00-00:00'.split(' '),
  ...'2000-02-29T00:00:00-12:00 0001-01-01T00:00:00Z 9999-12-31T23:59:59+23:59'.split(' '),
]
const brokenInstants = '2026-12-01 2026-12-01T09:30:00 2026-02-29T00:00:00Z 2026-12-01T24:00:00Z'.split(' ')
const brokenIntegers = '1.0 1e3 "" "12" true {} 9223372036854775808 -9223372036854775809'.split(' ')

/** Ids that no resource of a run has: integers that a program may round, wrap or truncate. */
export const absentId = fc.constantFrom(
  ...'0 -1 4294967297 9007199254740993 -9007199254740993 1234567890123456789'.split(' '),
  ...[INT64_MAX - 1n, INT64_MIN].map(String),
)

function oftenFirst<T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: rare })
}

/** Returns the only code point of a text. Throws if the value is not such a text. */
function pointOf(value: unknown): number {
  const point = typeof value === 'string' ? value.codePointAt(0) : undefined
  if (point === undefined || String.fromCodePoint(point) !== value) throw new Error('not one code point')
  return point
}

/** Returns the values of a schema, as JSON texts. The arrays are short. */
export function validJson(schema: Schema): fc.Arbitrary<string> {
  const { type, nullable, items, minItems: minLength } = schema
  const json = items
    ? fc.array(validJson(items), { minLength, maxLength: 3 }).map(list => `[${list}]`)
    : validText(schema).map(text => (type === 'string' ? JSON.stringify(text) : text))
  return nullable ? oftenFirst(json, fc.constant('null')) : json
}

/** Returns the values of a schema, as texts of a parameter. */
export function validText(schema: Schema): fc.Arbitrary<string> {
  const { type, enum: choices, format, pattern = FREE, example, minLength, maxLength } = schema
  if (type === 'boolean') return fc.constantFrom('true', 'false')
  if (type === 'integer') return integers(schema)
  if (choices) return fc.constantFrom(...choices)
  if (format === 'date-time') return fc.constantFrom(...instants)
  if (format !== undefined || (pattern !== FREE && pattern !== LONG_OR_EMPTY))
    return fc.constant(String(example))
  const least = pattern === LONG_OR_EMPTY ? 2 : minLength
  const most = Math.min(maxLength, LENGTH_MAX)
  const short = fc.string({ unit: codePoint, minLength: least, maxLength: Math.min(most, least + 16) })
  const longest = codePoint.map(point => point.repeat(most))
  return oftenFirst(short, longest).map(text => text.replaceAll('\0', 'o'))
}

function boundsOf({ minimum, maximum, format }: Schema): { min: bigint; max: bigint } {
  const max = maximum ?? (format === 'int32' ? 2 ** 31 - 1 : INT64_MAX)
  return { min: BigInt(minimum ?? (format === 'int32' ? -(2 ** 31) : INT64_MIN)), max: BigInt(max) }
}

function integers(schema: Schema): fc.Arbitrary<string> {
  const { min, max } = boundsOf(schema)
  const low = min > 1n ? min : 1n
  const small = fc.bigInt({ min: low, max: low + 5n > max ? max : low + 5n })
  const values = fc.oneof(small, fc.bigInt({ min, max }))
  return values.filter(value => !schema.not.enum.includes(Number(value))).map(String)
}

/** Returns well-formed JSON texts that violate a schema. */
export function invalidJson(schema: Schema): readonly string[] {
  const { type, nullable, not, minItems } = schema
  const wrong = ['{}', '[[]]', '1e400', ...(nullable ? [] : ['null'])]
  const { min, max } = boundsOf(schema)
  if (type === 'integer')
    return [...wrong, ...brokenIntegers, ...[min - 1n, max + 1n, ...not.enum].map(String)]
  if (type === 'string')
    return [...wrong, '12', 'true', ...invalidTexts(schema).map(text => JSON.stringify(text))]
  return [...wrong, '"true"', '0', ...(minItems > 0 ? ['[]'] : [])]
}

/** Returns texts of a path or query parameter that violate its schema. */
export function invalidTexts(schema: Schema): readonly string[] {
  const { type, enum: choices, format, minLength, maxLength } = schema
  if (type !== 'string') return [...invalidJson(schema), '', '１', ' 1', '+1', '01', '-0', 'TRUE']
  if (choices) return ['', 'nope', ...choices.flatMap(text => [text.toUpperCase(), ` ${text}`, `${text}s`])]
  if (format === 'date-time') return brokenInstants
  const tooLong = maxLength > LENGTH_MAX ? [] : ['a', '𝕏'].map(point => point.repeat(maxLength + 1))
  // The store refuses U+0000 in every text.
  return [...(minLength > 0 ? [''] : []), ...tooLong, 'a\0b']
}
