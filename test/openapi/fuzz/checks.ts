import { parseInstantMs } from '../../../src/values/instant.ts'
import { type JsonValue, writeJson } from '../../../src/values/json.ts'
import { checkResponse } from '../conformance-check.ts'
import {
  bodyOf,
  type Expectation,
  type FuzzRequest,
  type FuzzResponse,
  membersOf,
  pathOf,
  type VirtualClient,
} from './client.ts'
import type { Schema } from './description.ts'

/** A rule that a response broke, and what was observed. */
type Finding = readonly [rule: string, detail: string]

type Refusal = Expectation & { readonly kind: 'refusal' }

function findingIf(isBroken: boolean, rule: string, detail: string): Finding[] {
  return isBroken ? [[rule, detail.slice(0, 400)]] : []
}

/**
 * Returns the contradictions between a response and the description, the expectation of its request, and what the
 * client knows about the store.
 */
export function check(client: VirtualClient, request: FuzzRequest, response: FuzzResponse): Finding[] {
  const { operation, method, expects } = request
  const { status, text } = response
  if (status === 0) return [['no-response', text]]
  const id = response.headers.get('x-request-id')
  const findings = findingIf(status >= 500, 'server-error', `${status}: ${text}`)
  findings.push(...findingIf(id !== client.requestId, 'request-id', `${id} must be ${client.requestId}`))
  if (expects.kind === 'head') return [...findings, ...checkHead(expects.of, response)]
  if (expects.kind === 'allow') return [...findings, ...checkAllow(expects, response)]
  const { operationId } = operation
  const observed = { ...response, operationId, method, path: pathOf(request), body: text }
  for (const fault of checkResponse(operation, observed, client.run.description.validate))
    findings.push([fault, text.slice(0, 400)])
  if (expects.kind === 'refusal') return [...findings, ...checkRefusal(expects, response)]
  if (expects.kind === 'replay') return [...findings, ...checkReplay(expects.of, response)]
  if (expects.kind === 'valid') findings.push(...checkValid(request, expects.precondition, response))
  if (status === 404) return [...findings, ...checkNotFound(request, text)]
  return status < 300 ? [...findings, ...checkSuccess(client, request, text)] : findings
}

function checkRefusal({ status: expected, why }: Refusal, { status, text }: FuzzResponse): Finding[] {
  // A client that keeps guessing keys must wait, even if the rate limit is off.
  if (status === expected || (expected === 401 && status === 429)) return []
  const isAboutKey = expected === 401 || expected === 403
  const rule = isAboutKey ? 'auth-bypassed' : status < 400 ? 'accepted-invalid' : 'wrong-refusal'
  return [[rule, `${why}: the status must be ${expected}, but is ${status}: ${text.slice(0, 400)}`]]
}

function checkValid(request: FuzzRequest, condition: string, { status, text }: FuzzResponse): Finding[] {
  const { resource } = request
  const actual = `the response is ${status}: ${text}`
  if (resource?.deletedPath !== undefined) return findingIf(status !== 404, 'found-after-delete', actual)
  if (resource && status === 404) return [['vanished', actual]]
  if (condition === 'fails' && (resource || status === 412))
    return findingIf(status !== 412, 'precondition-ignored', actual)
  if (condition === 'unmodified' || status === 304)
    return findingIf((condition === 'unmodified') !== (status === 304), 'not-modified', actual)
  const isRefused = status >= 400 && status !== 404
  return findingIf(isRefused && !mayRefuse(request, status, text), 'refused-valid', actual)
}

/** Returns whether the state of the store, or a rule in the prose of the description, explains a refusal. */
function mayRefuse({ method, operation, query }: FuzzRequest, status: number, text: string): boolean {
  const { code, errors } = membersOf(text)
  const isEach = (explains: RegExp): boolean =>
    Array.isArray(errors) && errors.length > 0 && errors.every(error => explains.test(writeJson(error)))
  // A key can revoke another key only if it has all scopes of that key, and return what others sold with another scope.
  const byRule = ['revokeKey', 'returnOrder', 'returnSale']
  if (status === 403) return byRule.includes(operation.operationId) && code === 'insufficient_scope'
  // The position may be beyond the head. Some filters exclude others, or all but one order.
  const excluded =
    /"name":"sort","code":"not_in_enum"|cannot be combined with|"name":"after","code":"out_of_range"/
  const beyondHead = /"name":"after","code":"out_of_range"/
  if (method === 'GET') return status === 400 && isEach(query.length > 1 ? excluded : beyondHead)
  // The operator may not allow webhooks to this address, the total of an order has a limit, and a key
  // expires in the future. A member of a patch may be read-only, so that only its current value is accepted.
  const isProse =
    code === 'unknown_reference' ||
    isEach(/"pointer":"(\/lines\/\d)?\/(url|unitPrice|expiresAt)"|"code":"read_only"/)
  return status === 409 || (status === 422 && isProse)
}

