import type { DescribedResponse } from './document.ts'
import type { Finding } from './finding.ts'
import { type FuzzRequest, headerOf } from './fuzz-request.ts'
import type { FuzzResponse } from './fuzz-response.ts'
import type { JsonValue } from './json.ts'
import type { Schema } from './schema.ts'
import { isObject, validate, valueOfText } from './validate.ts'

const PROBLEM = 'application/problem+json'

/** The headers that any response may have, although the description does not list them. */
const alwaysAllowedHeaders = new Set([
  'date',
  'connection',
  'content-length',
  'content-type',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
])

/** Returns a finding for each rule of the description that a response breaks by its status, header fields or body. */
export function checkAgainstDescription(
  request: FuzzRequest,
  response: FuzzResponse,
  body: JsonValue | undefined,
): Finding[] {
  if (!request.operation) return []
  const described = request.operation.responses.get(response.status)
  if (!described)
    return [{ check: `undocumented-status ${response.status}`, detail: `the body is ${clipped(response)}` }]
  return [...checkHeaders(described, response), ...checkBody(request, described, response, body)]
}

function checkHeaders(described: DescribedResponse, { headers }: FuzzResponse): Finding[] {
  const findings: Finding[] = []
  for (const name of headers.keys()) {
    if (alwaysAllowedHeaders.has(name) || described.headers.has(name)) continue
    findings.push({ check: `undocumented-header ${name}`, detail: `${name}: ${headers.get(name)}` })
  }
  for (const [name, { required, schema }] of described.headers) {
    const text = headers.get(name)
    if (text === undefined && required)
      findings.push({ check: `missing-header ${name}`, detail: `${name} is missing` })
    const faults = text === undefined ? [] : validate(schema, valueOfText(schema, text))
    if (faults.length > 0)
      findings.push({ check: `bad-header ${name}`, detail: `${name}: ${text}: ${faults.join(', ')}` })
  }
  return findings
}

function checkBody(
  request: FuzzRequest,
  described: DescribedResponse,
  response: FuzzResponse,
  body: JsonValue | undefined,
): Finding[] {
  const type = response.headers.get('content-type')
  if (described.content.size === 0) {
    const isEmpty = type === undefined && response.body.length === 0
    return isEmpty ? [] : [{ check: 'undocumented-body', detail: `${type}: ${clipped(response)}` }]
  }
  const isProblem = response.status >= 400 && type === PROBLEM
  const schema = described.content.get(isProblem ? 'application/json' : (type ?? ''))
  if (!schema) return [{ check: 'undocumented-type', detail: `Content-Type is ${type}` }]
  const findings: Finding[] = []
  const wantsProblem = /application\/problem\+json(?!;q=0$)/.test(headerOf(request, 'accept') ?? '')
  if (response.status >= 400 && wantsProblem !== isProblem) {
    findings.push({
      check: 'wrong-type',
      detail: `Content-Type is ${type}, Accept is ${headerOf(request, 'accept')}`,
    })
  }
  if (request.method === 'HEAD') return findings
  if (body === undefined)
    return [...findings, { check: 'missing-body', detail: 'the body is missing or unreadable' }]
  const faults = isProblem ? problemFaults(schema, body) : validate(schema, body)
  if (faults.length > 0)
    findings.push({
      check: `body-schema ${faults[0]}`,
      detail: `${faults.join(', ')} in ${clipped(response)}`,
    })
  return response.status >= 400 ? [...findings, ...checkError(described, response, body)] : findings
}

/**
 * Returns the faults of a problem (RFC 9457). `schema` is the schema of an Error: only the prose of the description
 * says that a problem has four more members.
 */
function problemFaults(schema: Schema, body: JsonValue): string[] {
  if (!isObject(body)) return validate(schema, body)
  const { type, title, detail, instance, ...error } = body
  const texts = Object.entries({ type, title, detail, instance })
  const missing = texts.filter(([, text]) => typeof text !== 'string' || text === '')
  return [...missing.map(([name]) => `/${name} is not a non-empty string`), ...validate(schema, error)]
}

/**
 * Returns a finding if an Error does not repeat the status of its response, or if its code is not described for that
 * status. A status without described codes may have any code.
 */
function checkError({ codes }: DescribedResponse, response: FuzzResponse, body: JsonValue): Finding[] {
  if (!isObject(body)) return []
  const findings: Finding[] = []
  if (body.status !== BigInt(response.status)) {
    findings.push({
      check: 'wrong-status-member',
      detail: `the response has status ${response.status}, but the member status is ${body.status}`,
    })
  }
  if (typeof body.code === 'string' && codes.size > 0 && !codes.has(body.code)) {
    findings.push({ check: `undocumented-code ${body.code}`, detail: clipped(response) })
  }
  return findings
}

function clipped({ body }: FuzzResponse): string {
  const text = String(body)
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}
