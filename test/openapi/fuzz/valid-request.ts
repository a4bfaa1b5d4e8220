import fc from 'fast-check'
import { type FuzzRequest, pathOf, type Resource, type VirtualClient } from './client.ts'
import type { Operation, Parameter, Schema } from './description.ts'
import { absentId, validJson, validText } from './values.ts'

const accepts = ['*/*', 'application/json', 'text/html, application/json;q=0.9', 'application/problem+json']

/** Returns a valid request, for the resource `given` if there is one. */
export function validRequest(client: VirtualClient, operation: Operation, given?: Resource): FuzzRequest {
  const path = new Map<string, string>()
  const resource = fillPath(client, operation, path, given)
  const request: FuzzRequest = {
    operation,
    method: operation.method,
    path,
    query: operation.inputs.flatMap(parameter => queryPairs(client, operation, parameter)),
    headers: new Map(),
    members: new Map(validMembers(client, operation, operation.body, resource)),
    resource,
    expects: { kind: 'valid', precondition: 'none' },
  }
  fillHeaders(client, request)
  return request
}

/** Sets the path parameters. Returns the resource of the last, if the client knows whether it exists at this path. */
function fillPath(
  client: VirtualClient,
  { inputs, path }: Operation,
  values: Map<string, string>,
  given?: Resource,
): Resource | undefined {
  let last: Resource | undefined
  for (const { name, schema } of inputs.filter(one => one.in === 'path')) {
    last = given?.kind === name ? given : anyOf(client, client.resources(name, client.chance(20)))
    const text = client.draw(schema.type === 'integer' ? absentId : validText(schema))
    // A client removes dot-segments (RFC 3986).
    values.set(name, last?.id ?? (/^\.+$/.test(text) ? 'dots' : encodeURIComponent(text)))
  }
  // The path of a deleted resource gets 404. The description does not say whether other paths with its id still exist.
  return last?.deletedPath === undefined || last.deletedPath === path ? last : undefined
}

function anyOf(client: VirtualClient, resources: readonly Resource[]): Resource | undefined {
  return resources.length > 0 ? client.pick(resources) : undefined
}

function queryPairs(client: VirtualClient, operation: Operation, parameter: Parameter): [string, string][] {
  const { name, schema, required } = parameter
  // A cursor comes only from the Link of a page.
  if (parameter.in !== 'query' || name === 'cursor' || !(required || client.chance(30))) return []
  // Waiting for an event that does not occur would only take time.
  if (name === 'wait') return [[name, '0']]
  const kind = client.kindOf(operation, name)
  const ids = kind === undefined || client.chance(40) ? [] : client.resources(kind).map(({ id }) => id)
  const value = ids.length > 0 ? fc.constantFrom(...ids) : validText(schema.items ?? schema)
  const values = fc.array(value, { minLength: 1, maxLength: schema.items ? 3 : 1 })
  return client.draw(values).map(text => [name, encodeURIComponent(text)])
}

/** The most objects that an array of a body has. */
const OBJECTS_MAX = 3

/** Returns members of an object of the body, each with its JSON text. */
function validMembers(
  client: VirtualClient,
  operation: Operation,
  object: Schema | undefined,
  resource?: Resource,
): [string, string][] {
  const objectText = (schema: Schema): string =>
    `{${validMembers(client, operation, schema).map(([name, text]) => `${JSON.stringify(name)}:${text}`)}}`
  const textOf = (member: Schema, kind: string | undefined): string => {
    if (member.format === 'uri') return JSON.stringify(`${client.run.receiver}/${client.draw(fc.nat(999))}`)
    const { items } = member
    if (items && items.members.size > 0) {
      const length = client.draw(fc.integer({ min: 1, max: OBJECTS_MAX }))
      return `[${Array.from({ length }, () => objectText(items))}]`
    }
    if (kind === undefined) return client.draw(validJson(member))
    return anyOf(client, client.resources(kind, client.chance(10)))?.id ?? client.draw(absentId)
  }
  return [...(object?.members ?? [])].flatMap(([name, member]): [string, string][] => {
    const kind = client.kindOf(operation, name)
    // A read-only member may be sent with its current value. Of a resource, the client knows only the id.
    if (member.readOnly) return resource && name === 'id' && client.chance(10) ? [[name, resource.id]] : []
    const isSent = object?.required.includes(name) || client.chance(kind === undefined ? 50 : 15)
    return isSent ? [[name, textOf(member, kind)]] : []
  })
}

function fillHeaders(client: VirtualClient, request: FuzzRequest): void {
  const { operation, headers } = request
  const key = validKey(client, operation)
  if (key !== undefined) headers.set('Authorization', `Bearer ${key}`)
  headers.set('Accept', client.pick(accepts))
  if (operation.body) headers.set('Content-Type', 'application/json')
  for (const { in: place, name, required, example } of operation.inputs) {
    if (place !== 'header' || !(required || client.chance(25))) continue
    if (name === 'If-Match' || name === 'If-None-Match') setPrecondition(client, request, name)
    else headers.set(name, name === 'Idempotency-Key' ? `"${client.requestId} \\"again\\""` : String(example))
  }
}

/** Returns a key that may use the operation; sometimes undefined if the operation requires no key. */
function validKey(client: VirtualClient, { operationId, needsKey, scope }: Operation): string | undefined {
  const { adminKey, keys } = client.run
  if (!needsKey) return client.pick([undefined, undefined, adminKey])
  // A key can only create keys with scopes that it has.
  if (operationId === 'createKey') return adminKey
  const others = [...keys].filter(([name]) => scope === undefined || name === scope)
  return client.pick([adminKey, ...others.map(([, [only]]) => only)])
}

/** Sets a precondition that holds or fails; at most one in a request. */
function setPrecondition(client: VirtualClient, request: FuzzRequest, name: string): void {
  const { headers, resource, expects } = request
  if (expects.kind !== 'valid' || expects.precondition !== 'none') return
  const current = client.unchangedAt(pathOf(request))?.headers.get('etag')
  const tags = [...(current ? [current, `"other",  ${current}`, `W/${current}`] : [])]
  if (resource && resource.deletedPath === undefined) tags.push('*')
  const tag = client.pick(['"other"', ...tags])
  headers.set(name, tag)
  const [matched, unmatched] =
    name === 'If-Match' ? (['holds', 'fails'] as const) : (['unmodified', 'none'] as const)
  const precondition = tag === '"other"' ? unmatched : matched
  request.expects = { kind: 'valid', precondition }
}
