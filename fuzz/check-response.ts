import { checkAgainstDescription } from './check-description.ts'
import { checkExpectation } from './check-expectation.ts'
import { checkSemantics } from './check-semantics.ts'
import type { Finding } from './finding.ts'
import { type FuzzRequest, headerOf } from './fuzz-request.ts'
import type { FuzzResponse } from './fuzz-response.ts'
import { type JsonValue, readJson, writeJson } from './json.ts'
import type { VirtualClient } from './request-builder.ts'

export interface CheckResult {
  readonly findings: readonly Finding[]
  /** The body of the response, if it could be read. */
  readonly body: JsonValue | undefined
}

/**
 * Returns the body of a response, and a finding for each contradiction. A response can contradict the description, the
 * expectation of its request, or what the client knows about the store.
 */
export function checkResponse(
  client: VirtualClient,
  request: FuzzRequest,
  response: FuzzResponse,
): CheckResult {
  const { status, headers } = response
  if (status === 0)
    return { findings: [{ check: 'no-response', detail: String(response.body) }], body: undefined }
  const findings: Finding[] = []
  if (status >= 500) findings.push({ check: 'server-error', detail: `the response is ${status}` })
  if (headers.get('x-request-id') !== headerOf(request, 'x-request-id')) {
    findings.push({ check: 'request-id', detail: `X-Request-Id is ${headers.get('x-request-id')}` })
  }
  const body = parseBody(response)
  if (body === UNREADABLE)
    findings.push({ check: 'body-unreadable', detail: 'the body is invalid JSON or does not round-trip' })
  const readable = body === UNREADABLE ? undefined : body
  findings.push(
    ...checkAgainstDescription(request, response, readable),
    ...checkExpectation(request, response, readable),
    ...checkSemantics(client, request, response, readable),
  )
  return { findings, body: readable }
}

const UNREADABLE = Symbol('unreadable')

function parseBody({ body }: FuzzResponse): JsonValue | undefined | typeof UNREADABLE {
  if (body.length === 0) return undefined
  try {
    const value = readJson(body)
    // Parsing drops duplicate members. The value, written as JSON again, then differs from the body.
    return Buffer.from(writeJson(value)).equals(body) ? value : UNREADABLE
  } catch {
    return UNREADABLE
  }
}
