import type { Part } from './openapi-schemas.ts'
import type { Operation } from './operation.ts'

const field = (pattern: string): Part => ({ type: 'string', pattern, maxLength: 16_384 })

/** Every header field that an answer may have. */
const fields = {
  'X-Request-Id': {
    description: 'The id of the request, taken from it or made; the logs bear it.',
    schema: field('^[A-Za-z0-9._-]{1,128}$'),
    example: 'till-2.00042',
  },
  'RateLimit-Policy': {
    description: 'Requests (q) in a window of seconds (w); absent when the operator set no limit.',
    schema: field('^"default";q=[0-9]+;w=[0-9]+$'),
    example: '"default";q=60000;w=60',
  },
  RateLimit: {
    description: 'Requests that are left (r), and seconds until the window ends (t).',
    schema: field('^"default";r=[0-9]+;t=[0-9]+$'),
    example: '"default";r=59999;t=60',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next try.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 },
    example: 42,
  },
  ETag: {
    description: 'The validator of the representation (RFC 9110); weak for a page of a list.',
    schema: field('^(W/)?"[A-Za-z0-9_-]{22}"$'),
    example: '"3NAJmmzeVeErhHJNz8lLvW"',
  },
  'Cache-Control': {
    description: 'Who may keep the answer (RFC 9111).',
    schema: { type: 'string', enum: ['no-cache', 'private, no-cache', 'no-store'] },
    example: 'no-cache',
  },
  Location: {
    description: 'The absolute URI of what was made.',
    schema: { type: 'string', format: 'uri', maxLength: 8192 },
    example: 'http://127.0.0.1:8080/pets/350',
  },
  Link: {
    description: 'Absolute URIs with their relations (RFC 8288).',
    schema: field('^<[^>]+>; rel="'),
    example: '<http://127.0.0.1:8080/pets>; rel="first"',
  },
  'Idempotent-Replayed': {
    description: 'The answer is the stored one of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  Deprecation: {
    description: 'Since when the operation is deprecated, in Unix time (RFC 9745).',
    schema: field('^@[0-9]+$'),
    example: '@1795132800',
  },
  Sunset: {
    description: 'Until when it answers (RFC 8594).',
    schema: field('^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$'),
    example: 'Fri, 31 Dec 2027 23:59:59 GMT',
  },
  'Petstore-Stability': {
    description: 'How settled the operation is.',
    schema: { type: 'string', enum: ['beta', 'experimental'] },
    example: 'beta',
  },
  'Accept-Patch': {
    description: 'The media types that a PATCH may have (RFC 5789).',
    schema: { type: 'string', enum: ['application/merge-patch+json, application/json'] },
    example: 'application/merge-patch+json, application/json',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    schema: field('^Bearer realm="petstore"'),
    example: 'Bearer realm="petstore"',
  },
} as const satisfies Record<string, Part>

type FieldName = keyof typeof fields
/** Whether an answer always has a header field, or only at times. */
type Presence = 'always' | 'at times'

/**
 * Under `components/headers`: each field once as it is where a response always has it, and once as it is where a
 * response may have it.
 */
export const headerComponents: Part = Object.fromEntries(
  Object.entries(fields).flatMap(([name, part]) => [
    [name, { ...part, required: true }],
    [optionalName(name), part],
  ]),
)

function optionalName(name: string): string {
  return `Optional${name.replaceAll('-', '')}`
}

/** The header fields that a response of an operation has, and whether it has them always. */
export function presentHeaders(operation: Operation, status: number): ReadonlyMap<FieldName, Presence> {
  return new Map<FieldName, Presence>([
    ['X-Request-Id', 'always'],
    ...rateFields(operation, status),
    ['Cache-Control', 'always'],
    ...(status < 400 ? successFields(operation, status) : refusalFields(operation, status)),
    ...lifecycleFields(operation),
  ])
}

/** The `headers` of a response that several operations share: a field is required where each of them always has it. */
export function headerParts(present: readonly ReadonlyMap<FieldName, Presence>[]): Part {
  const names = new Set(present.flatMap(one => [...one.keys()]))
  return Object.fromEntries(
    [...names].map(name => {
      const always = present.every(one => one.get(name) === 'always')
      return [name, { $ref: `#/components/headers/${always ? name : optionalName(name)}` }]
    }),
  )
}

