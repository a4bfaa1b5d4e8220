import { writeJson } from '../values/json.ts'
import type { CallOptions } from './call.ts'
import type { SuccessBody } from './response.ts'

/** `fetch`, or a function that works like it. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** The address of a store, and how requests are sent there. */
export interface Connection {
  /** The base address, without a trailing slash. */
  readonly base: string
  readonly key: string | undefined
  readonly fetch: Fetch
}

/** The properties of an operation from which its request is made. */
export interface OperationShape {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters are in braces: `/pets/{petId}`. */
  readonly path: string
  /** The names of the query parameters. */
  readonly query?: readonly string[]
  /** Only for a list: the query parameter that selects the page. */
  readonly pages?: 'cursor' | 'after'
  /** The body of a success is an array of all items: the list has no pages. */
  readonly list?: true
  /** A success is an endless stream of items. */
  readonly stream?: true
  /** The members of the items that need not be integers. */
  readonly numbers?: readonly string[]
  /** A success has no body. */
  readonly empty?: true
  readonly takesIdempotencyKey?: true
  /** The body can have numbers that are not integers. */
  readonly hasFractions?: true
  /** The feature that an experimental operation requires in Petstore-Preview. */
  readonly preview?: string
}

/** The input of an operation: path and query parameters by name, and `body`. */
export type OperationInput = Readonly<Record<string, unknown>>

/** A request that is ready to be sent. Each attempt sends the same request. */
export interface PreparedRequest {
  readonly url: string
  readonly init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string }
  /** Whether sending the request twice has the same effect as sending it once. */
  readonly isRepeatable: boolean
  readonly idempotencyKey: string | undefined
  /** The content of the body of a successful response. */
  readonly success: SuccessBody
}

const IDEMPOTENCY_KEY = /^[ -~]{1,255}$/
const HEADER_VALUE = /^[\t -~\x80-\xff]*$/

/** Returns the request for an operation. Throws TypeError or RangeError for input that cannot be sent. */
export function prepareRequest(
  connection: Connection,
  operation: OperationShape,
  input: OperationInput,
  options: CallOptions,
): PreparedRequest {
  const { method, preview, pages, list, empty, hasFractions = false } = operation
  if (typeof input !== 'object' || input === null)
    throw new TypeError('The input of an operation is an object.')
  const idempotencyKey = idempotencyKeyFor(operation, options)
  const body = input.body === undefined ? undefined : writeJson(exactValue(input.body, 'body', hasFractions))
  const headers = requestHeaders(connection, {
    Accept: 'application/json',
    // A proxy that compresses responses makes the strong ETag of a resource weak, and a weak one may be refused.
    'If-Match': options.ifMatch?.replace(/^W\//, ''),
    'If-None-Match': options.ifNoneMatch,
    'Petstore-Preview': preview,
    'Idempotency-Key': idempotencyKey && `"${idempotencyKey.replaceAll(/["\\]/g, '\\$&')}"`,
    'Content-Type': body === undefined ? undefined : 'application/json',
    ...options.headers,
  })
  return {
    url: connection.base + targetOf(operation, input),
    init: { method, headers, ...(body !== undefined && { body }) },
    isRepeatable: method === 'GET' || headers['idempotency-key'] !== undefined,
    idempotencyKey,
    success: pages !== undefined || list ? 'list' : empty ? 'nothing' : 'resource',
  }
}

/**
 * Returns the headers of a request, with the key. A later header replaces an earlier one of the same name. Throws
 * TypeError for a value that HTTP does not allow.
 */
export function requestHeaders(
  { key }: Connection,
  named: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const headers: Record<string, string> = {}
  if (key !== undefined) headers.authorization = `Bearer ${key}`
  for (const [name, value] of Object.entries(named)) {
    if (value !== undefined) headers[name.toLowerCase()] = value
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_VALUE.test(value)) {
      throw new TypeError(`The header ${name} has a character that HTTP does not allow.`)
    }
  }
  return headers
}

function idempotencyKeyFor(operation: OperationShape, options: CallOptions): string | undefined {
  const key = options.idempotencyKey ?? undefined
  if (key === undefined) return operation.takesIdempotencyKey ? newIdempotencyKey() : undefined
  if (IDEMPOTENCY_KEY.test(key)) return key
  throw new RangeError('An idempotency key must be 1 to 255 printable ASCII characters.')
}

/** Returns 128 random bits in the form of a UUID. On a page without HTTPS, `crypto.randomUUID` does not exist. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/**
 * Returns the path and query of a request. Throws TypeError for an unknown parameter, and TypeError or RangeError for a
 * value that a URL cannot contain.
 */
export function targetOf(
  { path, query = [] }: Pick<OperationShape, 'path' | 'query'>,
  input: OperationInput,
): string {
  for (const name of Object.keys(input)) {
    if (name !== 'body' && !query.includes(name) && !path.includes(`{${name}}`)) {
      throw new TypeError(`The operation has no parameter ${name}. (Members of the body belong in \`body\`.)`)
    }
  }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const text = parameterText(input[name], name)
    // A URL with such a segment is the URL of another path.
    if (text === '' || text === '.' || text === '..') throw new TypeError(`${name} must not be "${text}".`)
    return encodeURIComponent(text)
  })
  const pairs = query.flatMap(name => {
    const value = input[name]
    if (value === undefined) return []
    const values: unknown[] = Array.isArray(value) ? value : [value]
    // Without a value, the filter would be absent, and the list would contain all items.
    if (values.length === 0) throw new TypeError(`${name} must have at least one value.`)
    return values.map(element => `${name}=${encodeURIComponent(parameterText(element, name))}`)
  })
  return pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled
}

/**
 * Returns the text of a path or query parameter. Throws TypeError for a value that has no text, and RangeError for a
 * number that is not an exact integer.
 */
export function parameterText(value: unknown, name: string): string {
  const exact = exactValue(value, name)
  if (exact === undefined || exact === null) throw new TypeError(`${name} is missing.`)
  if (typeof exact === 'object') throw new TypeError(`${name} must be one value.`)
  const text = String(exact)
  if (!text.isWellFormed()) throw new TypeError(`${name} has a lone surrogate.`)
  return text
}

/**
 * Returns a value as JSON. A bigint becomes an integer (JSON.stringify throws for a bigint). Throws RangeError for a
 * number that is not an exact integer, and TypeError for a value that JSON cannot represent, such as a Map.
 */
export function toJson(value: unknown, name = 'the value'): string {
  return writeJson(exactValue(value, name))
}

/**
 * Returns a value with every integer as a bigint, and every Date as text. Throws like `toJson`; `hasFractions` allows
 * finite numbers that are not integers.
 */
function exactValue(value: unknown, name: string, hasFractions = false): unknown {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return BigInt(value)
    if (hasFractions && Number.isFinite(value) && !Number.isInteger(value)) return value
    throw new RangeError(`${name} is ${value}, which is not an exact integer: use a bigint.`)
  }
  if (typeof value === 'function' || typeof value === 'symbol') throw unrepresentable(name)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      if (item === undefined) throw unrepresentable(`${name}[${index}]`)
      return exactValue(item, `${name}[${index}]`, hasFractions)
    })
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw unrepresentable(name)
  return Object.fromEntries(
    Object.entries(value).map(([member, item]) => [
      member,
      exactValue(item, `${name}.${member}`, hasFractions),
    ]),
  )
}

function unrepresentable(name: string): TypeError {
  return new TypeError(`${name} cannot be represented in JSON.`)
}
