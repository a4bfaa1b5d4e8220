import { errorTable } from '../../contract/error.ts'
import { type Components, pascalCase, shareParts } from '../../openapi/components.ts'
import { parameterPart } from '../../openapi/document.ts'
import {
  type FieldName,
  headerComponents,
  headerParts,
  type Presence,
  type PresentHeaders,
} from '../../openapi/headers.ts'
import { errorCodesPart, sharedErrorResponses } from '../../openapi/refusals.ts'
import { type Part, schemaComponents, schemaPart, usedOnly } from '../../openapi/schemas.ts'
import { REQUESTS_KEPT } from '../requests/log.ts'
import { controlErrorExample, controlErrorsOf } from './described-errors.ts'
import { type ControlOperation, controlOperations } from './operations.ts'

/** The base address in the committed description: that of a host with the default settings. */
export const DESCRIBED_BASE = 'http://127.0.0.1:8081'

type ControlTag = 'Sandboxes' | 'Snapshots' | 'Failures' | 'Requests'

const tags: Readonly<Record<ControlTag, string>> = {
  Sandboxes: 'Private stores: their lifetime, their content and their clock.',
  Snapshots: 'Copies of the content of a sandbox, to which it can be reset.',
  Failures: 'Rules for failures on demand.',
  Requests: 'The last requests to a sandbox, with their responses.',
}

const entries = Object.entries<ControlOperation>(controlOperations)

/** Returns the OpenAPI 3.0.3 document of the control operations of a host, generated from their contract. */
export function describeControl(base: string): Part {
  const parameters = shareParts(
    'parameters',
    entries.flatMap(([, operation]) =>
      parametersOf(operation).map(part => ({ name: `${pascalCase(String(part.name))}Parameter`, part })),
    ),
  )
  const errors = sharedErrorResponses(
    entries.map(([id, operation]) => ({
      id,
      codes: controlErrorsOf(operation),
      example: code => controlErrorExample(operation, code),
      headers: status => presentHeaders(operation, status),
    })),
  )
  const paths: Record<string, Part> = {}
  for (const [id, operation] of entries) {
    const responses = { ...successPart(operation), ...errors.responsesOf(id) }
    const part = { ...operationPart(id, operation, parameters), responses, ...securityPart(operation) }
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: part }
  }
  const components = {
    parameters: parameters.components,
    headers: usedOnly('headers', headerComponents, [paths, errors.components]),
    responses: errors.components,
  }
  return {
    ...preamble(base),
    paths,
    components: { schemas: schemaComponents([paths, components]), ...components, securitySchemes },
  }
}

