import { writeJson } from './json.ts'
import type { Random } from './random.ts'
import { INT64_MAX, INT64_MIN, type Schema } from './schema.ts'
import { brokenInstants } from './texts.ts'

/** No generated text exceeds a `lengthMax` above this value, because the text would be too large. */
const EXCEEDED_LENGTH_MAX = 4000

/** Returns a value that violates a schema of a body, as well-formed JSON text. */
export function invalidJson(random: Random, schema: Schema): string {
  const wrong = ['[]', '{}', ...(schema.nullable ? [] : ['null'])]
  switch (schema.type) {
    case 'boolean':
      return random.pick([...wrong, '"true"', '0', '1', '""'])
    case 'integer':
      return random.pick([...wrong, ...brokenIntegers, ...beyondBounds(schema)])
    case 'string':
      return random.pick([...wrong, '12', 'true', '0.5', ...brokenTexts(schema).map(writeJson)])
    case 'array':
      return random.pick([...wrong.slice(1), '"x"', '1', 'true', ...brokenArrays(random, schema)])
    case 'object':
      return random.pick([...wrong.filter(text => text !== '{}'), '"x"', '1', 'true'])
  }
}

/** Returns a text that violates the schema of a path or query parameter. Throws if `canBreak` is false. */
export function invalidParameter(random: Random, schema: Schema): string {
  switch (schema.type) {
    case 'boolean':
      return random.pick(['', 'TRUE', 'yes', '1', 'null', ' true', 'true,false'])
    case 'integer':
      return random.pick([...brokenNumerals, ...beyondBounds(schema)])
    case 'string':
      return random.pick(brokenTexts(schema))
    default:
      throw new Error(`a parameter cannot be of type ${schema.type}`)
  }
}

/** Returns whether `invalidParameter` has a text that violates the schema. */
export function canBreak({ type }: Schema): boolean {
  return type === 'boolean' || type === 'integer' || type === 'string'
}

const brokenIntegers = [
  '1.0',
  '1.5',
  '1e3',
  '1E0',
  '-0.0',
  '1e400',
  '"12"',
  '""',
  'true',
  '[1]',
  String(INT64_MAX + 1n),
  String(INT64_MIN - 1n),
  String(2n ** 64n + 1n),
  '9'.repeat(60),
]

const brokenNumerals = [
  '',
  'abc',
  '+1',
  '01',
  '-0',
  '1.0',
  '1e3',
  '0x10',
  ' 1',
  '1 ',
  '1_000',
  '--1',
  '1,2',
  'NaN',
  'null',
  '１',
  '٣',
  '1\n',
  String(INT64_MAX + 1n),
  String(INT64_MIN - 1n),
  '9'.repeat(60),
]

function beyondBounds({ minimum, maximum, excluded }: Schema): string[] {
  return [minimum - 1n, maximum + 1n, ...excluded].map(String)
}

/** Returns well-formed texts that violate the schema of a string. */
function brokenTexts({ choices, format, lengthMin, lengthMax }: Schema): string[] {
  if (choices)
    return ['', 'nope', ...choices.flatMap(choice => [choice.toUpperCase(), ` ${choice}`, `${choice}s`])]
  if (format === 'date-time') return [...brokenInstants]
  const tooLong =
    lengthMax <= EXCEEDED_LENGTH_MAX ? ['a'.repeat(lengthMax + 1), '𝕏'.repeat(lengthMax + 1)] : []
  // The service refuses U+0000 in every string, although no schema forbids it.
  return [...(lengthMin > 0 ? [''] : []), ...tooLong, '\0', 'a\0b']
}

function brokenArrays(random: Random, { items, itemsMin, itemsMax }: Schema): string[] {
  if (!items) return []
  const good = writeJson(items.choices?.[0] ?? '1')
  const tooMany = itemsMax < 1000 ? [`[${Array(itemsMax + 1).fill(good)}]`] : []
  return [...(itemsMin > 0 ? ['[]'] : []), ...tooMany, `[${good},${invalidJson(random, items)}]`]
}
