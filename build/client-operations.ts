import type { z } from 'zod'
import type { Operation } from '../src/contract/operation.ts'
import { schemaComponents, schemaPart } from '../src/openapi/schemas.ts'
import { comment, type Schema, type TypeWriter } from './client-types.ts'

/** An operation of the document, as far as the client needs it. */
interface DescribedOperation {
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  readonly parameters: readonly (DescribedParameter | Reference)[]
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
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

/** An OpenAPI document, as far as the client needs it. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, DescribedParameter>>
  }
}

/** The texts of the methods of a client, and of the table of how each operation is sent. */
export interface OperationTexts {
  readonly declarations: string
  readonly entries: string
  /** Returns whether a declaration uses a type. */
  readonly uses: (type: string) => boolean
}

/** Returns the texts of the described operations, and adds the types that they use to `types`. */
export function operationTexts(
  operations: Readonly<Record<string, Operation>>,
  document: Document,
  types: TypeWriter,
): OperationTexts {
  const texts = Object.entries(operations).flatMap(([id, operation]) =>
    // The client follows the events of a store with a method of its own.
    operation.hidden || id === 'streamEvents' ? [] : [operationText(id, operation, document, types)],
  )
  return {
    declarations: texts.map(({ declaration }) => declaration).join('\n\n'),
    entries: texts.map(({ entry }) => entry).join('\n'),
    uses: type => usesType(texts, type),
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
  id: string,
  operation: Operation,
  document: Document,
  types: TypeWriter,
): { declaration: string; entry: string } {
  const described = document.paths[operation.path]?.[operation.method.toLowerCase()]
  if (!described) throw new Error(`${id} is not in the document`)
  const describedParameters = described.parameters.map(parameter => resolved(parameter, document))
  const input = inputType(describedParameters, described, types)
  // Only a store evaluates preconditions.
  const isRead = operation.method === 'GET' && operation.actsOn === undefined
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
  if (body)
    members.push(`    ${bodyMember(types.type(body.schema, 'request', '    '), requestBody?.required)}`)
  const required = (requestBody?.required ?? false) || parameters.some(parameter => parameter.in === 'path')
  if (members.length === 0) return { text: 'Record<string, never>', required: false }
  return { text: `{\n${members.join('\n')}\n  }`, required }
}

function bodyMember(type: string, isRequired = false): string {
  return isRequired ? `body: ${type}` : `body?: ${type} | undefined`
}

function outputType({ method, success, actsOn }: Operation, types: TypeWriter): string {
  if ('stream' in success) return `AsyncGenerator<${types.named(nameOf(success.stream))}, void>`
  if ('list' in success && actsOn) return `Promise<ApiResponse<${types.named(nameOf(success.list))}[]>>`
  if ('list' in success) return `PagedList<${types.named(nameOf(success.list))}, O>`
  const data = 'resource' in success ? types.named(nameOf(success.resource)) : 'undefined'
  return method === 'GET' && !actsOn ? `Promise<Read<${data}, O>>` : `Promise<ApiResponse<${data}>>`
}

function entryText(id: string, operation: Operation, parameters: readonly DescribedParameter[]): string {
  const query = parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name)
  const takesKey = parameters.some(({ name }) => name === 'Idempotency-Key')
  const { success, actsOn, preview, body } = operation
  const shown = 'list' in success ? success.list : 'stream' in success ? success.stream : undefined
  const numbers = numberMembers(shown)
  const members = [
    `method: '${operation.method}'`,
    `path: '${operation.path}'`,
    ...(query.length > 0 ? [`query: [${query.map(name => `'${name}'`).join(', ')}]`] : []),
    ...('list' in success ? [actsOn ? 'list: true' : `pages: '${operation.endless ?? 'cursor'}'`] : []),
    ...('stream' in success ? ['stream: true'] : []),
    ...(success.status === 204 ? ['empty: true'] : []),
    ...(takesKey ? ['takesIdempotencyKey: true'] : []),
    ...(hasFractions(body) ? ['hasFractions: true'] : []),
    ...(numbers.length > 0 ? [`numbers: [${numbers.map(name => `'${name}'`).join(', ')}]`] : []),
    ...(preview === undefined ? [] : [`preview: '${preview}'`]),
  ]
  return `  ${id}: { ${members.join(', ')} },`
}

function nameOf(resource: z.ZodType): string {
  const id = resource.meta()?.id
  if (id === undefined) throw new Error('a resource of the contract has no name')
  return id
}

/** Returns whether a body can have numbers that are not integers. */
function hasFractions(body: z.ZodType | undefined): boolean {
  return (
    body !== undefined && JSON.stringify(schemaComponents([schemaPart(body)])).includes('"type":"number"')
  )
}

/** Returns the members of an item whose numbers need not be integers. */
function numberMembers(item: z.ZodType | undefined): string[] {
  if (!item) return []
  // Safe: a component of the description is a schema.
  const schema = schemaComponents([schemaPart(item)])[nameOf(item)] as Schema
  const members = Object.entries(schema.properties ?? {})
  return members.filter(([, { type }]) => type === 'number').map(([name]) => name)
}
