import { z } from 'zod'
import { readJson } from './json.ts'
import { readSchema, type Schema } from './schema.ts'

export interface Parameter {
  readonly name: string
  readonly location: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Schema
  readonly example: unknown
}

/** The description of one response status of an operation. */
export interface DescribedResponse {
  /** The header fields, by name in lower case. */
  readonly headers: ReadonlyMap<string, { readonly required: boolean; readonly schema: Schema }>
  /** The schemas of the body, by media type. */
  readonly content: ReadonlyMap<string, Schema>
  /** The error codes of this status, from `x-error-codes`. */
  readonly codes: ReadonlySet<string>
  readonly links: readonly Link[]
}

/** An OpenAPI link: the runtime expressions of the parameters of the target operation, by parameter name. */
export type Link = ReadonlyMap<string, string>

export interface Operation {
  readonly id: string
  readonly method: string
  /** The path as described, with parameters in braces. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: { readonly types: readonly string[]; readonly schema: Schema } | undefined
  readonly responses: ReadonlyMap<number, DescribedResponse>
  readonly needsKey: boolean
  /** The scope that the key must have; undefined if the operation accepts any valid key, or needs no key. */
  readonly scope: string | undefined
}

/** The parsed OpenAPI document of a service. */
export interface Description {
  /** The prefix of absolute URIs of the service. */
  readonly base: string
  readonly operations: readonly Operation[]
  /** The described methods of each described path. */
  readonly methods: ReadonlyMap<string, readonly string[]>
  /** The names of the path parameters that take an id (`petId`). A body member with such a name contains such an id. */
  readonly idParameterNames: ReadonlySet<string>
}

const methodNames = ['get', 'post', 'put', 'patch', 'delete'] as const

/** The sentence in the description of an operation that accepts a key with any scope. */
const ANY_KEY = 'Requires any valid key.'

const Content = z.record(z.string(), z.looseObject({ schema: z.unknown() }))
const RawOperation = z.looseObject({
  operationId: z.string(),
  description: z.string(),
  parameters: z.array(z.unknown()).default([]),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.unknown()),
  security: z.array(z.record(z.string(), z.unknown())),
  'x-scope': z.string().optional(),
  'x-error-codes': z.record(z.string(), z.array(z.string())),
})
const RawParameter = z.looseObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  schema: z.unknown(),
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.looseObject({ value: z.unknown() })).optional(),
})
const RawResponse = z.looseObject({
  headers: z.record(z.string(), z.unknown()).default({}),
  content: Content.default({}),
  links: z.record(z.string(), z.unknown()).default({}),
})
const RawHeader = z.looseObject({ required: z.boolean().default(false), schema: z.unknown() })
const RawLink = z.looseObject({ parameters: z.record(z.string(), z.string()).default({}) })
const Document = z.looseObject({
  openapi: z.literal('3.0.3'),
  servers: z.array(z.looseObject({ url: z.string() })).min(1),
  paths: z.record(z.string(), z.partialRecord(z.enum(methodNames), z.unknown())),
})

/** Returns the target of a node that is a reference, or else the node itself. */
type ResolveRef = (node: unknown) => unknown

/** Returns the description of a service. Throws if it uses a feature of OpenAPI that this parser does not support. */
export async function fetchDescription(url: string): Promise<Description> {
  const response = await fetch(`${url}/openapi.json`)
  if (!response.ok) throw new Error(`${url}/openapi.json responds with ${response.status}`)
  return readDescription(readJson(await response.bytes()))
}

function readDescription(json: unknown): Description {
  const document = Document.parse(json)
  const resolveRef: ResolveRef = node => resolveReference(document, node)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, node]) =>
      readOperation(path, method.toUpperCase(), node, resolveRef),
    ),
  )
  const byPath = Map.groupBy(operations, ({ path }) => path)
  return {
    base: document.servers[0]?.url ?? '',
    // A stream never ends, so its operation is in `methods` but is not fuzzed.
    operations: operations.filter(operation => !isStream(operation)),
    methods: new Map([...byPath].map(([path, list]) => [path, list.map(({ method }) => method)])),
    idParameterNames: new Set(operations.flatMap(idParameters)),
  }
}

function idParameters({ parameters }: Operation): string[] {
  return parameters
    .filter(({ location, schema }) => location === 'path' && schema.type === 'integer')
    .map(({ name }) => name)
}

function isStream({ responses }: Operation): boolean {
  return [...responses.values()].some(({ content }) => content.has('text/event-stream'))
}

function readOperation(path: string, method: string, node: unknown, resolveRef: ResolveRef): Operation {
  const raw = RawOperation.parse(resolveRef(node))
  const isPublic = raw.security.some(requirement => Object.keys(requirement).length === 0)
  const scope = raw['x-scope']
  const isForAnyKey = raw.description.includes(ANY_KEY)
  if ([isPublic, isForAnyKey, scope !== undefined].filter(Boolean).length !== 1)
    throw new Error(`${raw.operationId} does not say which scope it requires`)
  return {
    id: raw.operationId,
    method,
    path,
    parameters: raw.parameters.map(parameter => readParameter(parameter, resolveRef)),
    body: readBody(raw.requestBody, resolveRef),
    responses: new Map(
      Object.entries(raw.responses).map(([status, response]) => [
        Number(status),
        readResponse(response, raw['x-error-codes'][status] ?? [], resolveRef),
      ]),
    ),
    needsKey: !isPublic,
    scope,
  }
}

function readParameter(node: unknown, resolveRef: ResolveRef): Parameter {
  const { in: location, schema, example, examples, ...rest } = RawParameter.parse(resolveRef(node))
  const [first] = Object.values(examples ?? {})
  return { ...rest, location, example: example ?? first?.value, schema: readSchema(schema, resolveRef) }
}

function readBody(node: unknown, resolveRef: ResolveRef): Operation['body'] {
  if (node === undefined) return undefined
  const { content } = z.looseObject({ content: Content }).parse(resolveRef(node))
  const [first] = Object.values(content)
  return { types: Object.keys(content), schema: readSchema(first?.schema, resolveRef) }
}

function readResponse(node: unknown, codes: readonly string[], resolveRef: ResolveRef): DescribedResponse {
  const { headers, content, links } = RawResponse.parse(resolveRef(node))
  const readHeader = (header: unknown): { required: boolean; schema: Schema } => {
    const { required, schema } = RawHeader.parse(resolveRef(header))
    return { required, schema: readSchema(schema, resolveRef) }
  }
  const entries = Object.entries(content)
  return {
    headers: new Map(
      Object.entries(headers).map(([name, header]) => [name.toLowerCase(), readHeader(header)]),
    ),
    content: new Map(entries.map(([type, { schema }]) => [type, readSchema(schema, resolveRef)])),
    codes: new Set(codes),
    links: Object.values(links).map(
      link => new Map(Object.entries(RawLink.parse(resolveRef(link)).parameters)),
    ),
  }
}

/** Returns the target of a node that is a reference, or else the node itself. Throws if the target does not exist. */
function resolveReference(document: unknown, node: unknown): unknown {
  const reference = memberOf(node, '$ref')
  if (typeof reference !== 'string') return node
  let target = document
  for (const name of reference.replace(/^#\//, '').split('/')) target = memberOf(target, name)
  if (target === undefined) throw new Error(`${reference} has no target`)
  return resolveReference(document, target)
}

function memberOf(node: unknown, name: string): unknown {
  return typeof node === 'object' && node !== null ? Reflect.get(node, name) : undefined
}
