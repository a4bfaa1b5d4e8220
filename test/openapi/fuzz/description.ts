import { z } from 'zod'
import { type DescribedOperation, type OpenApi, partAt, readDocument } from '../document.ts'
import { type Validate, validatorOf } from '../document-schemas.ts'

const RawSchema = z.object({
  $ref: z.string().optional(),
  type: z.enum(['object', 'array', 'string', 'integer', 'boolean']).default('object'),
  format: z.string().optional(),
  nullable: z.boolean().default(false),
  readOnly: z.boolean().default(false),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  not: z.object({ enum: z.array(z.number()) }).default({ enum: [] }),
  minLength: z.number().default(0),
  maxLength: z.number().default(Number.POSITIVE_INFINITY),
  pattern: z.string().optional(),
  minItems: z.number().default(0),
  maxItems: z.number().default(Number.POSITIVE_INFINITY),
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
  example: z.unknown().optional(),
})

/** A schema of a request or of a result, as far as values are generated from it. */
export interface Schema extends Omit<z.output<typeof RawSchema>, '$ref' | 'items' | 'properties'> {
  readonly items: Schema | undefined
  readonly members: ReadonlyMap<string, Schema>
}

export type Parameter = DescribedOperation['parameters'][number] & { readonly schema: Schema }

export type Operation = DescribedOperation & {
  readonly inputs: readonly Parameter[]
  /** The schema of the body of a request. */
  readonly body: Schema | undefined
  /** The schema of the body of a success. */
  readonly result: Schema | undefined
  /** The kinds of the resources that a valid request names, such as `petId`. */
  readonly kinds: readonly string[]
  readonly needsKey: boolean
  /** The scope that the key must have; undefined if the operation accepts any valid key, or needs no key. */
  readonly scope: string | undefined
}

/** The description that a store serves. */
export interface Description {
  /** The prefix of absolute URIs of the store. */
  readonly base: string
  readonly operations: readonly Operation[]
  /** The kinds of the resources that any operation names. */
  readonly kinds: readonly string[]
  readonly validate: Validate
}

export async function fetchDescription(url: string): Promise<Description> {
  // The proxy of a control can only change text that it can read.
  const response = await fetch(`${url}/openapi.json`, { headers: { 'Accept-Encoding': 'identity' } })
  const { document, operations } = readDocument(await response.json())
  // A stream never ends.
  const ending = [...operations.values()].filter(
    ({ responses }) => !responses['200']?.content['text/event-stream'],
  )
  const read = ending.map(operation => readOperation(document, operation))
  return {
    base: document.servers[0]?.url ?? '',
    operations: read,
    kinds: [...new Set(read.flatMap(({ kinds }) => kinds))],
    validate: validatorOf(document),
  }
}

function readOperation(document: OpenApi, described: DescribedOperation): Operation {
  const { method, path, parameters, requestBody, responses, security, 'x-scope': scope } = described
  const schemaOf = (content = {}): Schema | undefined => {
    const [first] = Object.values<{ schema?: unknown }>(content)
    return first?.schema === undefined ? undefined : readSchema(document, first.schema)
  }
  const body = schemaOf(requestBody?.content)
  return {
    ...described,
    kinds: `${path} ${method === 'POST' ? body?.required : ''}`.match(/\w+Id/g) ?? [],
    inputs: parameters.map(parameter => {
      const schema = { ...readSchema(document, parameter.schema), example: parameter.example }
      return { ...parameter, schema }
    }),
    body,
    result: schemaOf(Object.entries(responses).find(([status]) => status < '300')?.[1].content),
    needsKey: !security.some(requirement => Object.keys(requirement).length === 0),
    scope: typeof scope === 'string' ? scope : undefined,
  }
}

function readSchema(document: OpenApi, node: unknown): Schema {
  const { $ref, items, properties, ...rest } = RawSchema.parse(node)
  if ($ref !== undefined) return readSchema(document, partAt(document, $ref))
  const members = Object.entries(properties)
  return {
    ...rest,
    items: items === undefined ? undefined : readSchema(document, items),
    members: new Map(members.map(([name, member]) => [name, readSchema(document, member)])),
  }
}
