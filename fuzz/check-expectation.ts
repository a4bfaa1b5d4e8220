import type { Finding } from './finding.ts'
import type { Expectation, FuzzRequest } from './fuzz-request.ts'
import type { FuzzResponse } from './fuzz-response.ts'
import type { JsonObject, JsonValue } from './json.ts'
import { isObject } from './validate.ts'

/** Returns a finding for each way in which a response differs from the expectation of its request. */
export function checkExpectation(
  request: FuzzRequest,
  response: FuzzResponse,
  body: JsonValue | undefined,
): Finding[] {
  const { expects } = request
  const members = isObject(body) ? body : {}
  switch (expects.kind) {
    case 'refusal':
      return checkRefusal(expects, response, members)
    case 'valid':
      return checkValid(request, expects, response, members)
    case 'replay':
      return checkReplay(expects.of, response)
    case 'head':
      return checkHead(expects.of, response)
    case 'allow':
      return checkAllow(expects, response)
    case 'unknown path':
      return findingIf(response.status !== 404, 'unknown-path', `the status is ${response.status}`)
  }
}

function findingIf(isBroken: boolean, check: string, detail: string): Finding[] {
  return isBroken ? [{ check, detail }] : []
}

function checkRefusal(
  { statuses, check, why }: Expectation & { kind: 'refusal' },
  { status, headers }: FuzzResponse,
  { message }: JsonObject,
): Finding[] {
  const detail = `${why}: the status must be ${statuses.join(' or ')}, but is ${status} (${message})`
  if (!statuses.includes(status)) {
    const isAccepted = check === 'auth-bypassed' || status < 400
    return [{ check: isAccepted ? check : 'wrong-refusal', detail }]
  }
  const needsChallenge = status === 401 || status === 403
  return [
    ...findingIf(
      needsChallenge && !headers.has('www-authenticate'),
      'no-challenge',
      `${status} without WWW-Authenticate`,
    ),
    ...findingIf(status === 429 && !headers.has('retry-after'), 'no-retry-after', '429 without Retry-After'),
  ]
}

function checkValid(
  request: FuzzRequest,
  { resource, condition }: Expectation & { kind: 'valid' },
  { status }: FuzzResponse,
  members: JsonObject,
): Finding[] {
  const isDeleted = resource?.deletedPath !== undefined
  const actual = `the response is ${status} ${members.code ?? ''}: ${members.message ?? ''}`
  if (isDeleted) return findingIf(status !== 404, 'found-after-delete', `it was deleted, but ${actual}`)
  if (resource && status === 404)
    return [{ check: 'vanished', detail: `it was created and not deleted, but ${actual}` }]
  if (condition === 'fails' && resource) return findingIf(status !== 412, 'precondition-ignored', actual)
  if (status === 412)
    return findingIf(condition === 'none' || condition === 'holds', 'precondition-refused', actual)
  if (condition === 'unmodified') return findingIf(status !== 304, 'not-304', actual)
  if (status === 304) return findingIf(condition !== 'unclear', 'wrong-304', actual)
  if (status < 400 || status === 404) return []
  return findingIf(!mayRefuse(request, status, members), 'refused-valid', actual)
}

/**
 * Returns whether the state of the store, or a rule that is only in the prose of the description, explains a refusal.
 */
