import { z } from 'zod'
import type { JsonValue } from './json.ts'

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n

const formats = ['int32', 'int64', 'date-time', 'date', 'uri', 'uri-reference', 'binary'] as const

/** A schema of OpenAPI 3.0, as far as the description uses it. Every limit is set, even if the document omits it. */
export interface Schema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean'
  readonly format: (typeof formats)[number] | undefined
  readonly nullable: boolean
  readonly readOnly: boolean
  readonly choices: readonly string[] | undefined
  readonly minimum: bigint
  readonly maximum: bigint
  /** Integers between the bounds that are not valid. */
  readonly excluded: readonly bigint[]
  /** The minimum length, in code points like the maximum. */
  readonly lengthMin: number
  readonly lengthMax: number
  readonly pattern: RegExp | undefined
  readonly itemsMin: number
  readonly itemsMax: number
  readonly items: Schema | undefined
  readonly members: ReadonlyMap<string, Schema>
  readonly required: readonly string[]
  readonly isClosed: boolean
  /** If not empty, a value must match one of these schemas, and all other rules except `nullable` are ignored. */
  readonly oneOf: readonly Schema[]
  readonly example: JsonValue | undefined
}

const count = z.bigint().transform(Number).optional()

// This is strict, so that a keyword that is missing here is an error. Otherwise, it would be ignored.
const RawSchema = z.strictObject({
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

/**
 * Returns the schema in a node. `resolveRef` returns the target of a node that is a reference, or else the node itself.
 * Throws for an unknown keyword.
 */
export function readSchema(node: unknown, resolveRef: (node: unknown) => unknown): Schema {
  const raw = RawSchema.parse(resolveRef(node))
  const isInt32 = raw.format === 'int32'
  const members = Object.entries(raw.properties).map(
    ([name, member]) => [name, readSchema(member, resolveRef)] as const,
  )
  return {
    type: raw.type,
    format: raw.format,
    nullable: raw.nullable,
    readOnly: raw.readOnly,
    choices: raw.enum,
    minimum: raw.minimum ?? (isInt32 ? -(2n ** 31n) : INT64_MIN),
    maximum: raw.maximum ?? (isInt32 ? 2n ** 31n - 1n : INT64_MAX),
    excluded: raw.not?.enum ?? [],
    lengthMin: raw.minLength ?? 0,
    lengthMax: raw.maxLength ?? Number.POSITIVE_INFINITY,
    pattern: raw.pattern === undefined ? undefined : new RegExp(raw.pattern, 'u'),
    itemsMin: raw.minItems ?? 0,
    itemsMax: raw.maxItems ?? Number.POSITIVE_INFINITY,
    items: raw.items === undefined ? undefined : readSchema(raw.items, resolveRef),
    members: new Map(members),
    required: raw.required,
    oneOf: raw.oneOf.map(one => readSchema(one, resolveRef)),
    isClosed: raw.additionalProperties === false,
    example: raw.example,
  }
}
