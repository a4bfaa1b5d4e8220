import type { DescribedResponse, Operation } from './document.ts'
import type { Finding } from './finding.ts'
import type { FuzzRequest } from './fuzz-request.ts'
import type { FuzzResponse } from './fuzz-response.ts'
import { instantMs } from './instant.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { unchangedAt } from './memory.ts'
import type { VirtualClient } from './request-builder.ts'
import type { Schema } from './schema.ts'
import { isObject } from './validate.ts'

/** Returns a finding for each contradiction between a response and its request, such as an id that has lost digits. */
export function checkSemantics(
  client: VirtualClient,
  request: FuzzRequest,
  response: FuzzResponse,
  body: JsonValue | undefined,
): Finding[] {
  const { operation, expects } = request
  if (!operation || expects.kind !== 'valid' || body === undefined) return []
  if (response.status === 404) return checkNotFound(request, body)
  if (response.status >= 300) return []
  const schema = schemaOf(operation.responses.get(response.status))
  if (!schema) return []
  if (Array.isArray(body)) return checkList(request, schema, body)
  if (!isObject(body)) return []
  return [
    ...checkIds(request, schema, body),
    ...checkEcho(request, schema, body),
    ...checkRead(client, request, response),
  ]
}

function schemaOf(described: DescribedResponse | undefined): Schema | undefined {
  return described?.content.get('application/json')
}

/**
 * Checks that a 404 names the missing resource by its id. If the path has several ids, the 404 must name one of them.
 */
function checkNotFound({ path }: FuzzRequest, body: JsonValue): Finding[] {
  const message = isObject(body) ? String(body.message) : ''
  const ids = [...path.values()].filter(id => /^-?\d+$/.test(id))
  const missing = ids.filter(id => !new RegExp(`(^|[^\\d-])${id}([^\\d]|$)`).test(message))
  if (missing.length < ids.length || ids.length === 0) return []
  return [{ check: 'id-in-message', detail: `${ids.join(', ')} is not named in "${message}"` }]
}

/** Returns a finding for each id in the path that differs from the id in the response. */
function checkIds({ operation, path }: FuzzRequest, schema: Schema, body: JsonObject): Finding[] {
  return [...path].flatMap(([name, requested]) => {
    const isItem = operation?.path.endsWith(`{${name}}`) ?? false
    const member = schema.members.has(name) ? name : isItem ? 'id' : ''
    if (!schema.members.has(member) || String(body[member]) === decodeURIComponent(requested)) return []
    return [
      {
        check: `wrong-id ${member}`,
        detail: `${name} ${requested} was requested, but ${member} is ${body[member]}`,
      },
    ]
  })
}

/** Returns a finding for each member that was sent and has another value in the response. */
function checkEcho({ sent = {} }: FuzzRequest, schema: Schema, body: JsonObject): Finding[] {
  return Object.entries(sent).flatMap(([name, value]) => {
    const member = schema.members.get(name)
    if (!member || value === null || isEcho(member, value, body[name])) return []
    return [
      {
        check: `not-as-sent ${name}`,
        detail: `${name} was sent as ${printed(value)}, but is ${printed(body[name])}`,
      },
    ]
  })
}

function isEcho({ type, format }: Schema, sent: JsonValue, actual: JsonValue | undefined): boolean {
  if (format === 'date-time') return instantMs(String(sent)) === instantMs(String(actual))
  if (type !== 'array') return sent === actual
  // The arrays of the description are sets, so the response contains each element once.
  return Array.isArray(sent) && Array.isArray(actual) && [...new Set(sent)].join() === actual.join()
}

/**
 * Returns a finding if a read differs, in any byte, from the last representation of the resource, although this client
 * has changed nothing since.
 */
function checkRead(
  { memory }: VirtualClient,
  { method, target, operation }: FuzzRequest,
  response: FuzzResponse,
): Finding[] {
  const before = method === 'GET' && operation?.path.endsWith('}') ? unchangedAt(memory, target) : undefined
  if (!before || before.body.equals(response.body)) return []
  return [{ check: 'read-differs', detail: `it was ${before.body} and is ${response.body}` }]
}

/** Returns the findings of a list: more elements than `limit`, or an element that a filter of the request excludes. */
function checkList(request: FuzzRequest, schema: Schema, list: readonly JsonValue[]): Finding[] {
  const { operation, query } = request
  const requested = Map.groupBy(query, ([name]) => decoded(name))
  const limit = Number(requested.get('limit')?.[0]?.[1] ?? list.length)
  const findings: Finding[] = []
  if (list.length > limit)
    findings.push({ check: 'over-limit', detail: `${list.length} elements, and limit is ${limit}` })
  for (const [name, pairs] of requested) {
    if (!isExactFilter(operation, schema, name)) continue
    const values = new Set(pairs.map(([, value]) => decoded(value)))
    const mismatch = list.find(item => isObject(item) && !values.has(String(item[name])))
    if (mismatch)
      findings.push({ check: `filter ${name}`, detail: `${[...values]} does not match ${printed(mismatch)}` })
  }
  return findings
}

/** Returns whether a filter compares whole values. A filter on a text may compare only its beginning. */
function isExactFilter(operation: Operation | undefined, { items }: Schema, name: string): boolean {
  const parameter = operation?.parameters.find(one => one.name === name)
  const { type, choices } = parameter?.schema.items ?? parameter?.schema ?? {}
  const isExact = type === 'integer' || type === 'boolean' || choices !== undefined
  return isExact && (items?.members.has(name) ?? false)
}

function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

function printed(value: JsonValue | undefined): string {
  const text =
    typeof value === 'object'
      ? JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}n` : member))
      : String(value)
  return text.slice(0, 200)
}
