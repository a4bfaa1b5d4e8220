import { z } from 'zod'

const Header = z.looseObject({ required: z.boolean().optional(), schema: z.unknown() })
const Example = z.looseObject({ value: z.unknown() })
const Link = z.strictObject({
  operationId: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.string()).optional(),
})
const Content = z.record(
  z.string(),
  z.strictObject({
    schema: z.unknown().optional(),
    // OpenAPI 3.2 describes the items of a stream.
    itemSchema: z.unknown().optional(),
    example: z.unknown().optional(),
    examples: z.record(z.string(), Example).optional(),
  }),
)
const RawResponse = z.strictObject({
  description: z.string().min(1),
  headers: z.record(z.string(), Header).default({}),
  content: Content.default({}),
  links: z.record(z.string(), Link).default({}),
})
const Parameter = z
  .strictObject({
    name: z.string(),
    in: z.enum(['path', 'query', 'header']),
    required: z.boolean(),
    allowEmptyValue: z.literal(true).optional(),
    allowReserved: z.literal(true).optional(),
    description: z.string().min(1),
    schema: z.unknown(),
    example: z.unknown().optional(),
    examples: z.strictObject({ default: Example }).optional(),
    style: z.string().optional(),
    explode: z.boolean().optional(),
  })
  .refine(
    one => Object.hasOwn(one, 'example') !== Object.hasOwn(one, 'examples'),
    'it must have either example or examples',
  )
  .transform(({ examples, ...one }) => ({ ...one, example: examples?.default.value ?? one.example }))
const Operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()).min(1),
  summary: z.string().min(1),
  description: z.string().min(1),
  deprecated: z.boolean().optional(),
  parameters: z.array(Parameter),
  requestBody: z.strictObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string(), RawResponse),
  'x-error-codes': z.record(z.string(), z.array(z.string())),
  security: z.array(z.record(z.string(), z.array(z.string()))),
})
const Components = z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) })
const Document = z.looseObject({
  openapi: z.enum(['3.0.3', '3.1.1', '3.2.0']),
  info: z.looseObject({ version: z.string() }),
  servers: z.array(z.looseObject({ url: z.string() })),
  tags: z.array(z.looseObject({ name: z.string() })),
  paths: z.record(
    z.string(),
    z.partialRecord(z.enum(['get', 'post', 'put', 'patch', 'delete']), z.unknown()),
  ),
  components: Components,
})

export type DescribedResponse = z.output<typeof RawResponse>
export type DescribedOperation = z.output<typeof Operation> & {
  readonly method: string
  readonly path: string
}
export type OpenApi = z.output<typeof Document>

/**
 * A description as its readers use it: its operations by operationId, with all references resolved except those to
 * schemas.
 */
export interface Described {
  readonly document: OpenApi
  readonly operations: ReadonlyMap<string, DescribedOperation>
}

/** Reads a description from its JSON value. Throws if the value lacks the structure of this project's descriptions. */
export function readDocument(json: unknown): Described {
  const document = Document.parse(json)
  const operations = new Map<string, DescribedOperation>()
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, part] of Object.entries(methods)) {
      const operation = Operation.parse(resolved(document, part))
      if (operations.has(operation.operationId))
        throw new Error(`${operation.operationId} is described twice`)
      operations.set(operation.operationId, { ...operation, method: method.toUpperCase(), path })
    }
  }
  return { document, operations }
}

/** Returns the value of every `$ref` in a document or a part of it. */
export function referencesIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(referencesIn)
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) =>
    name === '$ref' ? [String(value)] : referencesIn(value),
  )
}

/** Returns the object or array of a document that a `$ref` names. Throws if there is none. */
export function partAt(document: unknown, reference: string): object {
  let node: unknown = document
  for (const step of reference.replace(/^#\//, '').split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    node = typeof node === 'object' && node !== null ? Reflect.get(node, name) : undefined
  }
  if (typeof node !== 'object' || node === null)
    throw new Error(`${reference} is no object or array of the document`)
  return node
}

function resolved(document: unknown, part: unknown): unknown {
  if (Array.isArray(part)) return part.map(one => resolved(document, one))
  if (typeof part !== 'object' || part === null) return part
  const reference: unknown = Reflect.get(part, '$ref')
  if (typeof reference === 'string') {
    // References to schemas stay, because the schema validator (document-schemas.ts) resolves them itself.
    return reference.startsWith('#/components/schemas/')
      ? part
      : resolved(document, partAt(document, reference))
  }
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolved(document, value)]))
}
