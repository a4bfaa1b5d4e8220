import { StoreError } from '../../contract/error.ts'
import { type Operation, requiredScope } from '../../contract/operation.ts'
import {
  authenticationRequired,
  insufficientScope,
  malformedAuthorization,
  malformedKey,
  tooManyWrongKeys,
} from '../../contract/refusals.ts'
import { hasScope } from '../../contract/scopes.ts'
import type { Caller } from '../../shop/kernel/context.ts'
import { isKeyText } from '../../shop/keys/key-text.ts'
import { rateGroup } from '../../values/ip-address.ts'
import type { Rate, RateLimiter } from '../limits/rate-limit.ts'
import type { RequestContext } from '../request/request-context.ts'

const SCHEME = 'bearer '
/** The maximum rate of failed authentications per address. Requests with a valid key are not counted. */
export const FAILED_AUTHENTICATIONS: Rate = { requests: 60, seconds: 60 }
const anonymous: Caller = { keyId: null, scopes: [] }

/** The callers of the keys of a store. */
export interface Callers {
  /** Returns the caller of a key if that caller is in memory; undefined for any other text. */
  known(token: string): Caller | undefined
  /** Returns the caller of a key. Throws `invalid_token` if the key is unknown, revoked or expired. */
  find(token: string): Promise<Caller>
}

/**
 * Returns the caller (RFC 6750): a caller without a key if the request has no Authorization header. A token must be
 * valid even if the operation needs no key. Throws `authentication_required` for a scheme other than Bearer or an empty
 * token, `invalid_token` for a token that is not a valid key, and `rate_limited` for an address with too many failed
 * attempts.
 */
export function authenticate(
  context: RequestContext,
  callers: Callers,
  failedAuthentications: RateLimiter,
): Caller | Promise<Caller> {
  const { headers } = context.request
  return callerInMemory(headers, callers) ?? findCaller(headers, context, callers, failedAuthentications)
}

/** Returns the caller of a request with these headers; undefined if the caller is not in memory. */
export function callerInMemory(headers: Headers, callers: Callers): Caller | undefined {
  const header = headers.get('authorization')
  if (header === null) return anonymous
  const token = bearerToken(header)
  return token === undefined ? undefined : callers.known(token)
}

async function findCaller(
  headers: Headers,
  context: RequestContext,
  callers: Callers,
  failedAuthentications: RateLimiter,
): Promise<Caller> {
  const find = async (): Promise<Caller> => {
    const token = bearerToken(headers.get('authorization') ?? '')
    if (token === undefined) {
      throw malformedAuthorization()
    }
    if (!isKeyText(token)) {
      throw malformedKey()
    }
    return await callers.find(token)
  }
  return await countFailures(find, context, failedAuthentications)
}

/** Runs an attempt to authenticate. Throws `rate_limited` if it fails and its address has had too many failures. */
export async function countFailures<Result>(
  attempt: () => Promise<Result>,
  { address }: Pick<RequestContext, 'address'>,
  failedAuthentications: RateLimiter,
): Promise<Result> {
  try {
    return await attempt()
  } catch (error) {
    // Only failures count, so they never block a caller with a valid key. A database that is silent is no failure.
    const isFailure = error instanceof StoreError && error.status < 500
    const slowed = isFailure ? failedAuthentications.take(rateGroup(address)).refusal : undefined
    throw slowed ? tooManyWrongKeys(slowed.details.retryAfterSeconds ?? 1) : error
  }
}

/**
 * Returns the token of an Authorization header (RFC 6750, section 2.1), unchecked; undefined for a scheme other than
 * Bearer or an empty token. This function uses no regular expression, because backtracking over one long header could
 * block the process.
 */
export function bearerToken(header: string): string | undefined {
  if (header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined
  let start = SCHEME.length
  while (header[start] === ' ') start++
  let end = header.length
  while (end > start && header[end - 1] === ' ') end--
  return end > start ? header.slice(start, end) : undefined
}

/** Throws `authentication_required` (401) or `insufficient_scope` (403) if the caller may not call the operation. */
export function authorize(operation: Operation, caller: Caller): void {
  if (isAuthorized(operation, caller)) return
  const scope = requiredScope(operation)
  throw caller.keyId === null || scope === undefined
    ? authenticationRequired(scope)
    : insufficientScope(scope)
}

/** Returns whether a caller may call an operation. */
export function isAuthorized(operation: Operation, caller: Caller): boolean {
  if (operation.scope === 'public') return true
  const scope = requiredScope(operation)
  return caller.keyId !== null && (scope === undefined || hasScope(caller, scope))
}
