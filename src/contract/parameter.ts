import { z } from 'zod'
import { instant } from '../model/instant.ts'
import { int64, parseInt64 } from '../model/int64.ts'
import { text } from '../model/text.ts'

/** A path, query or header parameter: how its text is read, and the schema that the value must meet. */
export interface Parameter<T = unknown> {
  readonly schema: z.ZodType<T>
  /** From the decoded text to a candidate for the schema; undefined when the text is no such value at all. */
  readonly read: (text: string) => unknown
  readonly expects: string
  readonly description: string
  readonly example?: string | number | boolean
}

/** A parameter that may be given up to `most` times; it means any of its values. */
export interface RepeatedParameter<T = unknown> extends Parameter<T> {
  readonly most: number
}

export function isRepeated(parameter: Parameter | RepeatedParameter): parameter is RepeatedParameter {
  return 'most' in parameter
}

/** What a set of query parameters becomes: a list where one may be repeated. */
export type QueryValues<Q extends Record<string, Parameter>> = {
  readonly [N in keyof Q]?: Q[N] extends { most: number } & Parameter<infer T>
    ? readonly T[] | undefined
    : Q[N] extends Parameter<infer T>
      ? T | undefined
      : never
}

export type PathValues<P extends Record<string, Parameter>> = {
  readonly [N in keyof P]: P[N] extends Parameter<infer T> ? T : never
}

export function repeated<T>(most: number, parameter: Parameter<T>): RepeatedParameter<T> {
  return { ...parameter, most }
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

export function instantParameter(description: string): Parameter<string> {
  return {
    schema: instant,
    read: value => value,
    expects: 'an RFC 3339 date-time with an offset (a + is written %2B)',
    description,
    example: '2026-12-01T00:00:00Z',
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
    expects: `one of ${schema.options.join(', ')}`,
    description,
    ...(example !== undefined && { example }),
  }
}

export function textParameter(
  min: number,
  max: number,
  description: string,
  example: string,
): Parameter<string> {
  return {
    schema: text(min, max),
    read: value => value,
    expects: `a text of ${min} to ${max} characters`,
    description,
    example,
  }
}

/** The parameters of every list: how many, and where to go on. */
export const paging = {
  limit: integerParameter(1, 100, 'How many at most; 20 unless given.'),
  cursor: textParameter(
    1,
    2048,
    'Where to go on: taken from the `next` link of the page before.',
    'WyIxcDZ5NHNmcWhlZ2MwIiwzLDNd',
  ),
}
