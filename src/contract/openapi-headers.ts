import type { Part } from './openapi.ts'
import type { Operation } from './operation.ts'

const text = { type: 'string' }
const integer = { type: 'integer', format: 'int32' }

/** Every header field that an answer may have, under `components/headers`. */
export const headerComponents: Record<string, Part> = {
  'X-Request-Id': {
    description: 'The id of the request, taken from it or made; the logs bear it.',
    schema: text,
    example: 'till-2.00042',
  },
  'RateLimit-Policy': {
    description: 'Requests (q) in a window of seconds (w).',
    schema: text,
    example: '"default";q=60000;w=60',
  },
  RateLimit: {
    description: 'Requests that are left (r), and seconds until the window ends (t).',
    schema: text,
    example: '"default";r=59999;t=60',
  },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: integer, example: 1 },
  ETag: {
    description: 'The validator of the representation (RFC 9110).',
    schema: text,
    example: '"Yk3J0nVb2Qd5x8mZr1TQ4A"',
  },
  'Cache-Control': { description: 'Who may keep the answer (RFC 9111).', schema: text, example: 'no-cache' },
  Location: {
    description: 'The absolute URI of what was made.',
    schema: { type: 'string', format: 'uri' },
    example: 'http://127.0.0.1:8080/pets/42',
  },
  Link: {
    description: 'Absolute URIs with their relations (RFC 8288).',
    schema: text,
    example: '<http://127.0.0.1:8080/pets>; rel="first"',
  },
  'Idempotent-Replayed': {
    description: 'The answer is the stored one of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  Deprecation: {
    description: 'Since when the operation is deprecated, in Unix time (RFC 9745).',
    schema: text,
    example: '@1795132800',
  },
  Sunset: {
    description: 'Until when it answers (RFC 8594).',
    schema: text,
    example: 'Fri, 31 Dec 2027 23:59:59 GMT',
  },
  'Petstore-Stability': {
    description: 'How settled the operation is.',
    schema: { type: 'string', enum: ['beta', 'experimental'] },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    schema: text,
    example: 'Bearer realm="petstore"',
  },
}

/** The header fields that an answer of an operation has: of its success, or of a refusal with `status`. */
export function answerHeaders(operation: Operation, status?: number): Part {
  const { stability, deprecation, success, method, etag, location, secret } = operation
  const refused = status !== undefined
  const list = 'list' in success
  const names = [
    'X-Request-Id',
    'RateLimit-Policy',
    'RateLimit',
    'Cache-Control',
    ...((!refused && ((etag && method !== 'DELETE') || list)) || status === 412 ? ['ETag'] : []),
    ...(!refused && location ? ['Location'] : []),
    ...((!refused && list) || deprecation ? ['Link'] : []),
    ...(!refused && method !== 'GET' && !secret ? ['Idempotent-Replayed'] : []),
    ...(deprecation ? ['Deprecation', 'Sunset'] : []),
    ...(stability === 'beta' || stability === 'experimental' ? ['Petstore-Stability'] : []),
    ...(status === 401 || status === 403 ? ['WWW-Authenticate'] : []),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
  ]
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The header fields that a request of an operation may or must have. */
export function requestHeaders({ method, etag, secret, preview }: Operation): Part[] {
  const parts: Part[] = []
  const add = (name: string, description: string, example: string, required = false): void => {
    parts.push({ name, in: 'header', required, description, schema: { ...text, maxLength: 1024 }, example })
  }
  if (method === 'GET')
    add('If-None-Match', 'Answer 304 if the ETag is still this one.', '"Yk3J0nVb2Qd5x8mZr1TQ4A"')
  else if (method !== 'POST' && etag) {
    add('If-Match', 'Change it only if its ETag is still this one.', '"Yk3J0nVb2Qd5x8mZr1TQ4A"')
  }
  if (method !== 'GET' && !secret) {
    add(
      'Idempotency-Key',
      'Any text of your choice: a repeat with it has no second effect.',
      '"order-2026-0042"',
    )
  }
  if (preview !== undefined) add('Petstore-Preview', `Must name the feature ${preview}.`, preview, true)
  return parts
}
