import { z } from 'zod'
import type { JsonValue } from './json.ts'

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n

const formats = ['int32', 'int64', 'date-time', 'date', 'uri', 'uri-reference', 'binary'] as const

/** A schema of OpenAPI 3.0, as far as the description uses it; every limit is set, also if the document omits it. */
export interface Schema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  readonly format: (typeof formats)[number] | undefined
  readonly nullable: boolean
  readonly readOnly: boolean
  readonly choices: readonly string[] | undefined
  readonly minimum: bigint
  readonly maximum: bigint
  /** Integers that are nevertheless not valid values. */
  readonly excluded: readonly bigint[]
  /** In code points. */
  readonly lengthMin: number
  readonly lengthMax: number
  readonly pattern: RegExp | undefined
  readonly itemsMin: number
  readonly itemsMax: number
  readonly items: Schema | undefined
  readonly members: ReadonlyMap<string, Schema>
  readonly required: readonly string[]
  readonly isClosed: boolean
  /** If there are any, a value is valid if it matches one of these, and no other member of the schema counts. */
  readonly oneOf: readonly Schema[]
  readonly example: JsonValue | undefined
}

const count = z.bigint().transform(Number).optional()

// Strict: a keyword that is not understood here would not be checked.
const Written = z.strictObject({
  type: z.enum(['object', 'array', 'string', 'integer', 'boolean']).default('object'),
  oneOf: z.array(z.unknown()).default([]),
  discriminator: z.unknown().optional(),
  'x-enum-varnames': z.array(z.string()).optional(),
  format: z.enum(formats).optional(),
  nullable: z.boolean().default(false),
  readOnly: z.boolean().default(false),
  enum: z.array(z.string()).optional(),
  minimum: z.bigint().optional(),
  maximum: z.bigint().optional(),
  not: z.strictObject({ enum: z.array(z.bigint()) }).optional(),
  minLength: count,
  maxLength: count,
  pattern: z.string().optional(),
  minItems: count,
  maxItems: count,
  items: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).default({}),
  required: z.array(z.string()).default([]),
  additionalProperties: z.literal(false).optional(),
  example: z.custom<JsonValue>().optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
  title: z.string().optional(),
})

/** Reads a schema; `follow` returns the target of a reference. Throws on a keyword that it does not know. */
export function readSchema(part: unknown, follow: (part: unknown) => unknown): Schema {
  const written = Written.parse(follow(part))
  const isInt32 = written.format === 'int32'
  const members = Object.entries(written.properties).map(
    ([name, member]) => [name, readSchema(member, follow)] as const,
  )
  return {
    type: written.type,
    format: written.format,
    nullable: written.nullable,
    readOnly: written.readOnly,
    choices: written.enum,
    minimum: written.minimum ?? (isInt32 ? -(2n ** 31n) : INT64_MIN),
    maximum: written.maximum ?? (isInt32 ? 2n ** 31n - 1n : INT64_MAX),
    excluded: written.not?.enum ?? [],
    lengthMin: written.minLength ?? 0,
    lengthMax: written.maxLength ?? Number.POSITIVE_INFINITY,
    pattern: written.pattern === undefined ? undefined : new RegExp(written.pattern, 'u'),
    itemsMin: written.minItems ?? 0,
    itemsMax: written.maxItems ?? Number.POSITIVE_INFINITY,
    items: written.items === undefined ? undefined : readSchema(written.items, follow),
    members: new Map(members),
    required: written.required,
    oneOf: written.oneOf.map(one => readSchema(one, follow)),
    isClosed: written.additionalProperties === false,
    example: written.example,
  }
}