function mayRefuse(
  { method, query, operation }: FuzzRequest,
  status: number,
  { code, errors }: JsonObject,
): boolean {
  if (method !== 'GET' && status === 409) return true
  if (method !== 'GET' && status === 422 && code === 'unknown_reference') return true
  const details = Array.isArray(errors) ? errors.filter(isObject) : []
  const everyDetail = (test: (entry: JsonObject) => boolean): boolean =>
    details.length > 0 && details.every(test)
  // A key can revoke another key only if it has all scopes of that key.
  if (operation?.path === '/keys/{keyId}' && status === 403 && code === 'insufficient_scope') return true
  // The operator may not allow webhooks to this address.
  if (method !== 'GET' && status === 422 && everyDetail(entry => entry.pointer === '/url')) return true
  // The amount of an order, its price times its quantity, may be beyond the maximum.
  if (method !== 'GET' && status === 422 && everyDetail(entry => entry.pointer === '/unitPrice')) return true
  // The position may be beyond the head.
  if (status === 400 && everyDetail(entry => entry.name === 'after' && entry.code === 'out_of_range'))
    return true
  // A member of a patch may be read-only, so that only its current value is accepted.
  if (method === 'PATCH' && status === 422) return everyDetail(entry => entry.code === 'read_only')
  // A list that is filtered by a range of a column can only be sorted by this column. Some filters exclude others.
  const isExcluded = ({ message }: JsonObject): boolean => {
    const other = / cannot be combined with ([^ ]+)\.$/.exec(String(message))?.[1]
    return query.some(([sent, value]) => {
      const name = decodeURIComponent(sent)
      return other === name || other === `${name}=${decodeURIComponent(value).replace('-', '')}`
    })
  }
  return (
    status === 400 &&
    query.length > 1 &&
    everyDetail(entry => (entry.code === 'not_in_enum' && entry.name === 'sort') || isExcluded(entry))
  )
}

function checkReplay(first: FuzzResponse, again: FuzzResponse): Finding[] {
  const differing = ['location', 'etag', 'content-type'].filter(
    name => first.headers.get(name) !== again.headers.get(name),
  )
  return [
    ...findingIf(first.status !== again.status, 'replay-status', `${first.status} became ${again.status}`),
    ...findingIf(!first.body.equals(again.body), 'replay-body', `${first.body} became ${again.body}`),
    ...findingIf(differing.length > 0, 'replay-headers', `${differing.join(', ')} differ`),
    ...findingIf(
      again.headers.get('idempotent-replayed') !== 'true',
      'replay-unmarked',
      'Idempotent-Replayed is missing',
    ),
  ]
}

/**
 * Returns a finding for each difference, except the body, between the responses to HEAD and GET (RFC 9110, section
 * 9.3.2).
 */
function checkHead(get: FuzzResponse, head: FuzzResponse): Finding[] {
  const names = new Set([...get.headers.keys(), ...head.headers.keys()])
  // Another client may have changed the resource between the two requests. Its ETag and length then differ.
  const tag = get.headers.get('etag')
  const isSame = get.status >= 400 || (tag !== undefined && tag === head.headers.get('etag'))
  // The list may have grown between the two requests. The former last page then links to a next page.
  const isList = get.headers.get('link')?.includes('rel="first"')
  const mayDiffer = [
    'date',
    'x-request-id',
    'ratelimit',
    ...(isList ? ['link'] : []),
    ...(isSame ? [] : ['etag', 'content-length']),
  ]
  const differing = [...names].filter(
    name => !mayDiffer.includes(name) && get.headers.get(name) !== head.headers.get(name),
  )
  return [
    ...findingIf(get.status !== head.status, 'head-status', `GET is ${get.status}, HEAD ${head.status}`),
    ...findingIf(
      get.status === head.status && differing.length > 0,
      'head-headers',
      `${differing.join(', ')} differ`,
    ),
    ...findingIf(head.body.length > 0, 'head-body', 'HEAD has a body'),
  ]
}

function checkAllow({ status, methods }: Expectation & { kind: 'allow' }, response: FuzzResponse): Finding[] {
  const expected = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ')
  const allow = response.headers
    .get('allow')
    ?.split(',')
    .map(name => name.trim())
    .sort()
    .join(', ')
  return [
    ...findingIf(
      response.status !== status,
      'method-not-allowed',
      `the status is ${response.status}, but must be ${status}`,
    ),
    ...findingIf(allow !== expected, 'allow', `Allow is ${allow}, but must be ${expected}`),
  ]
}
