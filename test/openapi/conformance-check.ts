import type { Described, DescribedOperation, DescribedResponse } from './document.ts'
import { type Validate, validatorOf } from './document-schemas.ts'

/** A response as received over the network, and its operation. */
export interface Observed {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/**
 * Header fields that `headers` need not describe: fields of the transport, Content-Type (`content` describes it), and a
 * field that only concerns browsers.
 */
const ignored = new Set([
  'date',
  'connection',
  'content-length',
  'content-type',
  'transfer-encoding',
  'keep-alive',
  'x-content-type-options',
])

/**
 * Compares the observed responses with a description in both directions. Each response must be described: its status,
 * content type, body, header fields and error code. Each described item except optional header fields must have been
 * observed. Returns the faults as sentences.
 */
export function checkConformance(
  { document, operations }: Described,
  observed: readonly Observed[],
  validate = validatorOf(document),
): string[] {
  const faults = observed.flatMap(answer =>
    checkResponse(operations.get(answer.operationId), answer, validate),
  )
  const byOperation = Map.groupBy(observed, ({ operationId }) => operationId)
  for (const operation of operations.values()) {
    faults.push(...unseen(operation, byOperation.get(operation.operationId) ?? []))
  }
  return [...new Set(faults)]
}

/** Returns the faults of one response, as `checkConformance` does. */
export function checkResponse(
  operation: DescribedOperation | undefined,
  answer: Observed,
  validate: Validate,
): string[] {
  const { operationId, status, method, path } = answer
  const where = `${operationId} ${status}`
  if (!operation) return [`${operationId} is served and not described`]
  const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  if (operation.method !== method || !pattern.test(path)) {
    return [`${operationId} is described as ${operation.method} ${operation.path}, and is ${method} ${path}`]
  }
  const described = operation.responses[status]
  if (!described) return [`${where}: the status is not described`]
  const codes = operation['x-error-codes'][status]
  const faults = [
    ...checkHeaders(described, answer, validate),
    ...checkBody(described, answer, codes, validate),
  ]
  return faults.map(fault => `${where}: ${fault}`)
}

function checkHeaders({ headers }: DescribedResponse, answer: Observed, validate: Validate): string[] {
  const faults: string[] = []
  const names = new Set(Object.keys(headers).map(name => name.toLowerCase()))
  for (const name of answer.headers.keys()) {
    if (!names.has(name) && !ignored.has(name)) faults.push(`the header ${name} is not described`)
  }
  for (const [name, { required, schema }] of Object.entries(headers)) {
    const text = answer.headers.get(name)
    if (text === null && required) faults.push(`the header ${name} is missing`)
    if (text === null) continue
    const type = typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'type') : 'string'
    const broken = validate(schema, type === 'integer' ? Number(text) : text)
    faults.push(...broken.map(why => `the header ${name}: ${why}`))
  }
  return faults
}

function checkBody(
  { content }: DescribedResponse,
  answer: Observed,
  codes: readonly string[] | undefined,
  validate: Validate,
): string[] {
  const type = answer.headers.get('content-type')
  if (Object.keys(content).length === 0) {
    return type === null && answer.body === '' ? [] : ['there is a body, but none is described']
  }
  // A problem (RFC 9457) has the members of an Error and four additional members, as the description says.
  const isProblem = answer.status >= 400 && type === 'application/problem+json'
  const described = content[isProblem ? 'application/json' : (type ?? '')]
  if (!described) return [`the content type ${type} is not described`]
  if (type === 'application/gzip') return answer.body === '' ? ['the file is empty'] : []
  const body = JSON.parse(answer.body)
  const broken =
    described.itemSchema === undefined
      ? validate(described.schema, isProblem ? errorOf(body) : body)
      : streamItems(String(body)).flatMap(item => validate(described.itemSchema, item))
  const code = codeOf(answer)
  if (code !== undefined && !codes?.includes(code)) broken.push(`the code ${code} is not described`)
  return broken.map(why => `the body: ${why}`)
}

/** Returns the complete items of a stream of server-sent events, as OpenAPI 3.2 describes them (section 4.14.4). */
function streamItems(text: string): object[] {
  // A block without data is no event (WHATWG HTML, section 9.2.6).
  const blocks = text.split('\n\n').filter(block => /^data:/m.test(block))
  return blocks.map(block => {
    const fields = block.split('\n').map(line => line.split(/: (.*)/s))
    return Object.fromEntries(
      fields.map(([name = '', value]) => [name, name === 'retry' ? Number(value) : value]),
    )
  })
}

/** Returns a problem without the four members that an Error does not have; {} if one of them is missing or empty. */
function errorOf({ type, title, detail, instance, ...error }: Record<string, unknown>): unknown {
  const texts = [type, title, detail, instance]
  return texts.every(text => typeof text === 'string' && text !== '') ? error : {}
}

/**
 * Returns everything that an operation describes but no response had: statuses, required header fields, content types,
 * error codes. Optional header fields are skipped: operations share the components that describe these fields, but not
 * every operation sends them.
 */
function unseen(
  { operationId, responses, 'x-error-codes': codesByStatus }: DescribedOperation,
  answers: readonly Observed[],
): string[] {
  return Object.entries(responses).flatMap(([status, { headers, content }]) => {
    const seen = answers.filter(answer => answer.status === Number(status))
    const where = `${operationId} ${status}`
    if (seen.length === 0) return [`${where}: described and never seen`]
    const codes = codesByStatus[status] ?? []
    return [
      ...Object.entries(headers)
        .filter(([name, { required }]) => required && !seen.some(answer => answer.headers.has(name)))
        .map(([name]) => name)
        .map(name => `${where}: the header ${name} is described and never seen`),
      ...Object.keys(content)
        .filter(type => !seen.some(answer => answer.headers.get('content-type') === type))
        .map(type => `${where}: the content type ${type} is described and never seen`),
      ...codes
        .filter(code => !seen.some(answer => codeOf(answer) === code))
        .map(code => `${where}: the code ${code} is described and never seen`),
    ]
  })
}

/**
 * Returns the examples of refusals whose code and message the server never sent together. Numbers and entity tags may
 * differ.
 */
export function inventedExamples({ operations }: Described, observed: readonly Observed[]): string[] {
  const sentMessages = new Set(observed.map(answer => `${codeOf(answer)} ${masked(messageOf(answer.body))}`))
  const faults: string[] = []
  for (const { operationId, responses } of operations.values()) {
    for (const { content } of Object.values(responses)) {
      for (const [code, { value }] of Object.entries(content['application/json']?.examples ?? {})) {
        const message = messageOf(JSON.stringify(value))
        if (!sentMessages.has(`${code} ${masked(message)}`)) faults.push(`${operationId} ${code}: ${message}`)
      }
    }
  }
  return faults
}

function codeOf({ status, body }: Observed): string | undefined {
  return status < 400 ? undefined : memberOf(body, 'code')
}

function messageOf(body: string): string {
  return memberOf(body, 'message') ?? ''
}

function memberOf(body: string, name: string): string | undefined {
  if (!body.startsWith('{')) return undefined
  const value: unknown = JSON.parse(body)
  const member: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  return typeof member === 'string' ? member : undefined
}

function masked(message: string): string {
  return message.replaceAll(/"[\w-]{22}"/g, '"..."').replaceAll(/\d+/g, '#')
}
