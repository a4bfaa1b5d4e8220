import { z } from 'zod'
import { type DescribedApi, type DescriptionOptions, describe } from './document.ts'
import { type Part, schemaPart } from './schemas.ts'

/** The versions of OpenAPI in which an API is described. 3.0 is the contract; the others are renderings of it. */
export const openapiVersions = ['3.0', '3.1', '3.2'] as const
export type OpenapiVersion = (typeof openapiVersions)[number]

/** Returns the document of an API in a version of OpenAPI. */
export function describeIn(version: OpenapiVersion, api: DescribedApi, options: DescriptionOptions): Part {
  const document = describe(api, options)
  switch (version) {
    case '3.0':
      return document
    case '3.1':
      return inThreeOne(document, api)
    case '3.2':
      return inThreeTwo(inThreeOne(document, api), api)
  }
}

/** Returns a document in OpenAPI 3.1. */
function inThreeOne(document: Part, { summary }: DescribedApi): Part {
  // Safe: `describe` writes these members.
  const { 'x-webhooks': webhooks, ...described } = document as Part & { info: Part }
  const { title, license: _, ...info } = described.info
  const license = { name: 'MIT', identifier: 'MIT' }
  const refined = mapParts({ ...described, ...(webhooks !== undefined && { webhooks }) }, outdated => {
    const part = inWordsOfThreeOne(outdated)
    const { enum: values } = part
    // The enum stays, because some tools read discriminators only from it.
    if (Array.isArray(values) && values.length === 1) return { ...part, const: values[0] }
    // For a key, 3.0 allows no scopes here (3.1, "Security Requirement Object").
    if (typeof part['x-scope'] === 'string' && Array.isArray(part.security))
      return { ...part, security: [{ key: [part['x-scope']] }] }
    // The media type says what a stream is; 3.0 has a format only for a generator.
    return part.format === 'binary' ? { type: 'string' } : part
  })
  return { ...refined, openapi: '3.1.1', info: { title, summary, ...info, license } }
}

/** Returns an object with what 3.1 has in place of `nullable`, `example` and exclusive bounds. */
function inWordsOfThreeOne({ nullable, example, ...part }: Part): Part {
  // A parameter, a header and a media type have a schema. Only in a schema are the examples a list.
  const examples = part.schema === undefined ? [example] : { default: { value: example } }
  const { minimum, exclusiveMinimum, ...rest } = part
  return {
    ...(exclusiveMinimum === true ? { ...rest, exclusiveMinimum: minimum } : part),
    ...(nullable === true && { type: [part.type, 'null'] }),
    ...(example !== undefined && { examples }),
  }
}

/** Returns a document of OpenAPI 3.1 in 3.2, with the events of streams and with groups of tags. */
function inThreeTwo(document: Part, { operations, tagGroups }: DescribedApi): Part {
  // Safe: the tags are those of `describe`.
  const described = document as Part & { tags: { name: string }[] }
  const nested = Object.entries(tagGroups).flatMap(([name, { description, tags }]) => {
    const members = described.tags.filter(tag => tags.includes(tag.name))
    const parent = { name, description, kind: 'nav' }
    return members.length === 0
      ? []
      : [parent, ...members.map(tag => ({ ...tag, parent: name, kind: 'nav' }))]
  })
  for (const { path, method, success } of Object.values(operations)) {
    if (!('stream' in success)) continue
    const place = ['paths', path, method.toLowerCase(), 'responses', '200', 'content', 'text/event-stream']
    const content = partAt(document, place)
    if (!content) continue
    content.schema = undefined
    content.itemSchema = eventPart(success.stream)
  }
  return { ...described, openapi: '3.2.0', tags: nested }
}

/** Returns the schema of a server-sent event (WHATWG HTML, section 9.2.6) whose data is a value of `schema`. */
function eventPart(schema: z.ZodType): Part {
  const data = schemaPart(schema)
  return {
    type: 'object',
    required: ['id', 'event', 'data'],
    properties: {
      id: { type: 'string', description: 'The position, from which a stream can be resumed.' },
      event: { type: 'string', ...typesOf(schema), description: 'The type of the event.' },
      data: { type: 'string', contentMediaType: 'application/json', contentSchema: data },
      retry: { type: 'integer', description: 'The delay before a new connection, in milliseconds.' },
    },
  }
}

/** Returns the enum of the member `type` of a union; nothing for another schema. */
function typesOf(schema: z.ZodType): Part {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return {}
  const types = schema.options.map(option =>
    option instanceof z.ZodObject ? option.shape.type.value : undefined,
  )
  return { enum: types }
}

function partAt(document: Part, place: readonly string[]): Part | undefined {
  let part: unknown = document
  for (const name of place) part = isPart(part) ? part[name] : undefined
  return isPart(part) ? part : undefined
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a copy of a value in which `change` has replaced each object, from the inside to the outside. */
export function mapParts(value: Part, change: (part: Part) => Part): Part {
  const mapped = (item: unknown): unknown =>
    Array.isArray(item) ? item.map(mapped) : isPart(item) ? mapParts(item, change) : item
  return change(Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapped(item)])))
}
