import type { Operation } from '../contract/operation.ts'
import type { Reading } from '../engine/engine.ts'
import { StoreError } from '../model/error.ts'
import { storedInstant } from '../model/instant.ts'
import { isKeyText } from '../model/key.ts'
import type { Caller } from '../shop/context.ts'
import { findCaller, holds } from '../shop/keys.ts'
import type { Exchange } from './exchange.ts'
import type { RateLimiter } from './limits.ts'

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
    const token = /^Bearer +(.*\S) *$/i.exec(header)?.[1]
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
    const slowed =
      error instanceof StoreError ? guesses.take(exchange.address, exchange.nowMs).refusal : undefined
    throw slowed ?? error
  }
}

/** Refuses who may not. Throws `authentication_required` (401) or `insufficient_scope` (403). */
export function authorize({ scope }: Operation, caller: Caller): void {
  if (scope === 'public') return
  if (caller.keyId === null) {
    throw new StoreError('authentication_required', `This operation needs a key with the scope ${scope}.`)
  }
  if (!holds(caller, scope)) {
    throw new StoreError(
      'insufficient_scope',
      `This operation needs the scope ${scope}, which the key lacks.`,
      {
        scope,
      },
    )
  }
}
