import { z } from 'zod'
import type { Operation } from '../../contract/operation.ts'
import { isRepeated, type Parameter } from '../../contract/parameter.ts'
import { requestHeaders } from '../../openapi/headers.ts'
import { parseInt64 } from '../../values/int64.ts'
import { JsonSyntaxError, parseJson } from '../../values/json.ts'
import { kebabCase } from './names.ts'

/** One option of an operation, made from the contract. */
export interface OperationFlag {
  /** The name of the option without dashes: `category-id`. */
  readonly flag: string
  /** The name in the request: of a query parameter, a header field, or a member of the body. */
  readonly name: string
  readonly place: 'query' | 'header' | 'body'
  readonly description: string
  /** The option may be repeated, and its value is a list. */
  readonly isRepeated: boolean
  readonly isRequired: boolean
  /** The value may be `null`, which removes a member. */
  readonly isNullable: boolean
  /** All values, if there are only a few. */
  readonly values: readonly string[]
  /** The form of the value, for the help: `integer`. */
  readonly form: string
  /** Returns the value of one text. Throws InvalidValue. */
  readonly read: (text: string) => unknown
  readonly example: unknown
}

/** Thrown for a text that does not have the form of its option. The message says which form it must have. */
export class InvalidValue extends Error {}

/**
 * Returns the options of an operation: its query, the header fields that a client chooses, and its body. An option with
 * a reserved name gets its place as a prefix, such as `body-url`.
 */
export function flagsOf(id: string, operation: Operation, reserved: ReadonlySet<string>): OperationFlag[] {
  const query = Object.entries(operation.query ?? {}).map(([name, parameter]) => queryFlag(name, parameter))
  const headers = requestHeaders(id, operation).flatMap(headerFlag)
  const flags = [...query, ...membersOf(operation).map(member => memberFlag(...member)), ...headers]
  return flags.map(one => (reserved.has(one.flag) ? { ...one, flag: `${one.place}-${one.flag}` } : one))
}

/** Returns a reader for a path parameter. It throws InvalidValue. */
export function pathReader(parameter: Parameter): (text: string) => unknown {
  return readerOf(parameter)
}

function queryFlag(name: string, parameter: Parameter): OperationFlag {
  return {
    flag: kebabCase(name),
    name,
    place: 'query',
    description: parameter.description,
    isRepeated: isRepeated(parameter),
    isRequired: parameter.required === true,
    isNullable: false,
    ...formOf(parameter.schema),
    read: readerOf(parameter),
    example: parameter.example,
  }
}

function readerOf({ read, schema, expects }: Parameter): (text: string) => unknown {
  return text => {
    const candidate = read(text)
    const result = schema.safeParse(candidate)
    if (candidate !== undefined && result.success) return result.data
    throw new InvalidValue(`It must be ${expects}.`)
  }
}

/** Returns the option of a header field. A required header has none, because its only possible value is always sent. */
function headerFlag(part: Readonly<Record<string, unknown>>): OperationFlag[] {
  const { name, description, required, example } = part
  if (typeof name !== 'string' || required === true) return []
  return [
    {
      flag: kebabCase(name),
      name,
      place: 'header',
      description: String(description),
      example,
      isRepeated: false,
      isRequired: false,
      isNullable: false,
      values: [],
      form: 'text',
      read: text => text,
    },
  ]
}

type Member = readonly [name: string, schema: z.core.$ZodType]

/** Returns the members of a body that a client can choose. A member such as `id` can only be sent unchanged. */
function membersOf({ body }: Operation): Member[] {
  if (!(body instanceof z.ZodObject)) return []
  const members: Member[] = Object.entries(body.shape)
  return members.filter(([, schema]) => metaOf(schema).readOnly !== true)
}

function memberFlag(name: string, schema: z.core.$ZodType): OperationFlag {
  const { core, isOptional, isNullable } = unwrap(schema)
  const element = core instanceof z.ZodArray ? unwrap(core.element).core : core
  const form = formOf(element)
  const readElement = elementReader(element, form.values)
  const { description = '', example } = metaOf(schema)
  return {
    flag: kebabCase(name),
    name,
    place: 'body',
    ...form,
    isNullable,
    example,
    description: String(description),
    isRepeated: core instanceof z.ZodArray,
    isRequired: !isOptional,
    read: text => (isNullable && text === 'null' ? null : readElement(text)),
  }
}

function unwrap(schema: z.core.$ZodType): {
  core: z.core.$ZodType
  isOptional: boolean
  isNullable: boolean
} {
  let [core, isOptional, isNullable] = [schema, false, false]
  while (core instanceof z.ZodOptional || core instanceof z.ZodNullable) {
    isOptional ||= core instanceof z.ZodOptional
    isNullable ||= core instanceof z.ZodNullable
    core = core.unwrap()
  }
  return { core, isOptional, isNullable }
}

/** Returns the description of a schema, its example and so on. The outer schemas override the inner ones. */
function metaOf(schema: z.core.$ZodType): Readonly<Record<string, unknown>> {
  const own = z.globalRegistry.get(schema) ?? {}
  const inner =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? schema.unwrap() : undefined
  return inner === undefined ? own : { ...metaOf(inner), ...own }
}

function formOf(schema: z.core.$ZodType): Pick<OperationFlag, 'form' | 'values'> {
  if (schema instanceof z.ZodEnum) return { form: 'value', values: schema.options.map(String) }
  if (schema instanceof z.ZodBoolean) return { form: 'boolean', values: ['true', 'false'] }
  if (schema instanceof z.ZodBigInt || schema instanceof z.ZodNumber) return { form: 'integer', values: [] }
  return { form: metaOf(schema).format === 'date-time' ? 'instant' : 'text', values: [] }
}

/** Returns a reader that checks only the type of a member. The store checks the rest, and explains violations. */
function elementReader(schema: z.core.$ZodType, values: readonly string[]): (text: string) => unknown {
  if (schema instanceof z.ZodBigInt || schema instanceof z.ZodNumber) {
    return text => parseInt64(text) ?? refuse('a 64-bit integer')
  }
  if (schema instanceof z.ZodBoolean) {
    return text => (values.includes(text) ? text === 'true' : refuse('true or false'))
  }
  if (schema instanceof z.ZodEnum) {
    return text => (values.includes(text) ? text : refuse(`one of ${values.join(', ')}`))
  }
  if (schema instanceof z.ZodString) return text => text
  return readJsonValue
}

function readJsonValue(text: string): unknown {
  try {
    return parseJson(text, Object.prototype)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new InvalidValue(error.message)
  }
}

function refuse(form: string): never {
  throw new InvalidValue(`It must be ${form}.`)
}