function checkReplay(first: FuzzResponse, again: FuzzResponse): Finding[] {
  const [before, after] = [first, again].map(({ status, headers, text }) =>
    [status, headers.get('location'), headers.get('etag'), headers.get('content-type'), text].join(' '),
  )
  const isMarked = again.headers.get('idempotent-replayed') === 'true'
  const differs = findingIf(before !== after, 'replay-differs', `it was ${before} and is ${after}`)
  return [...differs, ...findingIf(!isMarked, 'replay-unmarked', 'Idempotent-Replayed is missing')]
}

/** Compares the responses to HEAD and GET (RFC 9110, section 9.3.2). */
function checkHead(get: FuzzResponse, head: FuzzResponse): Finding[] {
  const tag = get.headers.get('etag')
  // Another client may have changed the resource, or added to the list, between the two requests.
  const isSame = get.status >= 400 || (tag !== null && tag === head.headers.get('etag'))
  const mayDiffer = ['date', 'x-request-id', ...(isSame ? [] : ['etag', 'content-length'])]
  if (get.headers.get('link')?.includes('rel="first"')) mayDiffer.push('link')
  // The seconds of one response may be over in the other, and a large body is sent without its length.
  if (get.headers.has('retry-after') && head.headers.has('retry-after')) mayDiffer.push('retry-after')
  if (get.headers.has('transfer-encoding')) mayDiffer.push('transfer-encoding', 'content-length')
  const names = [...get.headers.keys(), ...head.headers.keys()].filter(name => !mayDiffer.includes(name))
  const differing = names.filter(name => get.headers.get(name) !== head.headers.get(name))
  if (get.status !== head.status) return [['head-status', `GET is ${get.status}, HEAD ${head.status}`]]
  return findingIf(differing.length > 0, 'head-headers', `${differing} differ`)
}

function checkAllow({ status, methods }: Expectation & { kind: 'allow' }, response: FuzzResponse): Finding[] {
  const allow = response.headers.get('allow')?.split(/, */).toSorted().join()
  const detail = `${response.status} with ${allow} must be ${status} with ${methods}`
  return findingIf(response.status !== status || allow !== methods.toSorted().join(), 'allow', detail)
}

/** Checks that a 404 names the missing resource by its id. If the path has several ids, it must name one of them. */
function checkNotFound({ path }: FuzzRequest, text: string): Finding[] {
  const message = String(membersOf(text).message)
  const ids = [...path.values()].filter(id => /^-?\d+$/.test(id))
  const isNamed = ids.some(id => new RegExp(`(^|[^\\d-])${id}([^\\d]|$)`).test(message))
  return findingIf(ids.length > 0 && !isNamed, 'id-in-message', `${ids} is not named in "${message}"`)
}

/** Compares the body of a success with the request: with its ids, its members, and what the client read before. */
function checkSuccess(client: VirtualClient, request: FuzzRequest, text: string): Finding[] {
  const { operation, method, path } = request
  const members = operation.result?.members ?? new Map<string, Schema>()
  const body = membersOf(text)
  const before = method === 'GET' ? client.unchangedAt(pathOf(request)) : undefined
  const differs = before && before.text !== text ? `it was ${before.text} and is ${text}` : ''
  const isItem = (name: string): boolean => operation.path.endsWith(`{${name}}`) && !members.has(name)
  const ids = [...path].map(([name, id]) => [isItem(name) ? 'id' : name, id] as const)
  const echoes = [...ids, ...Object.entries(membersOf(bodyOf(request)))].flatMap(([name, value]) => {
    // A return is a line with a negative quantity.
    const isReturn = name === 'quantity' && operation.operationId === 'returnOrder'
    const member = isReturn ? undefined : members.get(name)
    const [one, other] = member ? [comparable(member, value), comparable(member, body[name])] : []
    const detail = `it was sent as ${one}, but is ${other}`
    return findingIf(value !== null && one !== other, `not-as-sent ${name}`, detail)
  })
  return [...echoes, ...findingIf(differs !== '', 'read-differs', differs)]
}

function comparable({ format, items }: Schema, value: JsonValue = null): unknown {
  // Objects in an array get further members, such as an id.
  if (items && items.members.size > 0) return Array.isArray(value)
  if (format === 'date-time') return parseInstantMs(String(value))
  // The arrays of the description are sets, so the response contains each element once.
  return Array.isArray(value) ? writeJson([...new Set(value)]) : String(value)
}
