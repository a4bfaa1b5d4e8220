import { errorTable } from '../contract/error.ts'
import { errorsOf } from '../contract/errors-of.ts'
import { type Operation, requiredScope, type Tag } from '../contract/operation.ts'
import { isRepeated, type Parameter } from '../contract/parameter.ts'
import { contract, isOperationId, type OperationId } from '../shop/operations.ts'
import { callbacksPart, deliveryHeaders, webhooksPart } from './callbacks.ts'
import { type NamedPart, pascalCase, shareParts } from './components.ts'
import { requestExample } from './examples.ts'
import { headerComponents, requestHeaders } from './headers.ts'
import { errorCodesPart, errorResponsesOf } from './refusals.ts'
import { successResponses } from './responses.ts'
import { type Part, schemaComponents, schemaPart, usedOnly } from './schemas.ts'

export interface DescriptionOptions {
  /** The base URL of the server, without a trailing slash. */
  readonly base: string
  /** Returns whether an operation is served. The description omits operations that the stability gate hides. */
  readonly serves: (operation: Operation) => boolean
}

/** The revision of the document. `info.version` cannot count revisions, because the specification fixes its value. */
const REVISION = 3

/** Returns the OpenAPI 3.0.3 document of the service, generated from the contract alone. */
export function describe({ base, serves }: DescriptionOptions): Part {
  const operations = describedOperations(serves)
  const ids = new Set(operations.map(([id]) => id))
  const hasWebhooks = ids.has('createWebhook')
  const errors = errorResponsesOf(operations)
  const parameters = shareParts('parameters', [
    ...operations.flatMap(([, operation]) => parameterParts(operation).map(namedParameter)),
    // These are listed twice, because both the callback and the webhooks use them.
    ...(hasWebhooks ? [...deliveryHeaders, ...deliveryHeaders].map(namedParameter) : []),
  ])
  const paths: Record<string, Part> = {}
  for (const [id, operation] of operations) {
    const part = {
      ...operationPart(id, operation),
      parameters: parameterParts(operation).map(parameters.refer),
      ...bodyPart(id, operation),
      responses: {
        ...successResponses(id, operation, other => ids.has(other)),
        ...errors.responsesOf(id),
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

/**
 * The component names of parameters whose own names are too general: generators turn the component names into types.
 */
const parameterNames: Readonly<Record<string, string>> = {
  limit: 'PageLimit',
  cursor: 'PageCursor',
  type: 'EventTypeFilter',
}

function namedParameter(part: Part): NamedPart {
  const name = String(part.name)
  const suffix = part.in === 'query' ? 'Filter' : pascalCase(String(part.in))
  return { name: parameterNames[name] ?? `${pascalCase(name)}${suffix}`, part }
}

const tags: Readonly<Record<Tag, string>> = {
  Pets: 'The catalogue: pets and their categories.',
  Store: 'Orders, and the stock that they reserve.',
  Events: 'Every change, as a feed and as a stream.',
  Webhooks: 'Receivers that events are sent to.',
  Keys: 'API keys and the audit log.',
  Service: 'Information about the service.',
}

/** Returns the introduction: a first call, the key, the guides, and then the rules that hold for every operation. */
function introduction(base: string): string {
  return `A store of pets, categories, stock and orders.

## First call

Reading pets needs no key. Placing an order needs one:

\`\`\`sh
BASE=${base}
curl "$BASE/pets?limit=3"

KEY=$(cat data/admin-key)
curl -X POST $BASE/store/orders -d '{"petId":3}' \\
  -H 'Content-Type: application/json' \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Idempotency-Key: "first-order"'
\`\`\`

The first start of a store writes the key of its administrator to the file \`admin-key\` in its data directory. A store
that somebody else runs needs a key from its operator. \`GET /keys/current\` says what a key may do.

The [guides](${base}/docs/guide) explain the rest, such as how to
[call the store from a program](${base}/docs/guide/clients), [follow its events](${base}/docs/guide/events) and
[run a shop](${base}/docs/guide/shop).

## Conventions

- Lists are plain arrays, in pages: \`Link\` names the next page while there is more.
- Every error is an \`Error\` with a code from the catalogue at \`/errors\`. If \`Accept\` names
  \`application/problem+json\`, the error is a problem (RFC 9457), with the additional members \`type\`, \`title\`,
  \`detail\` and \`instance\`. \`x-error-codes\` lists the codes of each operation by status.
- A POST, PATCH, PUT or DELETE with an \`Idempotency-Key\` takes effect once, however often it is sent within 24 hours
  (a key is kept for at least that long).
  Operations whose response contains a secret accept no such key. An \`Idempotency-Key\` belongs to one API key and one
  operation.
- Every read with an ETag evaluates \`If-None-Match\` and \`If-Match\`. The ETag of a list is weak: only \`If-Match: *\`
  matches it. A list that \`id\` or \`petId\` filters to one pet or one inventory item has the ETag of that resource.
  A proxy that compresses responses makes this ETag weak: \`If-Match\` accepts it with and without \`W/\`.
- A PATCH is a JSON Merge Patch (RFC 7396), as \`application/json\` or \`application/merge-patch+json\`.
- Ids are 64-bit integers, read and sent without loss of precision.
- Text is stored as it was sent; it must not contain U+0000. Instants are RFC 3339 date-times in the years 0001 to
  9999, without leap seconds.
- Every change is published as a CloudEvents 1.0 event: in the feed, in the stream, and to webhooks.
- Later versions may add members to responses, values to enums, and event types. Ignore those you do not know, and
  request the event types you know with \`type=\`. Unknown members of a request are rejected (422).
- \`beta\` and \`experimental\` operations may change. A deprecated operation is available until its sunset date.
- Every path that supports GET supports HEAD. Every path supports OPTIONS, which returns \`Allow\`.
- The runtime rejects malformed HTTP (400), a request head over 16 KiB (431) and a body over 8 MiB (413) before any
  operation runs. These responses have no body.`
}

const securitySchemes = {
  key: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'pst_ and 49 letters and digits',
    description:
      'A key of the store. The description and the `x-scope` of an operation name the scope that it requires. `admin` includes all scopes, and `keys:manage` includes `audit:read`.',
  },
}

function preamble(base: string, used: ReadonlySet<string>): Part {
  return {
    openapi: '3.0.3',
    info: {
      title: 'Petstore',
      version: '1.0.0',
      'x-revision': REVISION,
      description: introduction(base),
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: base, description: 'This store.' }],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
  }
}

function describedOperations(serves: (operation: Operation) => boolean): [OperationId, Operation][] {
  const operations: [string, Operation][] = Object.entries(contract)
  return operations.flatMap(([id, operation]): [OperationId, Operation][] =>
    isOperationId(id) && !operation.hidden && serves(operation) ? [[id, operation]] : [],
  )
}

function operationPart(id: string, operation: Operation): Part {
  const { tag, summary, description, errors } = operation
  const errorText = errors
    .map(code => `- ${errorTable[code].status} \`${code}\`: ${errorTable[code].meaning}`)
    .join('\n')
  const texts = [description, keyRequirementText(operation), errorText && `Specific errors:\n\n${errorText}`]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: texts.filter(text => text).join('\n\n'),
    ...lifecyclePart(operation),
    'x-error-codes': errorCodesPart(errorsOf(operation)),
  }
}

function keyRequirementText(operation: Operation): string {
  if (operation.scope === 'public') return 'Requires no key.'
  const scope = requiredScope(operation)
  return scope === undefined ? 'Requires any valid key.' : `Requires a key with the scope \`${scope}\`.`
}

/** Returns the `security` of an operation. A public operation also accepts a key, which has its own rate limit. */
function securityPart(operation: Operation): Part {
  if (operation.scope === 'public') return { security: [{}, { key: [] }] }
  const scope = requiredScope(operation)
  return { security: [{ key: [] }], ...(scope !== undefined && { 'x-scope': scope }) }
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
        'x-badges': [{ name: `until ${sunset}`, position: 'before' }],
      }
    case 'beta':
      // The docs page has a label of its own for each stage except this one.
      return {
        'x-stability': 'beta',
        'x-stability-level': 'beta',
        'x-badges': [{ name: 'Beta', position: 'before' }],
      }
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

/** Returns a path or query parameter. */
export function parameterPart(location: 'path' | 'query', name: string, parameter: Parameter): Part {
  const { description, example } = parameter
  const valueSchema = schemaPart(parameter.schema)
  const schema = isRepeated(parameter)
    ? { type: 'array', maxItems: parameter.valuesMax, items: valueSchema }
    : valueSchema
  return {
    name,
    in: location,
    required: location === 'path' || parameter.required === true,
    ...(parameter.mayBeEmpty && { allowEmptyValue: true }),
    description,
    schema,
    ...(isRepeated(parameter) && { style: 'form', explode: true }),
    ...(example !== undefined && { example: isRepeated(parameter) ? [example] : example }),
  }
}

/**
 * Returns the `requestBody` of an operation. A PATCH also accepts `application/merge-patch+json`, which is not listed,
 * because generators would duplicate every type.
 */
function bodyPart(id: OperationId, { body }: Operation): Part {
  if (!body) return {}
  const content = { schema: schemaPart(body), example: requestExample(id) }
  return { requestBody: { required: true, content: { 'application/json': content } } }
}