function preamble(base: string): Part {
  return {
    openapi: '3.0.3',
    info: {
      title: 'Petstore sandboxes',
      version: '1.0.0',
      description: introduction(base),
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: base, description: 'This host.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  }
}

function introduction(base: string): string {
  return `Private stores for lessons, tests and tools: each with its own address, key and data, for a limited time.

## First call

\`\`\`sh
curl -X POST ${base}/sandboxes
\`\`\`

The response has the address of the store as \`baseUrl\`, and its key as \`adminKey\`. Every operation of a petstore
works under \`baseUrl\`; \`{baseUrl}/openapi.json\` describes them. This document describes the operations that control
a sandbox. All of them except \`createSandbox\` require the key of the sandbox.

## Failures on demand

A rule makes calls fail: see \`PUT /sandboxes/{sandboxId}/faults\`. A single request to a store can also ask for a
failure with a header, such as \`Petstore-Fault: drop_after_commit\`. A response that a rule or this header has changed
carries \`Petstore-Fault\`.

## Conventions

- Every error is an \`Error\` with a code. \`x-error-codes\` lists the codes of each operation by status. If
  \`Accept\` names \`application/problem+json\`, the error is a problem (RFC 9457), with the additional
  members \`type\`, \`title\`, \`detail\` and \`instance\`.
- A PATCH is a JSON Merge Patch (RFC 7396), as \`application/json\` or \`application/merge-patch+json\`.
- Unknown members of a request are rejected (422). Later versions may add members to responses: ignore those you do not
  know.
- Every path that supports GET supports HEAD. Every path supports OPTIONS, which returns \`Allow\`.
- Pages of any origin may call the host from a browser.`
}

const securitySchemes = {
  key: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'pst_ and 49 letters and digits',
    description: 'The key of the sandbox: `adminKey` in the response that created it.',
  },
}

/**
 * Returns the `security` of an operation. To create a sandbox, a key is required only if its seed is a snapshot: the
 * key of the sandbox that the snapshot belongs to.
 */
function securityPart({ needsKey }: ControlOperation): Part {
  return { security: needsKey ? [{ key: [] }] : [{}, { key: [] }] }
}

function operationPart(id: string, operation: ControlOperation, parameters: Components): Part {
  const { path, summary, description, needsKey, errors } = operation
  const errorText = errors
    .map(code => `- ${errorTable[code].status} \`${code}\`: ${errorTable[code].meaning}`)
    .join('\n')
  const texts = [
    description,
    needsKey ? 'Requires the key of the sandbox.' : 'Requires no key.',
    errorText && `Specific errors:\n\n${errorText}`,
  ]
  return {
    operationId: id,
    tags: [tagOf(path)],
    summary,
    description: texts.filter(text => text).join('\n\n'),
    'x-error-codes': errorCodesPart(controlErrorsOf(operation)),
    parameters: parametersOf(operation).map(parameters.refer),
    ...bodyPart(operation),
  }
}

function tagOf(path: string): ControlTag {
  if (path.includes('/snapshots')) return 'Snapshots'
  if (path.endsWith('/faults')) return 'Failures'
  return path.includes('/requests') ? 'Requests' : 'Sandboxes'
}

function parametersOf({ pathParameters = {}, query = {} }: ControlOperation): Part[] {
  return [
    ...Object.entries(pathParameters).map(([name, parameter]) => parameterPart('path', name, parameter)),
    ...Object.entries(query).map(([name, parameter]) => parameterPart('query', name, parameter)),
  ]
}

function bodyPart({ body, isBodyOptional }: ControlOperation): Part {
  if (!body) return {}
  const content = { schema: schemaPart(body), example: body.meta()?.example }
  return { requestBody: { required: isBodyOptional !== true, content: { 'application/json': content } } }
}

function successPart(operation: ControlOperation): Part {
  const { success } = operation
  const content = contentPart(success)
  return {
    [success.status]: {
      description: success.description,
      headers: headerParts([presentHeaders(operation, success.status)]),
      ...(content && { content }),
    },
  }
}

function contentPart(success: ControlOperation['success']): Part | undefined {
  if ('stream' in success) {
    const data = JSON.stringify(success.stream.meta()?.example)
    const example = `retry: 1000\n\nid: 12\nevent: request\ndata: ${data}\n\n`
    return { 'text/event-stream': { schema: { type: 'string', format: 'binary' }, example } }
  }
  if ('list' in success) {
    const schema = { type: 'array', maxItems: REQUESTS_KEPT, items: schemaPart(success.list) }
    return { 'application/json': { schema, example: [success.list.meta()?.example] } }
  }
  if (!('resource' in success)) return undefined
  const { resource } = success
  return { 'application/json': { schema: schemaPart(resource), example: resource.meta()?.example } }
}

/** Returns the header fields of a response of a control operation. */
function presentHeaders({ method, success }: ControlOperation, status: number): PresentHeaders {
  const isCounted = status !== 414
  const fields: Partial<Record<FieldName, Presence | false>> = {
    'X-Request-Id': 'always',
    // A request that is refused with 414 is not counted, so its response does not have the fields of the rate limit.
    'RateLimit-Policy': isCounted && 'at times',
    RateLimit: isCounted && 'at times',
    'Cache-Control': 'always',
    Vary: 'always',
    'X-Accel-Buffering': status === 200 && 'stream' in success && 'always',
    Location: status === 201 && method === 'POST' && 'always',
    'WWW-Authenticate': status === 401 && 'always',
    'Accept-Patch': status === 415 && method === 'PATCH' && 'always',
    'Retry-After': (status === 429 || status === 503) && 'always',
  }
  // Safe: the keys of the table are names of fields.
  const present = Object.entries(fields).filter(([, presence]) => presence) as [FieldName, Presence][]
  return new Map(present)
}
