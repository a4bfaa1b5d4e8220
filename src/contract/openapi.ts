import { z } from 'zod'
import { type ErrorCodeName, errorTable } from '../model/error.ts'
import { contract } from './contract.ts'
import { errorsOf } from './errors-of.ts'
import { answerHeaders, headerComponents, requestHeaders } from './openapi-headers.ts'
import type { Operation } from './operation.ts'
import { isRepeated, type Parameter } from './parameter.ts'

export interface DescriptionOptions {
  /** The base address of the server, without a slash at its end. */
  readonly base: string
  /** Which operations are served: what the gate hides is not described either. */
  readonly serves: (operation: Operation) => boolean
}

/** A part of the document. */
export type Part = { [member: string]: unknown }

/** The description of the service, OpenAPI 3.0.3, made from the contract alone. */
export function describe({ base, serves }: DescriptionOptions): Part {
  const paths: Record<string, Part> = {}
  for (const [id, operation] of described(serves)) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationPart(id, operation),
    }
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Petstore',
      version: '1.0.0',
      description:
        'A store of pets, categories, stock and orders. Ids are 64-bit integers, read and sent exactly. Every refusal is an Error body with a code of the catalogue at /errors.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: base }],
    tags: [
      { name: 'Pets', description: 'The catalogue: pets and their categories.' },
      { name: 'Store', description: 'Orders and the stock they take from.' },
      { name: 'Keys', description: 'Who may do what.' },
      { name: 'Service', description: 'What the service says of itself.' },
    ],
    paths,
    components: {
      schemas: schemaComponents(),
      headers: headerComponents,
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'pst_...',
          description: 'A key of the store. The scope that an operation needs is named in its description.',
        },
      },
    },
  }
}

function described(serves: (operation: Operation) => boolean): [string, Operation][] {
  const operations: [string, Operation][] = Object.entries(contract)
  return operations.filter(([, operation]) => !operation.hidden && serves(operation))
}

function operationPart(id: string, operation: Operation): Part {
  const { tag, summary, description, scope } = operation
  const needs = scope === 'public' ? 'Needs no key.' : `Needs a key with the scope \`${scope}\`.`
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: description ? `${description}\n\n${needs}` : needs,
    ...lifecyclePart(operation),
    parameters: [
      ...Object.entries(operation.pathParameters ?? {}).map(([name, value]) =>
        parameterPart('path', name, value),
      ),
      ...Object.entries(operation.query ?? {}).map(([name, value]) => parameterPart('query', name, value)),
      ...requestHeaders(operation),
    ],
    ...(operation.body && { requestBody: bodyPart(operation) }),
    responses: { ...successPart(operation), ...errorParts(operation) },
    security: scope === 'public' ? [] : [{ key: [] }],
    ...(scope !== 'public' && { 'x-scope': scope }),
  }
}

function lifecyclePart({ stability, deprecation }: Operation): Part {
  const sunset = deprecation && new Date(deprecation.sunsetAtMs).toISOString().slice(0, 10)
  switch (stability) {
    case 'stable':
      return {}
    case 'deprecated':
      return {
        deprecated: true,
        'x-deprecated-sunset': sunset,
        'x-sunset': sunset,
        'x-scalar-stability': 'deprecated',
      }
    case 'beta':
      return { 'x-stability': 'beta', 'x-stability-level': 'beta' }
    case 'experimental':
      return {
        'x-stability': 'experimental',
        'x-stability-level': 'draft',
        'x-scalar-stability': 'experimental',
      }
  }
}

function parameterPart(place: 'path' | 'query', name: string, parameter: Parameter): Part {
  const { description, example } = parameter
  const one = schemaPart(parameter.schema)
  const schema = isRepeated(parameter) ? { type: 'array', maxItems: parameter.most, items: one } : one
  return {
    name,
    in: place,
    required: place === 'path',
    description,
    schema,
    ...(isRepeated(parameter) && { style: 'form', explode: true }),
    ...(example !== undefined && { example: isRepeated(parameter) ? [example] : example }),
  }
}

function bodyPart({ body, method }: Operation): Part {
  if (!body) return {}
  const content = { schema: schemaPart(body) }
  const types =
    method === 'PATCH' ? ['application/merge-patch+json', 'application/json'] : ['application/json']
  return { required: true, content: Object.fromEntries(types.map(type => [type, content])) }
}

function successPart(operation: Operation): Part {
  const { success } = operation
  const headers = answerHeaders(operation)
  const schema =
    'list' in success
      ? listPart(success.list)
      : 'resource' in success
        ? schemaPart(success.resource)
        : undefined
  const content = schema && { content: { 'application/json': { schema } } }
  const part = { [success.status]: { description: success.description, headers, ...content } }
  if (operation.method !== 'GET') return part
  return {
    ...part,
    304: { description: 'Not modified: the ETag is still the one in If-None-Match.', headers },
  }
}

/** The one list that the specification names is a component; the others are arrays where they are sent. */
function listPart(item: z.ZodType): Part {
  const id = item.meta()?.id
  if (id === 'Pet') return { $ref: '#/components/schemas/Pets' }
  return { type: 'array', items: schemaPart(item) }
}

function errorParts(operation: Operation): Part {
  const byStatus = Map.groupBy(errorsOf(operation), code => errorTable[code].status)
  const statuses = [...byStatus.keys()].sort((a, b) => a - b)
  return Object.fromEntries(
    statuses.map(status => [status, errorPart(operation, status, byStatus.get(status) ?? [])]),
  )
}

function errorPart(operation: Operation, status: number, codes: readonly ErrorCodeName[]): Part {
  const example = (code: ErrorCodeName): Part => ({ code, message: errorTable[code].meaning, status })
  return {
    description: codes.map(code => `\`${code}\`: ${errorTable[code].meaning}`).join('\n'),
    headers: answerHeaders(operation, status),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map(code => [code, { value: example(code) }])),
      },
    },
  }
}

/** A schema where it is used: a reference if it has a name, its own text otherwise. */
function schemaPart(schema: z.ZodType): Part {
  const id = schema.meta()?.id
  if (id !== undefined) return { $ref: `#/components/schemas/${id}` }
  return tidy(z.toJSONSchema(schema, printing))
}

function schemaComponents(): Part {
  const { schemas } = z.toJSONSchema(z.globalRegistry, printing)
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, tidy(schema)]))
}

const printing = {
  target: 'openapi-3.0',
  io: 'input',
  unrepresentable: 'any',
  uri: (id: string) => `#/components/schemas/${id}`,
  override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Part }) => {
    if (zodSchema._zod.def.type === 'bigint') jsonSchema.type = 'integer'
  },
} as const

/** Takes out what the printer adds for JSON Schema and OpenAPI 3.0 has no use for. */
function tidy(schema: object): Part {
  const part: Part = {}
  for (const [name, value] of Object.entries(schema)) {
    if (name === '$id' || name === '$schema' || (name === 'id' && typeof value === 'string')) continue
    part[name] = tidyValue(value)
  }
  const { allOf, ...rest } = part
  if (!Array.isArray(allOf) || allOf.length !== 1 || Object.keys(rest).length > 0) return part
  return Object.assign({}, allOf[0])
}

function tidyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidyValue)
  return typeof value === 'object' && value !== null ? tidy(value) : value
}
