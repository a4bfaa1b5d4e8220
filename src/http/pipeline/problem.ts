import { errorTable, type StoreError } from '../../contract/error.ts'
import type { ErrorBody } from '../../contract/error-schema.ts'
import { serverFailed } from '../../contract/refusals.ts'
import { writeJson } from '../../values/json.ts'
import { type RequestContext, varyBy } from '../request/request-context.ts'
import { errorMediaType } from './negotiate.ts'

/** Returns the response for a refusal: an Error body or an RFC 9457 problem, with the headers of its code. */
export function refusalResponse(context: RequestContext, error: StoreError, base: string): Response {
  const { code, message, status } = error
  context.errorCode = code
  const body: ErrorBody = { ...error.body, status: BigInt(status) }
  const type = errorMediaType(context.request.headers)
  const sent = type === 'application/json' ? body : { ...asProblem(context, code, message, base), ...body }
  const headers: Record<string, string> = {
    ...context.headers,
    ...refusalHeaders(error),
    'Content-Type': type,
    'Cache-Control': 'no-store',
  }
  varyBy(headers, 'Accept')
  return new Response(writeJson(sent), { status, headers })
}

/** Returns the response for an error that is not a refusal. Its message has the request id; the log has the details. */
export function internalErrorResponse(context: RequestContext, base: string): Response {
  return refusalResponse(context, serverFailed(context.requestId), base)
}

function asProblem(
  { path }: RequestContext,
  code: keyof typeof errorTable,
  message: string,
  base: string,
): object {
  return { type: `${base}/errors/${code}`, title: errorTable[code].meaning, detail: message, instance: path }
}

function refusalHeaders({ code, status, details }: StoreError): Record<string, string> {
  return {
    ...(status === 401 && { 'WWW-Authenticate': challenge(code) }),
    ...(status === 403 && {
      'WWW-Authenticate': `Bearer realm="petstore", error="insufficient_scope", scope="${details.scope}"`,
    }),
    ...(details.allow !== undefined && { Allow: details.allow }),
    ...(details.acceptPatch !== undefined && { 'Accept-Patch': details.acceptPatch }),
    ...(details.etag !== undefined && { ETag: details.etag }),
    ...(status === 503 && { 'Retry-After': String(details.retryAfterSeconds ?? 10) }),
    ...(status === 429 && { 'Retry-After': String(details.retryAfterSeconds ?? 1) }),
    ...(code === 'request_timeout' && { Connection: 'close' }),
  }
}

/** Returns the challenge of a 401. Per RFC 6750, section 3, it names an error only if a token was sent. */
function challenge(code: string): string {
  return code === 'invalid_token'
    ? 'Bearer realm="petstore", error="invalid_token"'
    : 'Bearer realm="petstore"'
}
