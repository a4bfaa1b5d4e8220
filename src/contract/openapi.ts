import { errorTable } from '../model/error.ts'
import { contract, isOperationId, type OperationId } from './contract.ts'
import { requestExample } from './examples.ts'
import { successes } from './openapi-answers.ts'
import { callbacksPart, deliveryHeaders, webhooksPart } from './openapi-callbacks.ts'
import { headerComponents, requestHeaders } from './openapi-headers.ts'
import { errorCodesPart, refusalsOf } from './openapi-refusals.ts'
import { type Part, schemaComponents, schemaPart, usedOnly } from './openapi-schemas.ts'
import { type Named, pascalCase, shareParts } from './openapi-shared.ts'
import type { Operation, Tag } from './operation.ts'
import { isRepeated, type Parameter } from './parameter.ts'

export interface DescriptionOptions {
  /** The base address of the server, without a slash at its end. */
  readonly base: string
  /** Which operations are served: what the gate hides is not described either. */
  readonly serves: (operation: Operation) => boolean
}

/** Counts the changes of the description: `info.version` is fixed by the specification. */
const REVISION = 2

/** The description of the service, OpenAPI 3.0.3, made from the contract alone. */
export function describe({ base, serves }: DescriptionOptions): Part {
  const operations = described(serves)
  const ids = new Set(operations.map(([id]) => id))
  const hasWebhooks = ids.has('createWebhook')
  const errors = refusalsOf(operations)
  const parameters = shareParts('parameters', [
    ...operations.flatMap(([, operation]) => parameterParts(operation).map(parameterNamed)),
    // The callback and the webhooks share them.
    ...(hasWebhooks ? [...deliveryHeaders, ...deliveryHeaders].map(parameterNamed) : []),
  ])
  const paths: Record<string, Part> = {}
  for (const [id, operation] of operations) {
    const part = {
      ...operationPart(id, operation),
      parameters: parameterParts(operation).map(parameters.refer),
      ...bodyPart(id, operation),
      responses: {
        ...successes(id, operation, other => ids.has(other)),
        ...errors.responsesOf([id, operation]),
      },
      ...(id === 'createWebhook' && { callbacks: callbacksPart(parameters) }),
    }
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: { ...part, ...securityPart(operation) },
    }
  }
  const webhooks = hasWebhooks ? { 'x-webhooks': webhooksPart(parameters) } : {}
  const components = {
    parameters: parameters.components,
    headers: usedOnly('headers', headerComponents, [paths, errors.components]),
    responses: errors.components,
  }
  return {
    ...preamble(base, new Set(operations.map(([, { tag }]) => tag))),
    paths,
    ...webhooks,
    components: { schemas: schemaComponents([paths, webhooks, components]), ...components, securitySchemes },
  }
}

/** Keys of parameters that say little: generators make types of them. */
const parameterNames: Readonly<Record<string, string>> = {
  limit: 'PageLimit',
  cursor: 'PageCursor',
  type: 'EventTypeFilter',
}

function parameterNamed(part: Part): Named {
  const name = String(part.name)
  const suffix = part.in === 'query' ? 'Filter' : pascalCase(String(part.in))
  return { name: parameterNames[name] ?? `${pascalCase(name)}${suffix}`, part }
}

const tags: Readonly<Record<Tag, string>> = {
  Pets: 'The catalogue: pets and their categories.',
  Store: 'Orders and the stock they take from.',
  Events: 'Everything that happens, to be read or followed.',
  Webhooks: 'Receivers that events are sent to.',
  Keys: 'Who may do what, and who did it.',
  Service: 'What the service says of itself.',
}

