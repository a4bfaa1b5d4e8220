import { instantMs, isDate } from './instant.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { Schema } from './schema.ts'

/**
 * Returns the faults of a parsed JSON value under a schema, each with its pointer. Pointers have `*` in place of the
 * index of an element, so that the same fault in a hundred elements has one text.
 */
export function validate(schema: Schema, value: JsonValue, pointer = ''): string[] {
  if (value === null) return schema.nullable ? [] : [`${pointer || '/'} is null`]
  if (schema.oneOf.length > 0) {
    const isMatch = schema.oneOf.some(choice => validate(choice, value).length === 0)
    return isMatch ? [] : [`${pointer || '/'} matches no schema of its oneOf`]
  }
  switch (schema.type) {
    case 'boolean':
      return typeof value === 'boolean' ? [] : [wrongType(schema, pointer)]
    case 'integer':
      return typeof value === 'bigint' ? integerFaults(schema, value, pointer) : [wrongType(schema, pointer)]
    case 'string':
      return typeof value === 'string' ? stringFaults(schema, value, pointer) : [wrongType(schema, pointer)]
    case 'array':
      return Array.isArray(value) ? arrayFaults(schema, value, pointer) : [wrongType(schema, pointer)]
    case 'object':
      return isObject(value) ? objectFaults(schema, value, pointer) : [wrongType(schema, pointer)]
  }
}

/** Returns whether a value is a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns the value of a header field, converted from text to the type of its schema. A text that does not represent a
 * value of that type is returned unchanged.
 */
export function valueOfText(schema: Schema, text: string): JsonValue {
  if (schema.type === 'integer') return /^(?:0|-?[1-9][0-9]{0,30})$/.test(text) ? BigInt(text) : text
  if (schema.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

/** Returns the length of a text in code points. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

function wrongType({ type }: Schema, pointer: string): string {
  return `${pointer || '/'} is not of type ${type}`
}

function integerFaults({ minimum, maximum, excluded }: Schema, value: bigint, pointer: string): string[] {
  const isInRange = value >= minimum && value <= maximum && !excluded.includes(value)
  return isInRange ? [] : [`${pointer || '/'} is out of bounds`]
}

function stringFaults(schema: Schema, value: string, pointer: string): string[] {
  const { choices, pattern, lengthMin, lengthMax } = schema
  const faults: string[] = []
  const length = lengthOf(value)
  if (length < lengthMin) faults.push('is too short')
  if (length > lengthMax) faults.push('is too long')
  if (choices && !choices.includes(value)) faults.push('is not in the enum')
  if (pattern && !pattern.test(value)) faults.push('does not match the pattern')
  if (!isOfFormat(schema, value)) faults.push(`is not of format ${schema.format}`)
  return faults.map(fault => `${pointer || '/'} ${fault}`)
}

function isOfFormat({ format }: Schema, value: string): boolean {
  if (format === 'date-time') return instantMs(value) !== undefined
  if (format === 'date') return isDate(value)
  if (format === 'uri') return URL.canParse(value)
  return format !== 'uri-reference' || URL.canParse(value, 'http://127.0.0.1')
}

function arrayFaults({ items, itemsMin, itemsMax }: Schema, value: JsonValue[], pointer: string): string[] {
  const faults: string[] = []
  if (value.length < itemsMin) faults.push(`${pointer || '/'} has too few elements`)
  if (value.length > itemsMax) faults.push(`${pointer || '/'} has too many elements`)
  if (items) faults.push(...value.flatMap(element => validate(items, element, `${pointer}/*`)))
  return faults.length > 1 ? [...new Set(faults)] : faults
}

/**
 * Returns the faults of an object. An unknown member is a fault: clients must accept unknown members, but a server
 * sends only members that it describes.
 */
function objectFaults({ members, required }: Schema, value: JsonObject, pointer: string): string[] {
  const faults: string[] = []
  for (const name of required) if (value[name] === undefined) faults.push(`${pointer}/${name} is missing`)
  for (const [name, member] of Object.entries(value)) {
    const schema = members.get(name)
    if (schema) faults.push(...validate(schema, member, `${pointer}/${name}`))
    else faults.push(`${pointer}/${name} is not described`)
  }
  return faults
}
