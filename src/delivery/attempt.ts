import { Webhook } from 'standardwebhooks'
import type { Receiver } from '../shop/dispatch.ts'
import { envelopeText, type PlacedEvent } from '../shop/events.ts'
import { AddressRefused, type AddressRules, vetAddress } from './address.ts'
import { post, RequestFailed } from './request.ts'

/** From connecting to the end of the reply. */
const TIMEOUT_MS = 10_000

/** What carrying an event needs. */
export interface Courier {
  readonly base: string
  readonly rules: AddressRules
  /** Opens a secret that was sealed. */
  readonly open: (sealed: string) => string
  readonly clock: () => number
  readonly timeoutMs?: number
}

/** What came of it: a status, or the reason why none came. */
export interface Answer {
  readonly durationMs: number
  readonly status?: number
  readonly retryAfter?: string | undefined
  readonly reply?: string
  readonly error?: string
  /** The receiver was not asked, so it says nothing of it. */
  readonly unsent?: true
  /** Trying again would change nothing. */
  readonly final?: true
}

/**
 * Sends one event to a receiver once, signed as Standard Webhooks has it. The address is vetted anew, and the
 * connection goes to the very address that was vetted.
 */
export async function attempt(courier: Courier, receiver: Receiver, event: PlacedEvent): Promise<Answer> {
  const { base, rules, clock, timeoutMs = TIMEOUT_MS } = courier
  const body = envelopeText(event, base)
  const started = performance.now()
  const durationMs = (): number => performance.now() - started
  try {
    const target = await vetAddress(receiver.url, rules)
    const headers = {
      'Content-Type': 'application/cloudevents+json; charset=utf-8',
      'User-Agent': 'petstore-webhooks/1.0',
      ...signatureFields(secretsOf(courier, receiver), String(event.id), clock(), body),
    }
    const incoming = await post({ target, headers, body, timeoutMs })
    return { durationMs: durationMs(), ...incoming }
  } catch (error) {
    if (error instanceof AddressRefused || error instanceof RequestFailed) {
      return { durationMs: durationMs(), error: error.message }
    }
    throw error
  }
}

/** The secret, and the one before while that signs as well. */
function secretsOf({ open, clock }: Courier, { secret, previousSecret, previousUntil }: Receiver): string[] {
  const overlaps = previousSecret !== null && previousUntil !== null && Date.parse(previousUntil) > clock()
  return [open(secret), ...(overlaps ? [open(previousSecret)] : [])]
}

function signatureFields(
  secrets: readonly string[],
  id: string,
  nowMs: number,
  body: string,
): Record<string, string> {
  const at = new Date(nowMs)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    'webhook-signature': secrets.map(secret => new Webhook(secret).sign(id, at, body)).join(' '),
  }
}
