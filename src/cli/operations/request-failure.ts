import { ApiError, ConnectionError } from '../../client/errors.ts'
import { hasCode } from '../../files/system-error.ts'
import { mayHaveTakenEffect } from '../../values/effect.ts'
import type { CalledStore } from '../store-access/called-store.ts'
import {
  CommandFailed,
  EXIT_FAILED,
  EXIT_UNAVAILABLE,
  EXIT_USAGE,
  escapeControls,
  reasonOf,
} from '../terminal/terminal.ts'

/** The circumstances of a failed request, for the message. */
export interface RequestFacts {
  readonly store: CalledStore
  readonly timeoutSeconds: number
  /** The request changes data, so it matters whether it took effect. */
  readonly isChange: boolean
}

/**
 * Returns a CommandFailed for a failed request. Its exit code is 1 if the store refused the request, 2 if the request
 * could not be sent, and 3 if the store did not respond or failed. Returns any other error unchanged.
 */
export function failureOf(error: unknown, facts: RequestFacts): unknown {
  if (error instanceof ApiError) {
    const { requestId } = error
    const hints = [hintFor(error, facts.store), unknownOutcomeOf(error, facts)]
    return refused(error, [...hints, requestId && `Request id: ${requestId}`])
  }
  if (error instanceof RangeError || error instanceof TypeError) {
    return new CommandFailed(`The request cannot be sent: ${escapeControls(reasonOf(error))}.`, EXIT_USAGE)
  }
  const isLate = error instanceof DOMException && error.name === 'TimeoutError'
  if (!isLate && !(error instanceof ConnectionError)) return error
  return new CommandFailed(isLate ? lateText(facts) : lostText(error, facts), EXIT_UNAVAILABLE)
}

/** Returns the error for a refusal, whose message has its code and message, each invalid field, and `more` lines. */
export function refused(error: ApiError, more: readonly (string | undefined)[]): CommandFailed {
  const { status, code, message, errors } = error
  const fields = errors.map(field => `  ${field.pointer || field.name || field.in}: ${field.message}`)
  const lines = [
    `${status} ${code}: ${message}`,
    ...(fields.length > 1 ? fields : []),
    ...more.filter(line => line !== undefined),
  ]
  return new CommandFailed(lines.map(escapeControls).join('\n'), exitCodeOf(error))
}

export function exitCodeOf({ status }: ApiError): number {
  return status >= 500 ? EXIT_UNAVAILABLE : EXIT_FAILED
}

function hintFor({ status, code }: ApiError, { url, keySource }: CalledStore): string | undefined {
  if (code === 'unknown') return `The response is not that of a petstore: check the address ${url}.`
  if (code === 'authentication_required') return 'Give a key with --key @FILE or PETSTORE_KEY.'
  if (status === 401 || status === 403) return `The key came from ${keySource}.`
  return undefined
}

/** The message of `outcome_unknown` says it itself. */
function unknownOutcomeOf(error: ApiError, { isChange }: RequestFacts): string | undefined {
  const saysNothing = mayHaveTakenEffect(error) && error.code !== 'outcome_unknown'
  return isChange && saysNothing ? UNKNOWN_OUTCOME : undefined
}

function lateText({ store, timeoutSeconds, isChange }: RequestFacts): string {
  const text = `The store at ${store.url} did not respond within ${timeoutSeconds} s (--timeout).`
  return isChange ? `${text} ${UNKNOWN_OUTCOME}` : text
}

export const UNKNOWN_OUTCOME = 'It is unknown whether the change was made.'

function lostText(error: ConnectionError, { store, isChange }: RequestFacts): string {
  if (isRefusedConnection(error.cause)) {
    const start = 'Start one with "petstore serve", or give its address with --url or PETSTORE_URL.'
    return `No store responds at ${store.url}: the connection was refused. ${start}`
  }
  const text = `${store.url}: ${escapeControls(error.message)}`
  return isChange ? `${text} ${UNKNOWN_OUTCOME}` : text
}

/** Returns whether a request failed because nothing listens at the address. Such a request had no effect. */
export function isRefusedConnection(cause: unknown): boolean {
  return hasCode(cause, 'ConnectionRefused', 'ECONNREFUSED')
}
