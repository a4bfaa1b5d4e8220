import { parseJson } from '../values/json.ts'
import type { Event } from './api-types.ts'

export interface WebhookRequest {
  /** The headers of the request, as `fetch` or Node represents them. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The raw body. Re-serialized JSON has other bytes, and the signature would not match. */
  readonly body: string | Uint8Array | ArrayBuffer
}

/**
 * A webhook request that could not be verified: a missing or malformed header, a wrong signature, a timestamp outside
 * the tolerance, or a body that is not JSON.
 */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WebhookVerificationError'
  }
}

/** The maximum difference between webhook-timestamp and the local clock. */
const TOLERANCE_SECONDS = 300

/**
 * Verifies a webhook request (Standard Webhooks, HMAC-SHA256) and returns its event. A receiver should ignore an event
 * whose `id` it has already handled, because an event can arrive more than once.
 *
 * `secret` is the `whsec_` text that createWebhook returned; while a secret is being rotated, it is an array of the old
 * and the new secret. `nowMs` is the current time in milliseconds since 1970. Throws WebhookVerificationError, or
 * TypeError if a secret is malformed or the body is not text or bytes.
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  { headers, body }: WebhookRequest,
  nowMs: number = Date.now(),
): Promise<Event> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
    .split(' ')
    .flatMap(signature => (signature.startsWith('v1,') ? [decodeBase64(signature.slice(3))] : []))
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookVerificationError('webhook-timestamp is not a number.')
  // The condition is negated, because every comparison with NaN is false.
  if (!(Math.abs(nowMs / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) {
    throw new WebhookVerificationError(
      `webhook-timestamp is more than ${TOLERANCE_SECONDS} s away from the time of this machine.`,
    )
  }
  const bytes = bytesOf(body)
  const signedContent = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  for (const secretBytes of (Array.isArray(secret) ? secret : [secret]).map(decodeSecret)) {
    if (await matchesAnySignature(secretBytes, signedContent, signatures)) return parseEvent(bytes)
  }
  throw new WebhookVerificationError('No signature in webhook-signature matches the secret and the body.')
}

/** Returns the bytes of a body. Throws TypeError for a parsed body, whose text can differ from the signed text. */
function bytesOf(body: WebhookRequest['body']): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  throw new TypeError('The body of a webhook must be the text or the bytes that arrived, not a parsed value.')
}

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = typeof secret === 'string' ? decodeBase64(secret.replace(/^whsec_/, '')) : undefined
  if (bytes && bytes.length > 0) return bytes
  throw new TypeError('A webhook secret must be `whsec_` followed by base64.')
}

async function matchesAnySignature(
  secretBytes: Uint8Array<ArrayBuffer>,
  signedContent: Uint8Array<ArrayBuffer>,
  signatures: readonly (Uint8Array<ArrayBuffer> | undefined)[],
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', secretBytes, algorithm, false, ['verify'])
  for (const signature of signatures) {
    // `verify` compares in constant time.
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signedContent))) return true
  }
  return false
}

function headerOf(headers: WebhookRequest['headers'], name: string): string {
  const value =
    headers instanceof Headers ? headers.get(name) : (headers[name] ?? findIgnoringCase(headers, name))
  const [only, ...others]: unknown[] = Array.isArray(value) ? value : [value]
  if (typeof only === 'string' && others.length === 0) return only
  throw new WebhookVerificationError(`The header ${name} is missing or repeated.`)
}

function findIgnoringCase(headers: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1]
}

/** Returns the bytes that a base64 text encodes; undefined if the text is not base64. */
function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), char => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

function parseEvent(bytes: Uint8Array): Event {
  try {
    // Safe: the signature shows that the store sent the event. An event type that this version does not know is
    // returned unchecked.
    return parseJson(new TextDecoder().decode(bytes), Object.prototype) as unknown as Event
  } catch {
    throw new WebhookVerificationError('The body is signed, but it is not JSON.')
  }
}
