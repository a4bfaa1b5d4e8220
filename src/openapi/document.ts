import { pascalCase } from '../contract/component-name.ts'
import { errorTable } from '../contract/error.ts'
import { type Operation, requiredScope } from '../contract/operation.ts'
import { isRepeated, type Parameter } from '../contract/parameter.ts'
import { refusalsOf } from '../contract/refusals-of.ts'
import { version } from '../files/version.ts'
import { callbacksPart, deliveryHeaders, webhooksPart } from './callbacks.ts'
import { type NamedPart, shareParts } from './components.ts'
import { errorCodesPart, errorResponsesOf } from './error-responses.ts'
import { headerComponents, requestHeaders } from './headers.ts'
import { successResponses } from './responses.ts'
import { type Part, schemaComponents, schemaPart, usedOnly } from './schemas.ts'

/** An API to describe: its operations, and the texts that belong to no operation. */
export interface DescribedApi {
  readonly title: string
  /** One sentence. */
  readonly summary: string
  /** The revision of the document. `info.version` cannot count revisions, because a specification fixes its value. */
  readonly revision?: number
  readonly operations: Readonly<Record<string, Operation>>
  readonly server: string
  readonly introduction: (base: string) => string
  /** The description of each tag, in the order in which the document lists them. */
  readonly tags: Readonly<Record<string, string>>
  /** The groups of tags, by name. OpenAPI 3.0 has none. */
  readonly tagGroups: Readonly<
    Record<string, { readonly description: string; readonly tags: readonly string[] }>
  >
  readonly key: string
}

export interface DescriptionOptions {
  /** The base URL of the server, without a trailing slash. */
  readonly base: string
  /** Returns whether an operation is served, if not all are: the description omits what the stability gate hides. */
  readonly serves?: (operation: Operation) => boolean
}

/** Returns the OpenAPI 3.0.3 document of an API. */
export function describe(api: DescribedApi, { base, serves = () => true }: DescriptionOptions): Part {
  const operations = Object.entries(api.operations).filter(
    ([, operation]) => !operation.hidden && serves(operation),
  )
  const ids = new Set(operations.map(([id]) => id))
  const hasWebhooks = operations.some(([, { sendsEvents }]) => sendsEvents)
  const errors = errorResponsesOf(operations)
  const parameters = shareParts('parameters', [
    ...operations.flatMap(([id, operation]) => parameterParts(id, operation).map(namedParameter)),
    // These are listed twice, because both the callback and the webhooks use them.
    ...(hasWebhooks ? [...deliveryHeaders, ...deliveryHeaders].map(namedParameter) : []),
  ])
  const paths: Record<string, Part> = {}
  for (const [id, operation] of operations) {
    const part = {
      ...operationPart(id, operation),
      parameters: parameterParts(id, operation).map(parameters.refer),
      ...bodyPart(operation),
      responses: {
        ...successResponses(operation, other => ids.has(other)),
        ...errors.responsesOf(id),
      },
      ...(operation.sendsEvents && { callbacks: callbacksPart(parameters) }),
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
    ...preamble(api, base, new Set(operations.map(([, { tag }]) => tag))),
    paths,
    ...webhooks,
    components: {
      schemas: schemaComponents([paths, webhooks, components]),
      ...components,
      securitySchemes: securitySchemes(api),
    },
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

function preamble(api: DescribedApi, base: string, used: ReadonlySet<string>): Part {
  const { title, revision, introduction, server, tags } = api
  return {
    openapi: '3.0.3',
    info: {
      title,
      version,
      ...(revision !== undefined && { 'x-revision': revision }),
      description: introduction(base),
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: base, description: server }],
    tags: Object.entries(tags)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
  }
}

function securitySchemes({ key }: DescribedApi): Part {
  return {
    key: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'pst_ and 49 letters and digits',
      description: key,
    },
  }
}

function operationPart(id: string, operation: Operation): Part {
  const { tag, summary, description, errors = [] } = operation
  const errorText = errors
    .map(({ code, status }) => `- ${status} \`${code}\`: ${errorTable[code].meaning}`)
    .join('\n')
  const texts = [description, keyRequirementText(operation), errorText && `Specific errors:\n\n${errorText}`]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: texts.filter(text => text).join('\n\n'),
    ...lifecyclePart(operation),
    'x-error-codes': errorCodesPart(refusalsOf(id, operation)),
  }
}

function keyRequirementText(operation: Operation): string {
  if (operation.scope === 'public') return 'Requires no key.'
  if (operation.actsOn === 'host') return 'Requires the host key.'
  if (operation.actsOn === 'invitation')
    return 'Requires the code of the link to the class, in place of a key.'
  if (operation.actsOn === 'class') return 'Requires the key of the teacher, or the host key.'
  if (operation.isForTeacher) return 'Requires the key of the sandbox; in a class, that of the teacher.'
  if (operation.actsOn === 'sandbox') return 'Requires the key of the sandbox.'
  const scope = requiredScope(operation)
  return scope === undefined ? 'Requires any valid key.' : `Requires a key with the scope \`${scope}\`.`
}

/** Returns the `security` of an operation. A public operation also accepts a key, which has its own rate limit. */
function securityPart(operation: Operation): Part {
  if (operation.scope === 'public') return { security: [{}, { key: [] }] }
  const scope = requiredScope(operation)
  return { security: [{ key: [] }], ...(scope !== undefined && { 'x-scope': scope }) }
}

function lifecyclePart({ stability = 'stable', deprecation }: Operation): Part {
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

function parameterParts(id: string, operation: Operation): Part[] {
  const { pathParameters = {}, query = {} } = operation
  return [
    ...Object.entries(pathParameters).map(([name, value]) => parameterPart('path', name, value)),
    ...Object.entries(query).map(([name, value]) => parameterPart('query', name, value)),
    ...requestHeaders(id, operation),
  ]
}

function parameterPart(location: 'path' | 'query', name: string, parameter: Parameter): Part {
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
    ...(parameter.allowReserved && { allowReserved: true }),
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
function bodyPart({ body, isBodyOptional }: Operation): Part {
  if (!body) return {}
  const content = { schema: schemaPart(body), example: body.meta()?.example }
  return { requestBody: { required: isBodyOptional !== true, content: { 'application/json': content } } }
}
