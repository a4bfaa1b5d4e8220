import type { JsonObject, JsonValue } from '../src/model/json.ts'
import type { Answer } from './answer.ts'
import type { Ask } from './ask.ts'
import type { Described, Operation } from './document.ts'
import type { Lane } from './draft.ts'
import { instantMs } from './instant.ts'
import type { Finding } from './judge.ts'
import { freshAt } from './memory.ts'
import type { Schema } from './schema.ts'
import { isObject } from './validate.ts'

/** Checks the content of a response against its request: ids and values are returned with their exact digits. */
export function judgeMeaning(lane: Lane, ask: Ask, answer: Answer, body: JsonValue | undefined): Finding[] {
  const { operation, expects } = ask
  if (!operation || expects.kind !== 'valid' || body === undefined) return []
  if (answer.status === 404) return judgeAbsent(ask, body)
  if (answer.status >= 300) return []
  const schema = schemaOf(operation.answers.get(answer.status))
  if (!schema) return []
  if (Array.isArray(body)) return judgeList(ask, schema, body)
  if (!isObject(body)) return []
  return [...judgeIds(ask, schema, body), ...judgeEcho(ask, schema, body), ...judgeRead(lane, ask, answer)]
}

function schemaOf(described: Described | undefined): Schema | undefined {
  return described?.content.get('application/json')
}

/** A missing resource is named by its id; if a path has several ids, by the first one that does not exist. */
function judgeAbsent({ path }: Ask, body: JsonValue): Finding[] {
  const message = isObject(body) ? String(body.message) : ''
  const ids = [...path.values()].filter(id => /^-?\d+$/.test(id))
  const unnamed = ids.filter(id => !new RegExp(`(^|[^\\d-])${id}([^\\d]|$)`).test(message))
  if (unnamed.length < ids.length || ids.length === 0) return []
  return [{ check: 'id-in-message', detail: `${ids.join(', ')} is not named in "${message}"` }]
}

/** The response contains the resource that the path names. */
function judgeIds({ operation, path }: Ask, schema: Schema, body: JsonObject): Finding[] {
  return [...path].flatMap(([name, asked]) => {
    const isItem = operation?.path.endsWith(`{${name}}`) ?? false
    const member = schema.members.has(name) ? name : isItem ? 'id' : ''
    if (!schema.members.has(member) || String(body[member]) === decodeURIComponent(asked)) return []
    return [
      {
        check: `wrong-id ${member}`,
        detail: `${name} ${asked} was requested, but ${member} is ${body[member]}`,
      },
    ]
  })
}

/** The response contains the written values as they were sent. */
function judgeEcho({ sent = {} }: Ask, schema: Schema, body: JsonObject): Finding[] {
  return Object.entries(sent).flatMap(([name, value]) => {
    const member = schema.members.get(name)
    if (!member || value === null || isEcho(member, value, body[name])) return []
    return [
      {
        check: `not-as-sent ${name}`,
        detail: `${name} was sent as ${shown(value)}, but is ${shown(body[name])}`,
      },
    ]
  })
}

function isEcho({ type, format }: Schema, sent: JsonValue, got: JsonValue | undefined): boolean {
  if (format === 'date-time') return instantMs(String(sent)) === instantMs(String(got))
  if (type !== 'array') return sent === got
  // The arrays of the description are sets, so duplicates may be removed.
  return Array.isArray(sent) && Array.isArray(got) && [...new Set(sent)].join() === got.join()
}

/** A resource that was not changed since its last read is identical, byte for byte. */
function judgeRead({ memory }: Lane, { method, target, operation }: Ask, answer: Answer): Finding[] {
  const before = method === 'GET' && operation?.path.endsWith('}') ? freshAt(memory, target) : undefined
  if (!before || before.body.equals(answer.body)) return []
  return [{ check: 'read-differs', detail: `it was ${before.body} and is ${answer.body}` }]
}

/** A list contains only elements that match its filters, and no more than its limit. */
function judgeList(ask: Ask, schema: Schema, list: readonly JsonValue[]): Finding[] {
  const { operation, query } = ask
  const asked = Map.groupBy(query, ([name]) => plain(name))
  const limit = Number(asked.get('limit')?.[0]?.[1] ?? list.length)
  const findings: Finding[] = []
  if (list.length > limit)
    findings.push({ check: 'over-limit', detail: `${list.length} elements, and limit is ${limit}` })
  for (const [name, pairs] of asked) {
    if (!isExactFilter(operation, schema, name)) continue
    const values = new Set(pairs.map(([, value]) => plain(value)))
    const strange = list.find(item => isObject(item) && !values.has(String(item[name])))
    if (strange)
      findings.push({ check: `filter ${name}`, detail: `${[...values]} does not match ${shown(strange)}` })
  }
  return findings
}

/** Not for texts, which may be searched by their beginning. */
function isExactFilter(operation: Operation | undefined, { items }: Schema, name: string): boolean {
  const parameter = operation?.parameters.find(one => one.name === name)
  const { type, choices } = parameter?.schema.items ?? parameter?.schema ?? {}
  const isExact = type === 'integer' || type === 'boolean' || choices !== undefined
  return isExact && (items?.members.has(name) ?? false)
}

function plain(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

function shown(value: JsonValue | undefined): string {
  const text =
    typeof value === 'object'
      ? JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}n` : part))
      : String(value)
  return text.slice(0, 200)
}
