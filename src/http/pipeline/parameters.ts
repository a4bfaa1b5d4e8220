import { FIELD_ERRORS_MAX } from '../../contract/error.ts'
import type { Operation } from '../../contract/operation.ts'
import { isRepeated, type Parameter } from '../../contract/parameter.ts'
import {
  invalidParameters,
  misreadParameter,
  missingParameter,
  type ParameterError,
  undecodable,
  unknownParameter,
} from '../../contract/refusals.ts'
import { similarName } from '../../values/similar-name.ts'
import type { RequestContext } from '../request/request-context.ts'
import { explain } from './validate.ts'

/**
 * Returns the path and query parameters by name, read according to the contract. Throws `invalid_parameter`,
 * `unknown_parameter` or `missing_parameter`: the code of the first error, with the first hundred errors.
 */
export function readParameters(
  operation: Pick<Operation, 'pathParameters' | 'query'>,
  context: Pick<RequestContext, 'path' | 'query' | 'pathParameters'>,
): Record<string, unknown> {
  const { inPath, query, required } = compiledParameters(operation)
  const values: Record<string, unknown> = {}
  const errors: ParameterError[] = []
  for (const [name, parameter] of inPath) {
    values[name] = readOne('path', name, parameter, context.pathParameters[name] ?? '', errors)
  }
  if (errors.length === 0 && decodeText(context.path) === undefined) {
    const name = inPath.map(([pathName]) => pathName).join(', ')
    errors.push(undecodable('path', name, 'The path'))
  }
  if (context.query !== '') readQuery(query, context.query, values, errors)
  for (const name of required) if (!Object.hasOwn(values, name)) errors.push(missingParameter(name))
  const [first, ...others] = errors
  if (first) throw invalidParameters([first, ...others])
  return values
}

interface CompiledParameters {
  readonly inPath: readonly (readonly [name: string, parameter: Parameter])[]
  readonly query: Readonly<Record<string, Parameter>>
  /** The names of the query parameters that must be present. */
  readonly required: readonly string[]
}

const compiledOf = new WeakMap<object, CompiledParameters>()

/** Returns the compiled parameters of an operation. The first request compiles them; later requests reuse them. */
function compiledParameters(operation: Pick<Operation, 'pathParameters' | 'query'>): CompiledParameters {
  const known = compiledOf.get(operation)
  if (known) return known
  const { pathParameters = {}, query = {} } = operation
  const required = Object.keys(query).filter(name => query[name]?.required)
  const made = { inPath: Object.entries(pathParameters), query, required }
  compiledOf.set(operation, made)
  return made
}

function readQuery(
  parameters: Readonly<Record<string, Parameter>>,
  query: string,
  values: Record<string, unknown>,
  errors: ParameterError[],
): void {
  const lists = new Map<string, unknown[]>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeText(equals < 0 ? pair : pair.slice(0, equals))
    const text = decodeText(equals < 0 ? '' : pair.slice(equals + 1))
    if (name === undefined || text === undefined) {
      errors.push(undecodable('query', name ?? '', pair.slice(0, 100)))
      continue
    }
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (!parameter) {
      // Only the errors that are sent get a suggestion.
      const meant = errors.length < FIELD_ERRORS_MAX ? similarName(name, Object.keys(parameters)) : undefined
      errors.push(unknownParameter(name, meant))
    } else if (isRepeated(parameter)) {
      const list = lists.get(name) ?? []
      lists.set(name, list)
      values[name] = list
      if (list.length < parameter.valuesMax) list.push(readOne('query', name, parameter, text, errors))
      else if (!errors.some(error => error.code === 'too_many' && error.name === name)) {
        const message = `${name} may be given at most ${parameter.valuesMax} times.`
        errors.push({ in: 'query', name, code: 'too_many', message, refusal: 'invalid_parameter' })
      }
    } else if (Object.hasOwn(values, name)) {
      const message = `${name} may be given only once.`
      errors.push({ in: 'query', name, code: 'duplicate', message, refusal: 'invalid_parameter' })
    } else {
      values[name] = readOne('query', name, parameter, text, errors)
    }
  }
}

function readOne(
  location: 'path' | 'query',
  name: string,
  parameter: Parameter,
  text: string,
  errors: ParameterError[],
): unknown {
  const candidate = parameter.read(text)
  const result = parameter.schema.safeParse(candidate)
  if (candidate !== undefined && result.success) return result.data
  const [issue] = result.error?.issues ?? []
  const code = candidate === undefined || !issue ? 'type_mismatch' : explain(issue, candidate).code
  errors.push(misreadParameter(location, name, { ...parameter, text, code }))
  return undefined
}

/** Returns a decoded path, name or value; undefined if it is not percent-encoded UTF-8. */
export function decodeText(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
