import { writeJson } from '../src/model/json.ts'
import type { Random } from './random.ts'
import { receiverUrl } from './receiver.ts'
import { INT64_MAX, INT64_MIN, type Schema } from './schema.ts'
import { instants, textOf } from './texts.ts'

/** Where a bound is far off, texts are rarely made so long. */
const LENGTH_MAX = 2000
const SMALL_MAX = 5n

/** Integers that a program may round, wrap or cut; all far from the small ids that a store gives. */
const absent = [
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

/** An id in the bounds of int64 that no resource has: ids are given in order, from 1. */
export function absentId(random: Random): bigint {
  return random.chance(0.5) ? random.pick(absent) : random.between(2n ** 40n, INT64_MAX)
}

export function validInteger(random: Random, { minimum, maximum, excluded }: Schema): bigint {
  const small = minimum > 1n ? minimum : 1n
  const value = random.chance(0.6)
    ? random.pick([small, random.between(small, small + SMALL_MAX)])
    : random.pick([minimum, maximum, minimum + 1n, maximum - 1n, 0n, random.between(minimum, maximum)])
  const isGood = value >= minimum && value <= maximum && !excluded.includes(value)
  return isGood ? value : excluded.includes(maximum) ? minimum : maximum
}

export function validText(random: Random, schema: Schema): string {
  const { choices, format, pattern, example, lengthMin, lengthMax } = schema
  if (choices) return random.pick(choices)
  if (format === 'date-time') return random.pick(instants)
  if (format === 'uri') return `${receiverUrl()}/${random.below(1000)}`
  if (typeof example === 'string' && (pattern || format || random.chance(0.1))) return example
  if (pattern || format) throw new Error(`no text can be made for ${format ?? pattern} without an example`)
  const longest = Math.min(lengthMax, LENGTH_MAX)
  const shorter = lengthMin + random.below(Math.min(longest - lengthMin + 1, 24))
  return textOf(random, random.pick([lengthMin, lengthMin + 1, longest, ...Array<number>(12).fill(shorter)]))
}

/** A value of the schema, as JSON text. */
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
      const isIn = (name: string): boolean => schema.required.includes(name) || random.chance(0.5)
      const members = [...schema.members].filter(([name]) => isIn(name))
      const pairs = members.map(([name, member]) => `${writeJson(name)}:${validJson(random, member)}`)
      return `{${pairs.join(',')}}`
    }
  }
}

/** A value of a path or query parameter's schema, as plain text. */
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

/** How many elements an array may well have: the fewest, the most, or a few. */
export function lengthOfArray(random: Random, { itemsMin, itemsMax }: Schema): number {
  const few = itemsMin + random.below(3)
  const length = random.chance(0.8) ? few : random.pick([itemsMin, itemsMax])
  return Math.min(length, itemsMax, itemsMin + 200)
}

/** A string of JSON in one of the spellings that JSON has for it. */
export function jsonText(random: Random, text: string): string {
  if (random.chance(0.9)) return writeJson(text)
  const escaped = Array.from(
    text.slice(0, 30),
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  // Only the units of the BMP stand alone; a text with others is written as it is.
  return /[\ud800-\udfff]/.test(text)
    ? writeJson(text)
    : `"${escaped.join('')}${writeJson(text.slice(30)).slice(1)}`
}

function validElements(random: Random, schema: Schema): string[] {
  const { items } = schema
  if (!items) throw new Error('an array does not say what it holds')
  return Array.from({ length: lengthOfArray(random, schema) }, () => validJson(random, items))
}
