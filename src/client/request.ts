import { writeJson } from '../model/json.ts'
import type { CallOptions } from './call.ts'

/** `fetch`, or a function that works like it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A store, and how it is reached. */
export interface Connection {
  /** The base address, without a trailing slash. */
  readonly base: string
  readonly key: string | undefined
  readonly fetch: Fetch
}

/** How an operation is sent. */
export interface OperationShape {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters are in braces: `/pets/{petId}`. */
  readonly path: string
  /** The names of the query parameters. */
  readonly query?: readonly string[]
  /** The operation is a list; the query parameter that selects the page. */
  readonly pages?: 'cursor' | 'after'
  readonly takesIdempotencyKey?: true
  /** The feature that an experimental operation requires in Petstore-Preview. */
  readonly preview?: string
}

/** The input of an operation: path and query parameters by name, and `body`. */
export type OperationInput = Readonly<Record<string, unknown>>

/** A request that can be sent more than once. */
export interface PreparedRequest {
  readonly url: string
  readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string }
  /** Whether sending it twice has the same effect as sending it once. */
  readonly isRepeatable: boolean
}

const IDEMPOTENCY_KEY = /^[ -~]{1,255}$/
const HEADER_VALUE = /^[\t -~\x80-\xff]*$/

/** Prepares a request. Throws TypeError or RangeError for input that no request can carry. */
export function prepareRequest(
  { base, key }: Connection,
  operation: OperationShape,
  input: OperationInput,
  options: CallOptions,
): PreparedRequest {
  const { method, preview } = operation
  const headers: Record<string, string> = { Accept: 'application/json' }
  if (key !== undefined) headers.Authorization = `Bearer ${key}`
  if (options.ifMatch !== undefined) headers['If-Match'] = options.ifMatch
  if (options.ifNoneMatch !== undefined) headers['If-None-Match'] = options.ifNoneMatch
  if (preview !== undefined) headers['Petstore-Preview'] = preview
  const idempotencyKey = idempotencyKeyFor(operation, options)
  if (idempotencyKey !== undefined)
    headers['Idempotency-Key'] = `"${idempotencyKey.replaceAll(/["\\]/g, '\\$&')}"`
  const init: { method: string; headers: Record<string, string>; body?: string } = { method, headers }
  if (input.body !== undefined) {
    headers['Content-Type'] = 'application/json'
    init.body = writeJson(checked(input.body, 'body'))
  }
  Object.assign(headers, options.headers)
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_VALUE.test(value))
      throw new TypeError(`The header ${name} has a character that HTTP does not allow.`)
  }
  return {
    url: base + targetOf(operation, input),
    init,
    isRepeatable: method === 'GET' || idempotencyKey !== undefined,
  }
}

function idempotencyKeyFor(operation: OperationShape, { idempotencyKey }: CallOptions): string | undefined {
  if (idempotencyKey === undefined) return operation.takesIdempotencyKey ? crypto.randomUUID() : undefined
  if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
    throw new RangeError('An idempotency key must be 1 to 255 printable ASCII characters.')
  }
  return idempotencyKey
}

function targetOf({ path, query = [] }: OperationShape, input: OperationInput): string {
  for (const name of Object.keys(input)) {
    if (name !== 'body' && !query.includes(name) && !path.includes(`{${name}}`)) {
      throw new TypeError(`The operation has no parameter ${name}. (Members of the body belong in \`body\`.)`)
    }
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = input[name]
    if (value === undefined || value === null || value === '') throw new TypeError(`${name} is missing.`)
    return encodeURIComponent(String(checked(value, name)))
  })
  const pairs = query.flatMap(name => {
    const value = input[name]
    const values: unknown[] = Array.isArray(value) ? value : [value]
    return values
      .filter(one => one !== undefined)
      .map(one => `${name}=${encodeURIComponent(String(checked(one, name)))}`)
  })
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled
}

/** Returns the value, with every integer as a bigint. Throws RangeError for a number that may have been rounded. */
function checked(value: unknown, name: string): unknown {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return BigInt(value)
    throw new RangeError(`${name} is ${value}, which is not an exact integer: use a bigint.`)
  }
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map((item, index) => checked(item, `${name}[${index}]`))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([member, item]) => [member, checked(item, `${name}.${member}`)]),
  )
}
