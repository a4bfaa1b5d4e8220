import { Webhook } from 'standardwebhooks'
import { envelopeText } from '../shop/events/feed.ts'
import type { SequencedEvent } from '../shop/log/recording.ts'
import type { Receiver } from '../shop/webhooks/delivery-state.ts'
import { AddressRefused, type AddressRules, checkAddress } from './address.ts'
import type { HostLimit } from './host-limit.ts'
import { type Incoming, type Outgoing, post, RequestFailed } from './request.ts'

/** The time limit of a request, from the connection to the end of the reply. */
const TIMEOUT_MS = 10_000

/** The dependencies of an attempt. */
export interface DeliveryContext {
  readonly base: string
  readonly rules: AddressRules
  readonly decrypt: (encrypted: string) => string
  readonly clock: () => number
  readonly timeoutMs?: number
  /** Sends a request and returns the response, or throws RequestFailed; `post` by default. */
  readonly send?: (outgoing: Outgoing) => Promise<Incoming>
  /** The limit of attempts per receiving host. Stores that share this object have one common limit. */
  readonly hostLimit?: HostLimit
}

/** The result of an attempt: a status, or in `error` the reason why there is no status. */
export interface AttemptResult {
  readonly durationMs: number
  readonly status?: number
  readonly retryAfter?: string | undefined
  readonly reply?: string
  readonly error?: string
  /** The request was not sent, so the result says nothing about the receiver. */
  readonly unsent?: true
  /** Set together with `unsent` if the limit of the host is reached: the attempt may be made after this time. */
  readonly waitMs?: number
  /** Another attempt would have the same result. */
  readonly final?: true
}

/**
 * Sends one event to a receiver once, signed per Standard Webhooks, and returns the result. A refused address or a
 * failed request is returned as `error`; any other error is thrown. The address is checked at every attempt, and the
 * connection goes to exactly the address that was checked.
 */
export async function attempt(
  delivery: DeliveryContext,
  receiver: Receiver,
  event: SequencedEvent,
): Promise<AttemptResult> {
  const { base, rules, clock, timeoutMs = TIMEOUT_MS, send = post, hostLimit } = delivery
  const body = envelopeText(event, base)
  const startedMs = performance.now()
  const durationMs = (): number => performance.now() - startedMs
  try {
    const destination = await checkAddress(receiver.url, rules)
    const headers = {
      'Content-Type': 'application/cloudevents+json; charset=utf-8',
      'User-Agent': 'petstore-webhooks/1.0',
      ...(event.traceparent !== null && { traceparent: event.traceparent }),
      ...signatureFields(secretsOf(delivery, receiver), String(event.id), clock(), body),
    }
    const waitMs = hostLimit?.take(destination) ?? 0
    if (hostLimit && waitMs > 0)
      return { durationMs: durationMs(), unsent: true, waitMs, error: limitText(hostLimit) }
    const incoming = await send({ destination, headers, body, timeoutMs })
    return { durationMs: durationMs(), ...incoming }
  } catch (error) {
    if (error instanceof AddressRefused || error instanceof RequestFailed) {
      return { durationMs: durationMs(), error: error.message }
    }
    throw error
  }
}

function limitText({ attemptsMax }: HostLimit): string {
  return `The limit of ${attemptsMax} attempts a minute to this host is reached; the delivery waits.`
}

/**
 * Returns the decrypted secrets that sign the request: the current one, and during a rotation also the previous one.
 */
function secretsOf(
  { decrypt, clock }: DeliveryContext,
  { secret, previousSecret, previousUntil }: Receiver,
): string[] {
  const overlaps = previousSecret !== null && previousUntil !== null && Date.parse(previousUntil) > clock()
  return [decrypt(secret), ...(overlaps ? [decrypt(previousSecret)] : [])]
}

function signatureFields(
  secrets: readonly string[],
  id: string,
  nowMs: number,
  body: string,
): Record<string, string> {
  const signedAt = new Date(nowMs)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    'webhook-signature': secrets.map(secret => new Webhook(secret).sign(id, signedAt, body)).join(' '),
  }
}
