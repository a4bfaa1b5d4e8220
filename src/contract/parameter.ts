import { z } from 'zod'
import { constantNames } from '../values/constant-names.ts'
import { date, instant, instantOrDate } from '../values/instant-schema.ts'
import { parseInt64 } from '../values/int64.ts'
import { int64 } from '../values/int64-schema.ts'
import { parseSequence } from '../values/sequence.ts'
import { text } from '../values/text-schema.ts'

/** A path or query parameter: how its text is parsed, and the schema of its value. */
export interface Parameter<T = unknown> {
  readonly schema: z.ZodType<T>
  /** Converts the percent-decoded text to the value that `schema` then checks; undefined if that is impossible. */
  readonly read: (text: string) => unknown
  /** The required form of the text, for messages: `a 64-bit integer`. */
  readonly expects: string
  /** The text may have reserved characters of RFC 3986 that a URL need not escape. */
  readonly allowReserved?: true
  readonly description: string
  readonly example?: string | number | boolean
  readonly required?: true
  /** Whether the OpenAPI description allows an empty value. If it does not, gateways refuse an empty value. */
  readonly mayBeEmpty?: true
}

/** A filter that can be given up to `valuesMax` times. An item matches if it matches one of the values. */
interface RepeatedParameter<T = unknown> extends Parameter<T> {
  readonly valuesMax: number
}

export function isRepeated(parameter: Parameter | RepeatedParameter): parameter is RepeatedParameter {
  return 'valuesMax' in parameter
}

type QueryValue<P> = P extends { valuesMax: number } & Parameter<infer T>
  ? readonly T[]
  : P extends Parameter<infer T>
    ? T
    : never

type RequiredName<Q> = { [N in keyof Q]: Q[N] extends { required: true } ? N : never }[keyof Q]

/** The values of a set of query parameters. A repeated parameter has a list of values. */
export type QueryValues<Q extends Record<string, Parameter>> = {
  readonly [N in Exclude<keyof Q, RequiredName<Q>>]?: QueryValue<Q[N]> | undefined
} & { readonly [N in RequiredName<Q>]: QueryValue<Q[N]> }

export type PathValues<P extends Record<string, Parameter>> = {
  readonly [N in keyof P]: P[N] extends Parameter<infer T> ? T : never
}

export function repeated<T>(valuesMax: number, parameter: Parameter<T>): RepeatedParameter<T> {
  return { ...parameter, valuesMax }
}

export function required<P extends Parameter>(parameter: P): P & { readonly required: true } {
  return { ...parameter, required: true }
}

export function idParameter(description: string, example = 3): Parameter<bigint> {
  return { schema: int64, read: parseInt64, expects: 'a 64-bit integer', description, example }
}

export function integerParameter(min: number, max: number, description: string): Parameter<number> {
  return {
    schema: z.int().min(min).max(max).meta({ format: 'int32' }),
    read: value => {
      const integer = parseInt64(value)
      return integer === undefined ? undefined : Number(integer)
    },
    expects: `an integer from ${min} to ${max}`,
    description,
    example: max,
  }
}

export function int64Parameter(
  schema: z.ZodType<bigint>,
  expects: string,
  description: string,
): Parameter<bigint> {
  return { schema, read: parseInt64, expects, description, example: 5 }
}

export function booleanParameter(description: string): Parameter<boolean> {
  return {
    schema: z.boolean(),
    read: value => (value === 'true' ? true : value === 'false' ? false : undefined),
    expects: 'true or false',
    description,
    example: true,
  }
}

/** A `+` in a query means a space (WHATWG URL, section 5.1), but many clients do not escape the one of an offset. */
function withPlus(text: string): string {
  return text.replace(/ (?=\d\d:\d\d$)/, '+')
}

export function instantParameter(description: string, example = '2026-12-01T00:00:00Z'): Parameter<string> {
  return {
    schema: instant,
    read: withPlus,
    expects: 'an RFC 3339 date-time with an offset',
    allowReserved: true,
    description,
    example,
  }
}

export function dateParameter(description: string, example: string): Parameter<string> {
  return {
    schema: date,
    read: value => value,
    expects: 'a date that exists, such as 2026-11-21',
    description,
    example,
  }
}

/** Returns a parameter for the start or the end of a period. */
export function periodParameter(description: string, example: string): Parameter<string> {
  return {
    schema: instantOrDate,
    read: withPlus,
    expects: 'an RFC 3339 date-time with an offset, or a date that exists, such as 2026-11-21',
    allowReserved: true,
    description,
    example,
  }
}

export function enumParameter<const T extends Record<string, string>>(
  schema: z.ZodEnum<T>,
  description: string,
): Parameter<T[keyof T]> {
  const [example] = schema.options
  return {
    schema,
    read: value => value,
    expects: schema.options.length === 1 ? String(example) : `one of ${schema.options.join(', ')}`,
    description,
    ...(example !== undefined && { example }),
  }
}

/**
 * Returns a `sort` parameter. `id` is the name of its enum in generated code. Some filters restrict the sort, and tools
 * send all examples in one request, so the example must be a sort that every filter of the list allows.
 */
export function sortParameter<const T extends Readonly<Record<string, string>>>(
  id: string,
  orders: z.ZodEnum<T>,
  example: T[keyof T] & string,
  description: string,
): Parameter<T[keyof T]> {
  const common = { id, description: 'The sort order of a list; a leading minus reverses it.', example }
  const meta = { ...common, ...constantNames(orders.options) }
  return { ...enumParameter(orders.meta(meta), description), example }
}

/**
 * Returns a parameter with a text. With an empty example, an empty text is no filter: tools send all examples in one
 * request, so a filter that excludes others has such an example.
 */
export function textParameter(
  min: number,
  max: number,
  description: string,
  example: string,
): Parameter<string> {
  return {
    schema: text(min, max, { mayBeEmpty: example === '' }),
    read: value => value,
    expects: `a text of ${min} to ${max} characters`,
    description,
    example,
    ...(example === '' && { mayBeEmpty: true }),
  }
}

/** Returns a parameter for the position of an event: its `sequence`, with or without leading zeros. */
export function positionParameter(description: string): Parameter<bigint> {
  return {
    schema: z
      .bigint()
      .min(0n)
      .meta({ type: 'string', pattern: '^[0-9]{1,19}$', maxLength: 19, example: '669' }),
    read: parseSequence,
    expects: 'a position: 1 to 19 digits',
    description,
    example: '669',
  }
}

/** The parameters of a list with pages: the size of a page, and where to continue. */
export const paging = {
  limit: integerParameter(1, 100, 'The maximum number of items on the page; 20 by default.'),
  cursor: {
    schema: z.string().max(2048).meta({ pattern: '^[A-Za-z0-9_-]*$' }),
    read: (value: string) => value,
    expects: 'a cursor from a `next` link',
    description: 'The page to read, from the `next` link of the previous page. Empty for the first page.',
    example: '',
    mayBeEmpty: true as const,
  },
}
