import { type RequestContext, varyBy } from '../request/request-context.ts'

/** Origins whose pages may call the store; `*` allows any origin. */
export type AllowedOrigins = readonly string[]

const EXPOSED = [
  'ETag',
  'Location',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'X-Request-Id',
  'Idempotent-Replayed',
  'Deprecation',
  'Sunset',
  'Petstore-Stability',
  'Petstore-Warning',
  'Petstore-Fault',
  'WWW-Authenticate',
].join(', ')

/** Returns whether a browser asks if a page may send a request. */
export function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method')
}

/**
 * Sets the headers that allow cross-origin calls from the configured origins (Fetch standard, CORS protocol). Keys are
 * sent in a header, not in cookies, so Access-Control-Allow-Credentials is not set.
 */
export function applyCors(origins: AllowedOrigins, { request, headers }: RequestContext): void {
  if (origins.length === 0) return
  varyBy(headers, 'Origin')
  const origin = request.headers.get('origin')
  if (origin === null || !(origins.includes('*') || origins.includes(origin))) return
  headers['Access-Control-Allow-Origin'] = origin
  headers['Access-Control-Expose-Headers'] = EXPOSED
  if (!isPreflight(request)) return
  headers['Access-Control-Allow-Methods'] = 'GET, HEAD, POST, PUT, PATCH, DELETE'
  headers['Access-Control-Allow-Headers'] = request.headers.get('access-control-request-headers') ?? ''
  headers['Access-Control-Max-Age'] = '600'
}
