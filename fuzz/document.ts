import { z } from 'zod'
import { readJson } from './json.ts'
import { readSchema, type Schema } from './schema.ts'

export interface Parameter {
  readonly name: string
  readonly place: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Schema
  readonly example: unknown
}

/** What the description says about one response status of an operation. */
export interface DescribedResponse {
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, { readonly required: boolean; readonly schema: Schema }>
  /** By media type. */
  readonly content: ReadonlyMap<string, Schema>
  /** The error codes of this status, from `x-error-codes`. */
  readonly codes: ReadonlySet<string>
  readonly links: readonly Link[]
}

/** An OpenAPI link: the parameter names of the target operation, and their runtime expressions. */
export type Link = ReadonlyMap<string, string>

export interface Operation {
  readonly id: string
  readonly method: string
  /** The path as described, with parameters in braces. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: { readonly types: readonly string[]; readonly schema: Schema } | undefined
  readonly answers: ReadonlyMap<number, DescribedResponse>
  /** The scope it requires; undefined if it requires no key. */
  readonly scope: string | undefined
}

/** The parsed OpenAPI document of a service. */
export interface Description {
  /** The prefix of absolute URIs of the service. */
  readonly base: string
  readonly operations: readonly Operation[]
  /** The described methods of each described path. */
  readonly methods: ReadonlyMap<string, readonly string[]>
  /** The path parameters that take an id (`petId`): a body member with one of these names holds such an id. */
  readonly idParameterNames: ReadonlySet<string>
}

const methodNames = ['get', 'post', 'put', 'patch', 'delete'] as const

const Content = z.record(z.string(), z.looseObject({ schema: z.unknown() }))
const Written = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.unknown()).default([]),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.unknown()),
  security: z.array(z.record(z.string(), z.unknown())),
  'x-scope': z.string().optional(),
  'x-error-codes': z.record(z.string(), z.array(z.string())),
})
const WrittenParameter = z.looseObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  schema: z.unknown(),
  example: z.unknown().optional(),
})
const WrittenAnswer = z.looseObject({
  headers: z.record(z.string(), z.unknown()).default({}),
  content: Content.default({}),
  links: z.record(z.string(), z.unknown()).default({}),
})
const WrittenHeader = z.looseObject({ required: z.boolean().default(false), schema: z.unknown() })
const WrittenLink = z.looseObject({ parameters: z.record(z.string(), z.string()).default({}) })
const Document = z.looseObject({
  openapi: z.literal('3.0.3'),
  servers: z.array(z.looseObject({ url: z.string() })).min(1),
  paths: z.record(z.string(), z.partialRecord(z.enum(methodNames), z.unknown())),
})

type Follow = (part: unknown) => unknown

/** Fetches a description and reads it. Throws if it uses OpenAPI features that this parser does not support. */
export async function fetchDescription(url: string): Promise<Description> {
  const response = await fetch(`${url}/openapi.json`)
  if (!response.ok) throw new Error(`${url}/openapi.json responds with ${response.status}`)
  return readDescription(readJson(await response.bytes()))
}

function readDescription(json: unknown): Description {
  const document = Document.parse(json)
  const follow: Follow = part => followed(document, part)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, part]) => readOperation(path, method.toUpperCase(), part, follow)),
  )
  const byPath = Map.groupBy(operations, ({ path }) => path)
  return {
    base: document.servers[0]?.url ?? '',
    // A stream never ends, so its operation is in `methods` but is not fuzzed.
    operations: operations.filter(operation => !streams(operation)),
    methods: new Map([...byPath].map(([path, list]) => [path, list.map(({ method }) => method)])),
    idParameterNames: new Set(operations.flatMap(idParameters)),
  }
}

function idParameters({ parameters }: Operation): string[] {
  return parameters
    .filter(({ place, schema }) => place === 'path' && schema.type === 'integer')
    .map(({ name }) => name)
}

function streams({ answers }: Operation): boolean {
  return [...answers.values()].some(({ content }) => content.has('text/event-stream'))
}

function readOperation(path: string, method: string, part: unknown, follow: Follow): Operation {
  const written = Written.parse(follow(part))
  const isPublic = written.security.some(way => Object.keys(way).length === 0)
  const scope = written['x-scope']
  if (isPublic === (scope !== undefined))
    throw new Error(`${written.operationId} does not say which scope it requires`)
  return {
    id: written.operationId,
    method,
    path,
    parameters: written.parameters.map(one => readParameter(one, follow)),
    body: readBody(written.requestBody, follow),
    answers: new Map(
      Object.entries(written.responses).map(([status, response]) => [
        Number(status),
        readAnswer(response, written['x-error-codes'][status] ?? [], follow),
      ]),
    ),
    scope,
  }
}

function readParameter(part: unknown, follow: Follow): Parameter {
  const { in: place, schema, ...rest } = WrittenParameter.parse(follow(part))
  return { ...rest, place, example: rest.example, schema: readSchema(schema, follow) }
}

function readBody(part: unknown, follow: Follow): Operation['body'] {
  if (part === undefined) return undefined
  const { content } = z.looseObject({ content: Content }).parse(follow(part))
  const [first] = Object.values(content)
  return { types: Object.keys(content), schema: readSchema(first?.schema, follow) }
}

function readAnswer(part: unknown, codes: readonly string[], follow: Follow): DescribedResponse {
  const { headers, content, links } = WrittenAnswer.parse(follow(part))
  const readHeader = (header: unknown): { required: boolean; schema: Schema } => {
    const { required, schema } = WrittenHeader.parse(follow(header))
    return { required, schema: readSchema(schema, follow) }
  }
  const entries = Object.entries(content)
  return {
    headers: new Map(
      Object.entries(headers).map(([name, header]) => [name.toLowerCase(), readHeader(header)]),
    ),
    content: new Map(entries.map(([type, { schema }]) => [type, readSchema(schema, follow)])),
    codes: new Set(codes),
    links: Object.values(links).map(
      link => new Map(Object.entries(WrittenLink.parse(follow(link)).parameters)),
    ),
  }
}

/** Returns the target of a reference of the document, or the part itself. Throws if there is none. */
function followed(document: unknown, part: unknown): unknown {
  const reference = memberOf(part, '$ref')
  if (typeof reference !== 'string') return part
  let at = document
  for (const step of reference.replace(/^#\//, '').split('/')) at = memberOf(at, step)
  if (at === undefined) throw new Error(`${reference} has no target`)
  return followed(document, at)
}

function memberOf(part: unknown, name: string): unknown {
  return typeof part === 'object' && part !== null ? Reflect.get(part, name) : undefined
}
