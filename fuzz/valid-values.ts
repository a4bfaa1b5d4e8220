import { writeJson } from './json.ts'
import type { Random } from './random.ts'
import { receiverUrl } from './receiver.ts'
import { INT64_MAX, INT64_MIN, type Schema } from './schema.ts'
import { instants, randomText } from './texts.ts'

/** The maximum length of a text in code points, even if the limit of its schema is higher. */
const LENGTH_MAX = 2000
/** How far a small integer may be above the lowest one. */
const SMALL_SPAN = 5n

/** Integers that a program may round, wrap or truncate. Ids start at 1, and no run is long enough to reach these. */
const absentIds = [
  0n,
  -1n,
  2n ** 31n,
  2n ** 32n + 1n,
  2n ** 53n - 1n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  INT64_MAX,
  INT64_MAX - 1n,
  INT64_MIN,
] as const

/** The pattern of every text that a client may choose: no U+0000. */
const ANY_TEXT = '^[^\\x00]*$'
/** The pattern of a text that is either empty or has at least this length. */
const LONG_OR_EMPTY = '^([^\\x00]{2,})?$'
const LONG_MIN = 2

/** Returns an id within int64 that no resource of a run has. */
export function absentId(random: Random): bigint {
  return random.chance(0.5) ? random.pick(absentIds) : random.between(2n ** 40n, INT64_MAX)
}

export function validInteger(random: Random, { minimum, maximum, excluded }: Schema): bigint {
  const small = minimum > 1n ? minimum : 1n
  const value = random.chance(0.6)
    ? random.pick([small, random.between(small, small + SMALL_SPAN)])
    : random.pick([minimum, maximum, minimum + 1n, maximum - 1n, 0n, random.between(minimum, maximum)])
  const isGood = value >= minimum && value <= maximum && !excluded.includes(value)
  return isGood ? value : excluded.includes(maximum) ? minimum : maximum
}

export function validText(random: Random, schema: Schema): string {
  const { choices, format, pattern, example, lengthMax } = schema
  if (choices) return random.pick(choices)
  if (format === 'date-time') return random.pick(instants)
  if (format === 'uri') return `${receiverUrl()}/${random.below(1000)}`
  const mayBeEmpty = pattern?.source === LONG_OR_EMPTY
  if (mayBeEmpty && random.chance(0.1)) return ''
  const lengthMin = mayBeEmpty ? LONG_MIN : schema.lengthMin
  const isFree = format === undefined && (pattern === undefined || mayBeEmpty || pattern.source === ANY_TEXT)
  if (typeof example === 'string' && (!isFree || random.chance(0.1))) return example
  if (!isFree) throw new Error(`no text can be generated for ${format ?? pattern} without an example`)
  const longest = Math.min(lengthMax, LENGTH_MAX)
  const shorter = lengthMin + random.below(Math.min(longest - lengthMin + 1, 24))
  return randomText(
    random,
    random.pick([lengthMin, lengthMin + 1, longest, ...Array<number>(12).fill(shorter)]),
  )
}

/** Returns a value of the schema, as JSON text. */
export function validJson(random: Random, schema: Schema): string {
  if (schema.nullable && random.chance(0.1)) return 'null'
  switch (schema.type) {
    case 'boolean':
      return String(random.chance(0.5))
    case 'integer':
      return String(validInteger(random, schema))
    case 'string':
      return jsonText(random, validText(random, schema))
    case 'array':
      return `[${validElements(random, schema).join(',')}]`
    case 'object': {
      const isIncluded = (name: string): boolean => schema.required.includes(name) || random.chance(0.5)
      const members = [...schema.members].filter(([name]) => isIncluded(name))
      const pairs = members.map(([name, member]) => `${writeJson(name)}:${validJson(random, member)}`)
      return `{${pairs.join(',')}}`
    }
  }
}

/** Returns a value for the schema of a path or query parameter, as plain text. */
export function validParameter(random: Random, schema: Schema): string {
  switch (schema.type) {
    case 'boolean':
      return String(random.chance(0.5))
    case 'integer':
      return String(validInteger(random, schema))
    case 'string':
      return validText(random, schema)
    default:
      throw new Error(`a parameter cannot be of type ${schema.type}`)
  }
}

/** Returns an array length: usually the minimum or up to two more, sometimes the maximum. At most the minimum + 200. */
export function lengthOfArray(random: Random, { itemsMin, itemsMax }: Schema): number {
  const few = itemsMin + random.below(3)
  const length = random.chance(0.8) ? few : random.pick([itemsMin, itemsMax])
  return Math.min(length, itemsMax, itemsMin + 200)
}

/** Returns a JSON string in one of the possible notations. */
export function jsonText(random: Random, text: string): string {
  if (random.chance(0.9)) return writeJson(text)
  const escaped = Array.from(
    text.slice(0, 30),
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  // A text with surrogates is not escaped, because the cut at 30 units could split a pair.
  return /[\ud800-\udfff]/.test(text)
    ? writeJson(text)
    : `"${escaped.join('')}${writeJson(text.slice(30)).slice(1)}`
}

function validElements(random: Random, schema: Schema): string[] {
  const { items } = schema
  if (!items) throw new Error('an array does not define its elements')
  return Array.from({ length: lengthOfArray(random, schema) }, () => validJson(random, items))
}
