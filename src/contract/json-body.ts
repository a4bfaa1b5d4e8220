import { JSON_DEPTH_MAX, JsonSyntaxError, type JsonValue, parseJson } from '../values/json.ts'
import { nestedTooDeep, notJson, notUtf8 } from './refusals.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Returns the value in the body of a request: one JSON text (RFC 8259) in UTF-8 bytes. Throws `malformed_json` for text
 * that `parseJson` rejects, and for invalid UTF-8.
 */
export function readJson(bytes: Uint8Array): JsonValue {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw notUtf8()
  }
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw error.isTooDeep ? nestedTooDeep(JSON_DEPTH_MAX) : notJson(error.found, error.at)
  }
}
