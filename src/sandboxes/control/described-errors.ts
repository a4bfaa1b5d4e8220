import { type ErrorCodeName, type StoreError, validationFailed } from '../../contract/error.ts'
import * as http from '../../contract/refusals.ts'
import type { ExampleError } from '../../openapi/error-examples.ts'
import * as store from '../../shop/refusals.ts'
import { type ControlOperation, controlOperations } from './operations.ts'
import {
  hostFull,
  sandboxDamaged,
  sandboxKeyRequired,
  sandboxNotFound,
  snapshotNotFound,
  tooManyCreated,
  tooManySnapshots,
  wrongSandboxKey,
} from './refusals.ts'

/** Returns every error code of a control operation: its own codes, and the codes that its other members imply. */
export function controlErrorsOf({ needsKey, body, errors }: ControlOperation): ErrorCodeName[] {
  const codes = new Set<ErrorCodeName>(errors)
  const add = (...more: ErrorCodeName[]): void => {
    for (const code of more) codes.add(code)
  }
  add('invalid_parameter', 'unknown_parameter', 'not_acceptable', 'url_too_long')
  add('rate_limited', 'internal_error', 'overloaded', 'shutting_down')
  if (needsKey) add('authentication_required', 'invalid_token', 'sandbox_not_found')
  if (body) add('malformed_json', 'validation_failed', 'unsupported_media_type')
  if (body) add('body_too_large', 'request_timeout')
  return [...codes]
}

type ControlErrorExample = (operation: ControlOperation) => StoreError

const { expects } = controlOperations.getSandbox.pathParameters.sandboxId

const examples: Readonly<Partial<Record<ErrorCodeName, ControlErrorExample>>> = {
  malformed_json: () => store.notJson('unexpected end of the text', 9),
  invalid_parameter: () =>
    http.invalidParameters([http.misreadParameter('path', 'sandboxId', { expects, text: 'abc' })]),
  unknown_parameter: () => http.invalidParameters([http.unknownParameter('colour')]),
  authentication_required: sandboxKeyRequired,
  invalid_token: wrongSandboxKey,
  sandbox_not_found: sandboxNotFound,
  snapshot_not_found: () => snapshotNotFound('lesson-1'),
  not_acceptable: ({ success }) =>
    http.notAcceptable('stream' in success ? 'text/event-stream' : 'application/json'),
  request_timeout: http.requestTimeout,
  sandbox_limit_reached: () => tooManySnapshots(10),
  body_too_large: http.bodyTooLarge,
  url_too_long: http.urlTooLong,
  unsupported_media_type: ({ method }) => http.unsupportedMediaType(method),
  validation_failed: () => {
    const message = 'colour is not a member of this object'
    return validationFailed([{ in: 'body', pointer: '/colour', code: 'unknown_field', message }])
  },
  rate_limited: ({ needsKey }) =>
    needsKey
      ? http.rateLimited({ requests: 60, seconds: 60, retryAfterSeconds: 42 })
      : tooManyCreated(60, 42),
  internal_error: () => http.serverFailed('till-2.00042'),
  overloaded: ({ needsKey }) => (needsKey ? store.tooManyRequests() : hostFull('1000 sandboxes')),
  shutting_down: () => store.shuttingDown(),
  sandbox_damaged: sandboxDamaged,
}

/** Returns the body that the host sends for an error of an operation. Throws if no operation has the code. */
export function controlErrorExample(operation: ControlOperation, code: ErrorCodeName): ExampleError {
  const refusal = examples[code]?.(operation)
  if (!refusal) throw new Error(`no control operation returns ${code}`)
  const { message, status, details } = refusal
  return { code, message, status, ...(details.errors && { errors: details.errors }) }
}
