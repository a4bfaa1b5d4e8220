import type { JsonObject, JsonValue } from '../src/model/json.ts'
import type { Answer } from './answer.ts'
import type { Ask, Expectation } from './ask.ts'
import type { Finding } from './judge.ts'
import { isObject } from './validate.ts'

/** Checks a response against the expectation of its request. */
export function judgeExpectation(ask: Ask, answer: Answer, body: JsonValue | undefined): Finding[] {
  const { expects } = ask
  const refusal = isObject(body) ? body : {}
  switch (expects.kind) {
    case 'refusal':
      return judgeRefused(expects, answer, refusal)
    case 'valid':
      return judgeValid(ask, expects, answer, refusal)
    case 'replay':
      return judgeReplay(expects.of, answer)
    case 'head':
      return judgeHead(expects.of, answer)
    case 'allow':
      return judgeAllow(expects, answer)
    case 'unknown path':
      return found(answer.status !== 404, 'unknown-path', `the status is ${answer.status}`)
  }
}

function found(is: boolean, check: string, detail: string): Finding[] {
  return is ? [{ check, detail }] : []
}

function judgeRefused(
  { statuses, check, why }: Expectation & { kind: 'refusal' },
  { status, headers }: Answer,
  { message }: JsonObject,
): Finding[] {
  const wanted = `${why}: the status must be ${statuses.join(' or ')}, and is ${status} (${message})`
  if (!statuses.includes(status)) {
    const isAccepted = check === 'auth-bypassed' || status < 400
    return [{ check: isAccepted ? check : 'wrong-refusal', detail: wanted }]
  }
  const needsChallenge = status === 401 || status === 403
  return [
    ...found(
      needsChallenge && !headers.has('www-authenticate'),
      'no-challenge',
      `${status} without WWW-Authenticate`,
    ),
    ...found(status === 429 && !headers.has('retry-after'), 'no-retry-after', '429 without Retry-After'),
  ]
}

function judgeValid(
  ask: Ask,
  { thing, condition }: Expectation & { kind: 'valid' },
  { status }: Answer,
  refusal: JsonObject,
): Finding[] {
  const isGone = thing?.goneFrom !== undefined
  const said = `the response is ${status} ${refusal.code ?? ''}: ${refusal.message ?? ''}`
  if (isGone) return found(status !== 404, 'deleted-answers', `it was deleted, and ${said}`)
  if (thing && status === 404)
    return [{ check: 'vanished', detail: `it was created and not deleted, and ${said}` }]
  if (condition === 'fails' && thing) return found(status !== 412, 'precondition-ignored', said)
  if (status === 412)
    return found(condition === 'none' || condition === 'holds', 'precondition-refused', said)
  if (condition === 'unmodified') return found(status !== 304, 'not-304', said)
  if (status === 304) return found(condition !== 'unclear', 'wrong-304', said)
  if (status < 400 || status === 404) return []
  return found(!mayRefuse(ask, status, refusal), 'refused-valid', said)
}

/** Refusals of a valid request because of the state of the store, or of a rule that is only in the text. */
function mayRefuse({ method, query, operation }: Ask, status: number, { code, errors }: JsonObject): boolean {
  if (method !== 'GET' && status === 409) return true
  if (method !== 'GET' && status === 422 && code === 'unknown_reference') return true
  const places = Array.isArray(errors) ? errors.filter(isObject) : []
  const all = (test: (place: JsonObject) => boolean): boolean => places.length > 0 && places.every(test)
  // A key revokes only keys whose scopes it has.
  if (operation?.path === '/keys/{keyId}' && status === 403 && code === 'insufficient_scope') return true
  // An address to which the operator does not allow events to be sent.
  if (method !== 'GET' && status === 422 && all(place => place.pointer === '/url')) return true
  // A position that has not been reached yet.
  if (status === 400 && all(place => place.name === 'after' && place.code === 'out_of_range')) return true
  // A member of a patch that must keep its value, but has another one.
  if (method === 'PATCH' && status === 422) return all(place => place.code === 'read_only')
  // A list that is filtered by a range is sorted by it.
  return (
    status === 400 && query.length > 1 && all(place => place.name === 'sort' && place.code === 'not_in_enum')
  )
}

function judgeReplay(first: Answer, again: Answer): Finding[] {
  const differing = ['location', 'etag', 'content-type'].filter(
    name => first.headers.get(name) !== again.headers.get(name),
  )
  return [
    ...found(first.status !== again.status, 'replay-status', `${first.status} became ${again.status}`),
    ...found(!first.body.equals(again.body), 'replay-body', `${first.body} became ${again.body}`),
    ...found(differing.length > 0, 'replay-headers', `${differing.join(', ')} differ`),
    ...found(
      again.headers.get('idempotent-replayed') !== 'true',
      'replay-unmarked',
      'Idempotent-Replayed is missing',
    ),
  ]
}

/** RFC 9110, section 9.3.2: the response of the GET, without its body. */
function judgeHead(get: Answer, head: Answer): Finding[] {
  const names = new Set([...get.headers.keys(), ...head.headers.keys()])
  // Other clients may have changed the resource in between: then these fields differ.
  const tag = get.headers.get('etag')
  const isSame = get.status >= 400 || (tag !== undefined && tag === head.headers.get('etag'))
  // The last page of a list is still the same page when another one follows it.
  const isList = get.headers.get('link')?.includes('rel="first"')
  const free = [
    'date',
    'x-request-id',
    'ratelimit',
    ...(isList ? ['link'] : []),
    ...(isSame ? [] : ['etag', 'content-length']),
  ]
  const differing = [...names].filter(
    name => !free.includes(name) && get.headers.get(name) !== head.headers.get(name),
  )
  return [
    ...found(get.status !== head.status, 'head-status', `GET is ${get.status}, HEAD ${head.status}`),
    ...found(
      get.status === head.status && differing.length > 0,
      'head-headers',
      `${differing.join(', ')} differ`,
    ),
    ...found(head.body.length > 0, 'head-body', 'HEAD has a body'),
  ]
}

function judgeAllow({ status, methods }: Expectation & { kind: 'allow' }, answer: Answer): Finding[] {
  const wanted = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort().join(', ')
  const allow = answer.headers
    .get('allow')
    ?.split(',')
    .map(name => name.trim())
    .sort()
    .join(', ')
  return [
    ...found(
      answer.status !== status,
      'method-not-allowed',
      `the status is ${answer.status}, and must be ${status}`,
    ),
    ...found(allow !== wanted, 'allow', `Allow is ${allow}, and must be ${wanted}`),
  ]
}
