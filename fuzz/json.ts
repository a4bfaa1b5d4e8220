/** A parsed JSON text: integers are exact bigints, every other number is a JavaScript number. */
export type JsonValue = null | boolean | string | bigint | number | JsonValue[] | JsonObject
export interface JsonObject {
  [member: string]: JsonValue
}

const INTEGER = /^-?[0-9]+$/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Returns the value of one JSON text (RFC 8259) in UTF-8. Throws TypeError for other bytes, SyntaxError for other text.
 */
export function readJson(bytes: Uint8Array): JsonValue {
  return readJsonText(utf8.decode(bytes))
}

/** Returns the value of one JSON text (RFC 8259). Throws SyntaxError for other text. */
export function readJsonText(text: string): JsonValue {
  return JSON.parse(text, exactInteger)
}

/** Returns a value as compact JSON, with the members that are not undefined. */
export function writeJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join(',')}}`
}

/** Revives an integer as a bigint from its source text, because a JavaScript number may lose digits. */
function exactInteger(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  return typeof value === 'number' && source !== undefined && INTEGER.test(source) ? BigInt(source) : value
}