/** The header fields of the response that an operation has with `status`. */
export function answerHeaders(operation: Operation, status: number): Part {
  return headerParts([presentHeaders(operation, status)])
}

/** The rate is counted after authentication: what is refused before says nothing of it. */
function rateFields({ scope }: Operation, status: number): [FieldName, Presence][] {
  if (status === 414 || (status === 401 && scope === 'public')) return []
  return [
    ['RateLimit-Policy', 'at times'],
    ['RateLimit', 'at times'],
  ]
}

function successFields(operation: Operation, status: number): [FieldName, Presence][] {
  const { success, method, etag, location, secret } = operation
  const isList = 'list' in success
  const names: [FieldName, boolean][] = [
    ['ETag', isList || (etag === true && status !== 204 && method !== 'PUT')],
    ['Location', location !== undefined],
    ['Link', isList],
  ]
  const replayed: [FieldName, Presence][] =
    method !== 'GET' && !secret ? [['Idempotent-Replayed', 'at times']] : []
  return [
    ...names.flatMap(([name, is]): [FieldName, Presence][] => (is ? [[name, 'always']] : [])),
    ...replayed,
  ]
}

function refusalFields({ method }: Operation, status: number): [FieldName, Presence][] {
  if (status === 415 && method === 'PATCH') return [['Accept-Patch', 'always']]
  if (status === 412) return [['ETag', 'always']]
  if (status === 401 || status === 403) return [['WWW-Authenticate', 'always']]
  return status === 429 || status === 503 ? [['Retry-After', 'always']] : []
}

/** The stage of an operation is told on every answer to a request for it. */
function lifecycleFields({ stability, deprecation }: Operation): [FieldName, Presence][] {
  const names: FieldName[] = deprecation ? ['Deprecation', 'Sunset', 'Link'] : []
  if (stability === 'beta' || stability === 'experimental') names.push('Petstore-Stability')
  return names.map(name => [name, 'always'])
}

/** The tag of an older version: a read with it responds with the resource, not with 304. */
const olderTag = '"0mXq7TzLw5RkJc2VhYb9Ge"'
/** `*`, or a list of entity tags (RFC 9110, section 8.8.3). */
const tagList = field('^(\\*|(W/)?"[!#-~]*"(, *(W/)?"[!#-~]*")*)$')
/** 1 to 255 characters bare, or as a string of RFC 9651. */
const idempotencyKey = {
  type: 'string',
  pattern: '^([!#-~]{1,255}|"([ !#-\\[\\]-~]|\\\\["\\\\]){1,255}")$',
  minLength: 1,
  maxLength: 512,
}

/** The header fields that a request of an operation may or must have. */
export function requestHeaders(operation: Operation): Part[] {
  const { method, secret, preview, success } = operation
  const parts: Part[] = []
  const add = (name: string, description: string, example: string, schema: Part, required = false): void => {
    parts.push({ name, in: 'header', required, description, schema, example })
  }
  if (method === 'GET' && isConditional(operation)) {
    add('If-None-Match', 'Respond with 304 if the ETag is one of these.', olderTag, tagList)
  }
  if (isGuarded(operation)) {
    add('If-Match', 'Proceed only if the ETag is one of these; * is any.', '*', tagList)
  }
  if (method !== 'GET' && !secret) {
    const description =
      '1 to 255 printable ASCII characters of your choice, in double quotes (or bare, without blanks): a repeat with it within 24 hours has no second effect.'
    add('Idempotency-Key', description, '"order-2026-0042"', idempotencyKey)
  }
  if ('stream' in success) {
    const description = 'The last `id` that was seen: the stream goes on after it.'
    add('Last-Event-ID', description, '669', { type: 'string', pattern: '^[0-9]{1,19}$', maxLength: 19 })
  }
  if (preview !== undefined) {
    const description = `A list of features; ${preview} must be one of them.`
    add('Petstore-Preview', description, preview, field(`(^|, *)${preview}($| *,)`), true)
  }
  return parts
}

/** Whether an operation is on one resource that exists, so that If-Match applies to it. */
export function isGuarded({ method, etag }: Operation): boolean {
  return method !== 'POST' && etag === true
}

/** Whether a read has a validator, and so can answer 304. */
export function isConditional({ etag, success }: Operation): boolean {
  return etag === true || 'list' in success
}
