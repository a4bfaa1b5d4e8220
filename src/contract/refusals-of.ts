import { type ErrorCodeName, type StoreError, validationFailed } from './error.ts'
import { type Operation, requiredScope } from './operation.ts'
import * as http from './refusals.ts'

/**
 * Returns an example of every refusal of an operation, one for each code: its own refusals, those that all operations
 * share, and those that its other members imply.
 */
export function refusalsOf(id: string, operation: Operation): readonly StoreError[] {
  const { method, body, secret, preview, deprecation, success, actsOn, errors = [] } = operation
  const isWrite = method !== 'GET'
  const isCommand = isWrite && actsOn === undefined
  const refusals = new Map<ErrorCodeName, StoreError>()
  const add = (when: boolean, ...more: StoreError[]): void => {
    for (const refusal of when ? more : [])
      if (!refusals.has(refusal.code)) refusals.set(refusal.code, refusal)
  }
  if (actsOn === 'sandbox')
    add(true, http.sandboxKeyRequired(), http.wrongSandboxKey(), http.sandboxNotFound())
  add(true, ...errors)
  add(true, commonParameterError(operation), http.invalidParameters([http.unknownParameter('colour')]))
  add(true, http.notAcceptable('stream' in success ? 'text/event-stream' : 'application/json'))
  add(true, http.urlTooLong())
  // A key that is sent must be valid, even if the operation does not require a key.
  if (actsOn === undefined || actsOn === 'sandbox') add(true, keyRequired(operation), http.unknownKey())
  add(true, http.rateLimited({ requests: 60_000, seconds: 60, retryAfterSeconds: 42 }))
  add(true, http.serverFailed('till-2.00042'), http.tooManyInProgress(), http.shuttingDown())
  add(requiredScope(operation) !== undefined, http.insufficientScope(operation.scope))
  if (preview !== undefined) add(true, http.previewRequired(id, preview))
  if (deprecation) add(true, http.operationSunset(id, new Date(deprecation.sunsetAtMs).toUTCString()))
  add(isWrite, http.storageFull())
  add(isCommand, http.outcomeUnknown())
  // A page of a list has an ETag too. It is usually weak, so that only `If-Match: *` matches it.
  const hasEtag = operation.resourceHasEtag === true || 'list' in success
  add(
    method !== 'POST' && hasEtag && actsOn === undefined,
    http.preconditionFailed('"3NAJmmzeVeErhHJNz8lLvW"'),
  )
  add(isCommand && !secret, http.idempotencyKeyInvalid(), http.idempotencyKeyReused())
  add(isCommand && secret !== undefined, http.idempotencyKeyRefused())
  add(body !== undefined, ...bodyRefusals(operation))
  return [...refusals.values()]
}

function bodyRefusals({ method }: Operation): StoreError[] {
  const message = 'colour is not a member of this object'
  return [
    http.notJson('unexpected end of the text', 9),
    validationFailed([{ in: 'body', pointer: '/colour', code: 'unknown_field', message }]),
    http.unsupportedMediaType(method),
    http.bodyTooLarge(),
    http.requestTimeout(),
  ]
}

function keyRequired(operation: Operation): StoreError {
  return operation.scope === 'public'
    ? http.malformedAuthorization()
    : http.authenticationRequired(requiredScope(operation))
}

/** Returns the error for the parameter that clients of an operation most often get wrong. */
function commonParameterError({ pathParameters = {}, query = {}, method, actsOn }: Operation): StoreError {
  const [id, parameter] = Object.entries(pathParameters).find(([name]) => name.endsWith('Id')) ?? []
  if (id !== undefined && parameter) return misread('path', id, parameter)
  for (const name of ['limit', 'after']) if (query[name]) return misread('query', name, query[name])
  if (actsOn !== undefined) return http.invalidParameters([http.undecodable('query', '', '%zz')])
  return http.invalidEntityTags(method === 'GET' ? 'If-None-Match' : 'If-Match')
}

function misread(location: 'path' | 'query', name: string, { expects }: { expects: string }): StoreError {
  return http.invalidParameters([http.misreadParameter(location, name, { expects, text: 'abc' })])
}