const about = `A store of pets, categories, stock and orders.

- Ids are 64-bit integers, read and sent exactly.
- Text is kept as it was sent; it may not hold U+0000. Instants are RFC 3339, in the years 0001 to 9999 and
  without leap seconds.
- Lists are plain arrays, in pages: \`Link\` names the next one while there is more.
- Every error is an \`Error\` with a code of the catalogue at \`/errors\`. A request whose \`Accept\` names
  \`application/problem+json\` gets the same as a problem of RFC 9457, with the members \`type\`, \`title\`,
  \`detail\` and \`instance\` added. \`x-error-codes\` lists the codes of each operation by status.
- Later versions may add members to responses, values to enums and types of event. Ignore what you do not know, and ask
  for the types of event that you know with \`type=\`. Unknown members of a request are refused (422).
- A PATCH is a JSON Merge Patch (RFC 7396), as \`application/json\` or \`application/merge-patch+json\`.
- A POST, PATCH, PUT or DELETE with an \`Idempotency-Key\` has one effect, however often it is sent.
- Everything that happens is told in CloudEvents 1.0: as a feed, as a stream, and to webhooks.
- HEAD is answered wherever GET is, OPTIONS everywhere with \`Allow\`.
- The runtime refuses malformed HTTP (400), a head over 16 KiB (431) and a body over 8 MiB (413) before any
  operation, without a body.`

const securitySchemes = {
  key: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'pst_ and 49 letters and digits',
    description:
      'A key of the store. The scope that an operation needs is named in its description and in x-scope; `admin` holds them all.',
  },
}

function preamble(base: string, used: ReadonlySet<string>): Part {
  return {
    openapi: '3.0.3',
    info: {
      title: 'Petstore',
      version: '1.0.0',
      'x-revision': REVISION,
      description: about,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: base, description: 'This store.' }],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
  }
}

function described(serves: (operation: Operation) => boolean): [OperationId, Operation][] {
  const operations: [string, Operation][] = Object.entries(contract)
  return operations.flatMap(([id, operation]): [OperationId, Operation][] =>
    isOperationId(id) && !operation.hidden && serves(operation) ? [[id, operation]] : [],
  )
}

function operationPart(id: string, operation: Operation): Part {
  const { tag, summary, description, scope, errors } = operation
  const needs = scope === 'public' ? 'Needs no key.' : `Needs a key with the scope \`${scope}\`.`
  const own = errors.map(code => `\`${code}\` (${errorTable[code].status})`).join(', ')
  const texts = [description, needs, own && `Errors of its own: ${own}.`]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: texts.filter(text => text).join('\n\n'),
    ...lifecyclePart(operation),
    'x-error-codes': errorCodesPart(operation),
  }
}

/** A public operation takes a key as well: its caller then has a rate limit of its own. */
function securityPart({ scope }: Operation): Part {
  return scope === 'public' ? { security: [{}, { key: [] }] } : { security: [{ key: [] }], 'x-scope': scope }
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

function parameterParts(operation: Operation): Part[] {
  const { pathParameters = {}, query = {} } = operation
  return [
    ...Object.entries(pathParameters).map(([name, value]) => parameterPart('path', name, value)),
    ...Object.entries(query).map(([name, value]) => parameterPart('query', name, value)),
    ...requestHeaders(operation),
  ]
}

function parameterPart(place: 'path' | 'query', name: string, parameter: Parameter): Part {
  const { description, example } = parameter
  const one = schemaPart(parameter.schema)
  const schema = isRepeated(parameter) ? { type: 'array', maxItems: parameter.most, items: one } : one
  return {
    name,
    in: place,
    required: place === 'path' || parameter.required === true,
    description,
    schema,
    ...(isRepeated(parameter) && { style: 'form', explode: true }),
    ...(example !== undefined && { example: isRepeated(parameter) ? [example] : example }),
  }
}

/** A PATCH takes `application/merge-patch+json` as well; with two media types generators make two of every type. */
function bodyPart(id: OperationId, { body }: Operation): Part {
  if (!body) return {}
  const content = { schema: schemaPart(body), example: requestExample(id) }
  return { requestBody: { required: true, content: { 'application/json': content } } }
}
