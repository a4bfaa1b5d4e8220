import type { z } from 'zod'
import { errorTable } from '../src/contract/error.ts'
import type { Operation } from '../src/contract/operation.ts'
import { describe } from '../src/openapi/document.ts'
import { storeApi } from '../src/openapi/store-api.ts'
import { contract, isOperationId, type OperationId } from '../src/shop/operations.ts'
import { comment, type Schema, TypeWriter } from './client-types.ts'

/**
 * Members that the specification leaves optional but the store always sends. A test checks the responses of every
 * operation against this table.
 */
export const ALWAYS_SENT: Readonly<Record<string, readonly string[]>> = {
  Order: ['id', 'petId', 'quantity', 'complete'],
  Pet: ['status'],
}

/** An operation of the document, as far as the client needs it. */
interface DescribedOperation {
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  readonly parameters: readonly (DescribedParameter | Reference)[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** A reference to a parameter that several operations share. */
interface Reference {
  readonly $ref: string
}

interface DescribedParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, DescribedParameter>>
  }
}

const GENERATED = '// Generated from the contract by `npm run client`. Do not edit.\n'

/** The texts of the two generated files of the client of a store. */
export interface ClientApi {
  /** The text of `src/client/api-types.ts`. */
  readonly types: string
  /** The text of `src/client/operations.ts`. */
  readonly operations: string
}

/** Returns the types and the operations of the client, generated from the contract. */
export function clientApi(): ClientApi {
  // Safe: `describe` makes an OpenAPI document, and these are its members.
  const document = describe(storeApi, { base: 'http://127.0.0.1:8080' }) as unknown as Document
  const types = new TypeWriter(document.components.schemas, ALWAYS_SENT)
  // No operation returns this schema, but the details of an error have it.
  types.named('FieldError')
  const operations: [string, Operation][] = Object.entries(contract)
  const operationTexts = operations.flatMap(([id, operation]) =>
    isOperationId(id) && !('stream' in operation.success) && !operation.hidden
      ? [operationText(id, operation, document, types)]
      : [],
  )
  const names = [...types.names(), 'Int64Input'].sort()
  return {
    types: [
      GENERATED,
      '/** A 64-bit integer of a request. A `number` must be a safe integer: above 2^53 - 1, use a `bigint`. */',
      'export type Int64Input = bigint | number',
      '',
      '/** The codes of the error catalogue. */',
      `export type ErrorCode =\n${union(Object.keys(errorTable))}`,
      '',
      types.declarations(),
    ].join('\n'),
    operations: [
      GENERATED,
      `import type { ${names.filter(name => usesType(operationTexts, name)).join(', ')} } from './api-types.ts'`,
      "import type { CallOptions, NoOptions, Read } from './call.ts'",
      "import type { PagedList } from './paged-list.ts'",
      "import type { OperationShape } from './request.ts'",
      "import type { ApiResponse } from './response.ts'",
      '',
      '/** The operations of a store, by operationId. */',
      'export interface Operations {',
      operationTexts.map(({ declaration }) => declaration).join('\n\n'),
      '}',
      '',
      '/** How each operation is sent. */',
      'export const operations = {',
      operationTexts.map(({ entry }) => entry).join('\n'),
      '} as const satisfies Record<keyof Operations, OperationShape>',
      '',
    ].join('\n'),
  }
}

function usesType(operations: readonly { declaration: string }[], name: string): boolean {
  const used = new RegExp(`\\b${name}\\b`)
  // The comments are prose: only the lines of code count.
  return operations.some(({ declaration }) =>
    declaration.split('\n').some(line => !/^ *(\/\*\*|\*)/.test(line) && used.test(line)),
  )
}

function operationText(
  id: OperationId,
  operation: Operation,
  document: Document,
  types: TypeWriter,
): { declaration: string; entry: string } {
  const described = document.paths[operation.path]?.[operation.method.toLowerCase()]
  if (!described) throw new Error(`${id} is not in the document`)
  const describedParameters = described.parameters.map(parameter => resolved(parameter, document))
  const input = inputType(describedParameters, described, types)
  const isRead = operation.method === 'GET'
  const generic = isRead ? '<const O extends CallOptions = NoOptions>' : ''
  const text = [
    described.description === '' ? `${described.summary}.` : `${described.summary}. ${described.description}`,
    ...(described.deprecated ? ['', '@deprecated See the description of the operation.'] : []),
  ].join('\n')
  const parameters = `input${input.required ? '' : '?'}: ${input.text}, options?: ${isRead ? 'O' : 'CallOptions'}`
  const declaration = `${comment(text, '  ')}\n  ${id}${generic}(${parameters}): ${outputType(operation, types)}`
  return { declaration, entry: entryText(id, operation, describedParameters) }
}

function resolved(parameter: DescribedParameter | Reference, document: Document): DescribedParameter {
  if (!('$ref' in parameter)) return parameter
  const found = document.components.parameters[parameter.$ref.split('/').at(-1) ?? '']
  if (!found) throw new Error(`${parameter.$ref} is not in the document`)
  return found
}

function inputType(
  parameters: readonly DescribedParameter[],
  { requestBody }: DescribedOperation,
  types: TypeWriter,
): { text: string; required: boolean } {
  const members = parameters
    .filter(parameter => parameter.in !== 'header' && parameter.name !== 'cursor')
    .map(({ name, required, description, schema }) => {
      const type = types.type(schema, 'request', '    ')
      const member = required ? `${name}: ${type}` : `${name}?: ${type} | undefined`
      return `${comment(description, '    ')}\n    ${member}`
    })
  const hasCursor = parameters.some(({ name }) => name === 'cursor')
  if (hasCursor)
    members.push('    /** The page to read: `next` of the previous page. */\n    cursor?: string | undefined')
  const body = requestBody?.content['application/json']
  if (body) members.push(`    body: ${types.type(body.schema, 'request', '    ')}`)
  const required = body !== undefined || parameters.some(parameter => parameter.in === 'path')
  if (members.length === 0) return { text: 'Record<string, never>', required: false }
  return { text: `{\n${members.join('\n')}\n  }`, required }
}

function outputType({ method, success }: Operation, types: TypeWriter): string {
  if ('list' in success) return `PagedList<${types.named(nameOf(success.list))}, O>`
  const data = 'resource' in success ? types.named(nameOf(success.resource)) : 'undefined'
  return method === 'GET' ? `Promise<Read<${data}, O>>` : `Promise<ApiResponse<${data}>>`
}

function entryText(id: string, operation: Operation, parameters: readonly DescribedParameter[]): string {
  const query = parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name)
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key')
  const members = [
    `method: '${operation.method}'`,
    `path: '${operation.path}'`,
    ...(query.length > 0 ? [`query: [${query.map(name => `'${name}'`).join(', ')}]`] : []),
    ...('list' in operation.success ? [`pages: '${operation.endless ?? 'cursor'}'`] : []),
    ...('resource' in operation.success || 'list' in operation.success ? [] : ['empty: true']),
    ...(takesKey ? ['takesIdempotencyKey: true'] : []),
    ...(operation.preview === undefined ? [] : [`preview: '${operation.preview}'`]),
  ]
  return `  ${id}: { ${members.join(', ')} },`
}

function union(names: readonly string[]): string {
  return names.map(name => `  | '${name}'`).join('\n')
}

function nameOf(resource: z.ZodType): string {
  const id = resource.meta()?.id
  if (id === undefined) throw new Error('a resource of the contract has no name')
  return id
}
