import type { Operation, Parameter } from './document.ts'
import type { Condition } from './fuzz-request.ts'
import { deletedResource, etagAt, existingResource, unchangedAt } from './memory.ts'
import { MERGE_PATCH, pathOf, type RequestBuilder, type VirtualClient } from './request-builder.ts'
import type { Resource } from './resource.ts'
import type { Schema } from './schema.ts'
import { absentId, lengthOfArray, validJson, validParameter, validText } from './valid-values.ts'

/** Expiries of new keys. They must be in the future, but only the prose of the description says so. */
const futureInstants = ['2099-12-31T23:59:59Z', '9999-12-31T23:59:59.999Z', '2199-01-01t00:00:00.5+01:00']

const accepts = [
  'application/json',
  '*/*',
  'application/*;q=0.1',
  'text/html, application/json;q=0.9',
  'application/problem+json, application/json;q=0.5',
  'application/problem+json',
  'Application/JSON',
]

/** Returns a valid request under construction, for the resource `given` if there is one. */
export function validRequest(client: VirtualClient, operation: Operation, given?: Resource): RequestBuilder {
  const path = new Map<string, string>()
  const resource = fillPath(client, operation, path, given)
  const builder: RequestBuilder = {
    operation,
    path,
    query: operation.parameters.flatMap(parameter => queryPairs(client, operation, parameter)),
    headers: new Map(),
    members: operation.body ? validMembers(client, operation, operation.body.schema, resource) : [],
    body: undefined,
    resource,
    condition: 'none',
    mutations: [],
  }
  fillHeaders(client, builder)
  return builder
}

