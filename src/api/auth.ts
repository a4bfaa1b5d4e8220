import type { Operation } from '../contract/operation.ts'
import type { Reading } from '../engine/engine.ts'
import { StoreError } from '../model/error.ts'
import { storedInstant } from '../model/instant.ts'
import { isKeyText } from '../model/key.ts'
import type { Caller } from '../shop/context.ts'
import { findCaller, holds } from '../shop/keys.ts'
import { rateGroup } from './client-address.ts'
import type { Exchange } from './exchange.ts'
import type { RateLimiter } from './rate-limit.ts'

const SCHEME = 'bearer '
const nobody: Caller = { keyId: null, scopes: [] }

/** Runs a read of a row or two where the key rows are. */
export type ReadRow = <T>(work: (reading: Reading) => Promise<T>) => Promise<T>

/**
 * Finds out who asks (RFC 6750): nobody without a token; a token that is sent must be good, even where none is needed.
 * Throws `invalid_token`, or `rate_limited` for an address that keeps on guessing.
 */
export async function authenticate(
  exchange: Exchange,
  readRow: ReadRow,
  guesses: RateLimiter,
): Promise<Caller> {
  const header = exchange.request.headers.get('authorization')
  if (header === null) return nobody
  try {
    const token = bearerToken(header)
    if (token === undefined) {
      throw new StoreError(
        'authentication_required',
        'Authorization must be "Bearer" and a key that begins with pst_.',
      )
    }
    if (!isKeyText(token)) {
      throw new StoreError('invalid_token', 'This is not a key: it is cut short or mistyped.')
    }
    return await readRow(reading => findCaller(reading, token, storedInstant(exchange.nowMs)))
  } catch (error) {
    // Only failures are counted here, so guessing stops nobody who has a key, not even behind the same address.
    const slowed = error instanceof StoreError ? guesses.take(rateGroup(exchange.address)).refusal : undefined
    throw slowed ?? error
  }
}

/**
 * The token of an Authorization field (RFC 6750, section 2.1), whatever it holds; undefined for another scheme or none.
 * Every step looks at each character once: a pattern that backtracks would let one long header stop the process.
 */
export function bearerToken(header: string): string | undefined {
  if (header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined
  let start = SCHEME.length
  while (header[start] === ' ') start++
  let end = header.length
  while (end > start && header[end - 1] === ' ') end--
  return end > start ? header.slice(start, end) : undefined
}

/** Refuses who may not. Throws `authentication_required` (401) or `insufficient_scope` (403). */
export function authorize({ scope }: Operation, caller: Caller): void {
  if (scope === 'public') return
  if (caller.keyId === null) {
    throw new StoreError('authentication_required', `This operation requires a key with the scope ${scope}.`)
  }
  if (!holds(caller, scope)) {
    throw new StoreError(
      'insufficient_scope',
      `This operation requires the scope ${scope}, which the key does not have.`,
      {
        scope,
      },
    )
  }
}
