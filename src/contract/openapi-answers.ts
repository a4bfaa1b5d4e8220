import { type ErrorCodeName, errorTable, Problem } from '../model/error.ts'
import type { OperationId } from './contract.ts'
import { errorExample } from './error-examples.ts'
import { errorsOf } from './errors-of.ts'
import { streamExample } from './event-examples.ts'
import { answerExample } from './examples.ts'
import { links } from './links.ts'
import { answerHeaders, isConditional } from './openapi-headers.ts'
import { type Part, schemaPart } from './openapi-schemas.ts'
import type { Named, Shelf } from './openapi-shared.ts'
import type { Operation } from './operation.ts'

/** Whether an operation is in the document. */
export type IsDescribed = (id: OperationId) => boolean

/** The examples of an operation's refusals, each called after its code. */
export function refusalExamples(operation: Operation): Named[] {
  return errorsOf(operation).map(code => ({
    name: code,
    variant: variantOf(operation, [code]),
    part: examplePart(operation, code),
  }))
}

/** The refusals of an operation by status, each called after its codes. */
export function refusals(operation: Operation, examples: Shelf): [number, Named][] {
  const byStatus = Map.groupBy(errorsOf(operation), code => errorTable[code].status)
  return [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => {
      const part = refusalPart(operation, status, codes, examples)
      return [status, { name: codes.join('.'), variant: variantOf(operation, codes), part }]
    })
}

/** The success of an operation, and for a read with a validator the 304 beside it. */
export function successes(id: OperationId, operation: Operation, isDescribed: IsDescribed): Part {
  const { success, method } = operation
  const schema =
    'list' in success
      ? listPart(success.list)
      : 'resource' in success
        ? schemaPart(success.resource)
        : undefined
  const content =
    'stream' in success
      ? {
          'text/event-stream': { schema: { type: 'string', format: 'event-stream' }, example: streamExample },
        }
      : schema && { 'application/json': { schema, example: answerExample(id) } }
  return {
    [success.status]: {
      description: success.description,
      headers: answerHeaders(operation, success.status),
      ...(content && { content }),
      ...linksPart(id, isDescribed),
    },
    ...(method === 'GET' &&
      isConditional(operation) && {
        304: {
          description: 'Not modified: the ETag is still one of those in If-None-Match.',
          headers: answerHeaders(operation, 304),
        },
      }),
  }
}

/** In what the same codes differ from one operation to another. */
function variantOf(
  { method, scope, stability, pathParameters }: Operation,
  codes: readonly ErrorCodeName[],
): string {
  if (codes.includes('authentication_required') || codes.includes('insufficient_scope')) {
    return scope.replace(':', '-')
  }
  if (codes.includes('invalid_parameter')) return Object.keys(pathParameters ?? {})[0] ?? method
  return codes.includes('unsupported_media_type') && method === 'PATCH' ? method : stability
}

function examplePart(operation: Operation, code: ErrorCodeName): Part {
  return { summary: errorTable[code].meaning, value: errorExample(operation, code) }
}

function refusalPart(
  operation: Operation,
  status: number,
  codes: readonly ErrorCodeName[],
  examples: Shelf,
): Part {
  const lines = codes.map(code => `\`${code}\`: ${errorTable[code].meaning}`)
  return {
    description: lines.length > 1 ? lines.map(line => `- ${line}`).join('\n') : lines.join(''),
    headers: answerHeaders(operation, status),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map(code => [code, examples.place(examplePart(operation, code))])),
      },
      // A request that names this type accepts any answer.
      ...(status !== 406 && { 'application/problem+json': { schema: schemaPart(Problem) } }),
    },
  }
}

/** The one list that the specification names is a component; the others are arrays where they are sent. */
function listPart(item: Parameters<typeof schemaPart>[0]): Part {
  if (item.meta()?.id === 'Pet') return { $ref: '#/components/schemas/Pets' }
  return { type: 'array', maxItems: 100, items: schemaPart(item) }
}

function linksPart(id: OperationId, isDescribed: IsDescribed): Part {
  const served = Object.entries(links[id] ?? {}).filter(([, link]) => isDescribed(link.operationId))
  return served.length > 0 ? { links: Object.fromEntries(served) } : {}
}
