import type { FuzzRequest, VirtualClient } from './client.ts'
import { invalidJson, invalidTexts, validText } from './values.ts'

/** Makes a request invalid, and returns the status of the refusal; undefined if it does not apply to the request. */
type Mutation = (request: FuzzRequest, client: VirtualClient) => number | undefined

const unknownQueries = ['colour', 'Limit', 'limit%20', '__proto__', 'id%5B%5D', '', '%F0%9F%90%B6', '%zz']
const unknownMembers = ['colour', 'Name', ' name', '', '__proto__', 'constructor', 'naïve']

/** Bodies that are not JSON by RFC 8259, or that the store refuses to read as such. */
const malformed = [
  ...['', '{', '{}{}', '{"a":1,}', '{"a":01}', '{"a":NaN}', "{'a':1}", '{"a":"\t"}', '\ufeff{}'],
  ...['{"a":1,"a":1}', '{"a":"\\ud800"}', '['.repeat(33) + ']'.repeat(33)],
]
const brokenTags = ['abc', '"abc', 'W/', "'abc'", 'W/abc', '"a" "b"', '"a",b', 'w/"a"']
/** The invalid values of the headers that operations have, and the status of their refusal. */
const brokenHeaders = new Map<string, readonly [status: number, values: readonly string[]]>([
  ['Accept', [406, ['text/html', 'application/json;q=0', 'image/*, text/plain;q=0.5', 'json']]],
  ['Content-Type', [415, ['text/plain', 'application/json; charset=latin1', 'application/jsonp', '']]],
  ['If-Match', [400, brokenTags]],
  ['If-None-Match', [400, brokenTags]],
  ['Idempotency-Key', [400, ['', '""', '"a', 'é', 'a"b', 'x'.repeat(256), `"${'x'.repeat(256)}"`]]],
  ['Petstore-Preview', [400, ['', 'other', 'store-summarys']]],
])

const mutations: Readonly<Record<string, Mutation>> = {
  'a path parameter is invalid': ({ operation, path }, client) => {
    const [parameter] = operation.inputs.filter(one => one.in === 'path')
    if (!parameter) return undefined
    // An empty value would turn the request into one for a different path.
    const texts = invalidTexts(parameter.schema).filter(text => text !== '')
    path.set(parameter.name, client.pick(['%zz', '%ff', ...texts.map(encodeURIComponent)]))
    return 400
  },
  'a query parameter is invalid or repeated': (request, client) => {
    const fitting = request.operation.inputs.filter(one => one.in === 'query' && one.name !== 'cursor')
    if (fitting.length === 0) return undefined
    const { name, schema } = client.pick(fitting)
    const { items, maxItems } = schema
    const wrong = ['%zz', '%ff', ...invalidTexts(items ?? schema).map(encodeURIComponent)]
    const valid = encodeURIComponent(client.draw(validText(items ?? schema))).slice(0, 60)
    const repeated = Array<string>(items ? maxItems + 1 : 2).fill(valid)
    const values = client.chance(70) ? [client.pick(wrong)] : repeated
    const others = request.query.filter(([given]) => given !== name)
    request.query = [...others, ...values.map(value => [name, value] as const)]
    return 400
  },
  'a query parameter is unknown': ({ query }, client) => {
    query.push([client.pick(unknownQueries), client.pick(['', '1', 'x'])])
    return 400
  },
  'a header is invalid': ({ operation, headers }, client) => {
    const described = operation.inputs.map(({ name }) => name).filter(name => brokenHeaders.has(name))
    const name = client.pick(['Accept', ...described, ...(operation.body ? ['Content-Type'] : [])])
    const [status, values = []] = brokenHeaders.get(name) ?? []
    headers.set(name, client.pick(values))
    return status
  },
  'no key is sent': ({ operation, headers }) =>
    operation.needsKey && headers.delete('Authorization') ? 401 : undefined,
  'the key is malformed or unknown': ({ headers }, client) => {
    const { adminKey } = client.run
    // Failed attempts are rate limited.
    if (!client.chance(20)) return undefined
    const wrong = ['', ' x', ` pst_${'0'.repeat(49)}`, ` ${adminKey.slice(0, -1)}`, ` ${adminKey}0`]
    headers.set('Authorization', client.pick([adminKey, ...wrong.map(text => `Bearer${text}`)]))
    return 401
  },
  'the key lacks the scope': ({ operation, headers }, { run }) => {
    const key = run.keys.get(operation.scope ?? '')?.[1]
    if (key === undefined) return undefined
    headers.set('Authorization', `Bearer ${key}`)
    return 403
  },
}

const bodyMutations: Readonly<Record<string, Mutation>> = {
  'the body is not acceptable JSON': (request, client) => {
    request.body = client.pick(malformed)
    return 400
  },
  'a member is missing': ({ members, operation }, client) => {
    const required = operation.body?.required ?? []
    return required.length > 0 && members.delete(client.pick(required)) ? 422 : undefined
  },
  'a member is unknown': ({ members }, client) => {
    members.set(client.pick(unknownMembers), client.pick(['1', 'null', '"x"', '{}', '[[]]']))
    return 422
  },
  'a member is invalid': ({ members, operation }, client) => {
    const [name, schema] = client.pick([...(operation.body?.members ?? [])])
    members.set(name, client.pick(invalidJson(schema)))
    return 422
  },
}

/** Makes a request invalid in one way. */
export function mutate(request: FuzzRequest, client: VirtualClient): FuzzRequest {
  const isForBody = request.operation.body !== undefined && client.chance(50)
  // The loop ends: an unknown query parameter, and a malformed body, are always possible.
  while (true) {
    const [why, mutation] = client.pick(Object.entries(isForBody ? bodyMutations : mutations))
    const status = mutation(request, client)
    if (status === undefined) continue
    request.expects = { kind: 'refusal', status, why }
    return request
  }
}