/** Returns a percent-encoded text, in one of the possible ways. */
export function encoded({ random }: VirtualClient, text: string): string {
  if (random.chance(0.9)) return encodeURIComponent(text)
  if (random.chance(0.5)) return encodeURIComponent(text).replaceAll('%20', '+')
  return Array.from(Buffer.from(text), byte => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

/**
 * Returns the kind of the resource that a parameter or a member of the body refers to by id; undefined if its value is
 * not an id.
 */
function kindOf({ description }: VirtualClient, operation: Operation, name: string): string | undefined {
  if (name !== 'id') return description.idParameterNames.has(name) ? name : undefined
  const paths = [...description.methods.keys()]
  const item = paths.find(path => path.startsWith(`${operation.path}/{`) && path.endsWith('}'))
  return item?.slice(operation.path.length + 2, -1)
}

/**
 * Sets the path parameters. Returns the resource that the last parameter refers to; undefined if the client does not
 * know whether that resource exists at this path.
 */
function fillPath(
  client: VirtualClient,
  { parameters, path }: Operation,
  values: Map<string, string>,
  given?: Resource,
): Resource | undefined {
  const { random, memory } = client
  let last: Resource | undefined
  for (const { name, schema, example } of parameters.filter(({ location }) => location === 'path')) {
    const isGiven = given?.kind === name
    last = isGiven
      ? given
      : random.chance(0.8)
        ? existingResource(memory, random, name)
        : deletedResource(memory, random, name)
    if (schema.type === 'integer') values.set(name, last?.id ?? String(absentId(random)))
    else values.set(name, encodeURIComponent(segment(client, schema, example)))
  }
  // The path of a deleted resource gets 404. The description does not say whether other paths with its id still exist.
  return last?.deletedPath === undefined || last.deletedPath === path ? last : undefined
}

/** Returns a text that can be a path segment. `.` and `..` are dot-segments, which a client may remove (RFC 3986). */
function segment({ random }: VirtualClient, schema: Schema, example: unknown): string {
  if (typeof example === 'string' && random.chance(0.5)) return example
  const text = validText(random, schema)
  return /^\.+$/.test(text) ? 'dots' : text
}

function queryPairs(
  client: VirtualClient,
  operation: Operation,
  { name, location, schema, required }: Parameter,
): [string, string][] {
  const { random, memory } = client
  // A cursor cannot be generated, because it comes only from the Link of a page.
  if (location !== 'query' || name === 'cursor' || !(required || random.chance(0.3))) return []
  const kind = kindOf(client, operation, name)
  // Waiting for an event that does not occur, or for the end of a stream, would only take time.
  if (name === 'wait' || name === 'seconds') return [[name, String(schema.minimum)]]
  const randomValue = (valueSchema: Schema): string => {
    const known =
      kind !== undefined && random.chance(0.6) ? existingResource(memory, random, kind) : undefined
    return known?.id ?? validParameter(random, valueSchema)
  }
  const { items } = schema
  const values = items
    ? Array.from({ length: Math.max(1, lengthOfArray(random, schema)) }, () => randomValue(items))
    : [randomValue(schema)]
  return values.map(value => [encoded(client, name), encoded(client, value)])
}

function validMembers(
  client: VirtualClient,
  operation: Operation,
  schema: Schema,
  resource: Resource | undefined,
): [string, string][] {
  const { random, memory } = client
  return [...schema.members].flatMap(([name, member]): [string, string][] => {
    const kind = kindOf(client, operation, name)
    const isRequired = schema.required.includes(name)
    // The resource is known only by its id.
    if (member.readOnly)
      return resource && member.type === 'integer' && random.chance(0.1) ? [[name, resource.id]] : []
    if (!isRequired && !random.chance(kind === undefined ? 0.5 : 0.15)) return []
    if (name === 'expiresAt') return [[name, JSON.stringify(random.pick(futureInstants))]]
    if (kind === undefined || member.type !== 'integer') return [[name, validJson(random, member)]]
    const known = random.chance(0.9)
      ? existingResource(memory, random, kind)
      : deletedResource(memory, random, kind)
    return [[name, known?.id ?? String(absentId(random))]]
  })
}

function fillHeaders(client: VirtualClient, builder: RequestBuilder): void {
  const { random, keys } = client
  const { operation, headers } = builder
  const key = keys.validFor(random, operation)
  if (key !== undefined) headers.set('Authorization', `${random.chance(0.95) ? 'Bearer' : 'bearer '} ${key}`)
  if (random.chance(0.2)) headers.set('Accept', random.pick(accepts))
  if (operation.body) {
    const { body, method } = operation
    const type = random.pick(method === 'PATCH' ? [...body.types, MERGE_PATCH] : body.types)
    headers.set('Content-Type', random.chance(0.9) ? type : `${type.toUpperCase()}; charset="UTF-8"`)
  }
  if (random.chance(0.02)) headers.set('X-Unheard-Of', 'ÿ"\\')
  for (const parameter of operation.parameters.filter(({ location }) => location === 'header')) {
    if (parameter.required || random.chance(0.25)) fillHeader(client, builder, parameter)
  }
}

function fillHeader(client: VirtualClient, builder: RequestBuilder, { name, example }: Parameter): void {
  const { random } = client
  if (name === 'If-Match' || name === 'If-None-Match') {
    const [value, condition] = precondition(client, builder, name)
    builder.condition = combined(builder.condition, condition)
    builder.headers.set(name, value)
  } else if (name === 'Idempotency-Key') {
    const key = `${client.name}-${random.between(0n, 2n ** 60n).toString(36)}`
    builder.headers.set(name, random.pick([key, `"${key}"`, `"${key} \\"\\\\ again"`, key.padEnd(255, '~')]))
  } else if (typeof example === 'string') {
    builder.headers.set(name, example)
  }
}

/** Returns the result of two preconditions of one request: If-Match is evaluated first (RFC 9110, section 13.2.2). */
function combined(one: Condition, other: Condition): Condition {
  const order: readonly Condition[] = ['fails', 'unclear', 'unmodified', 'holds', 'none']
  return order.find(condition => condition === one || condition === other) ?? 'none'
}

/**
 * Returns a random value for a precondition, and its expected result. Some values have the weak form of a strong tag.
 */
function precondition(
  client: VirtualClient,
  builder: RequestBuilder,
  name: 'If-Match' | 'If-None-Match',
): [string, Condition] {
  const { random, memory } = client
  const path = pathOf(builder)
  const current = unchangedAt(memory, path)?.headers.get('etag')
  const invented = `"${random
    .between(0n, 2n ** 64n)
    .toString(36)
    .padStart(22, 'x')}"`
  const exists = builder.resource !== undefined && builder.resource.deletedPath === undefined
  const isIfMatch = name === 'If-Match'
  const match: Condition = isIfMatch ? 'holds' : 'unmodified'
  const options: [string, Condition][] = [
    [invented, isIfMatch ? 'fails' : 'none'],
    ['*', exists ? match : 'unclear'],
    [etagAt(memory, path) ?? invented, 'unclear'],
  ]
  if (current !== undefined) {
    options.push([current, match], [`${invented},  ${current}`, match], [`W/${current}`, match])
  }
  return random.pick(options)
}
