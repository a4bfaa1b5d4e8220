import type { ErrorCodeName } from './error.ts'
import { type Operation, requiredScope } from './operation.ts'

/**
 * Returns every error code of an operation: its own codes, the codes that all operations share, and the codes that its
 * other members imply.
 */
export function errorsOf(operation: Operation): ErrorCodeName[] {
  const { method, body, secret, preview, deprecation, errors } = operation
  const isCommand = method !== 'GET'
  const codes = new Set<ErrorCodeName>(errors)
  const add = (when: boolean, ...more: ErrorCodeName[]): void => {
    if (when) for (const code of more) codes.add(code)
  }
  add(true, 'invalid_parameter', 'unknown_parameter', 'not_acceptable', 'url_too_long')
  // A key that is sent must be valid, even if the operation does not require a key.
  add(true, 'authentication_required', 'invalid_token')
  add(true, 'rate_limited', 'internal_error', 'overloaded', 'shutting_down')
  add(requiredScope(operation) !== undefined, 'insufficient_scope')
  add(preview !== undefined, 'preview_required')
  add(deprecation !== undefined, 'operation_sunset')
  add(isCommand, 'storage_full')
  // A page of a list has an ETag too. It is usually weak, so that only `If-Match: *` matches it.
  add(
    method !== 'POST' && (operation.resourceHasEtag === true || 'list' in operation.success),
    'precondition_failed',
  )
  add(isCommand && !secret, 'idempotency_key_invalid', 'idempotency_key_reused')
  add(isCommand && secret !== undefined, 'idempotency_key_refused')
  add(
    body !== undefined,
    'malformed_json',
    'validation_failed',
    'unsupported_media_type',
    'body_too_large',
    'request_timeout',
  )
  return [...codes]
}
