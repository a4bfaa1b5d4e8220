import { z } from 'zod'

/** A part of the OpenAPI document. */
export type Part = { [member: string]: unknown }

/** Returns a reference to a schema if it has a name, otherwise the schema itself. */
export function schemaPart(schema: z.ZodType): Part {
  const id = schema.meta()?.id
  if (id !== undefined) return { $ref: `#/components/schemas/${id}` }
  return tidy(z.toJSONSchema(schema, jsonSchemaOptions))
}

/** Returns the named schemas that `parts` refers to, directly or through other schemas. */
export function schemaComponents(parts: unknown): Part {
  const { schemas } = z.toJSONSchema(z.globalRegistry, jsonSchemaOptions)
  // Sorted by name, because the order in the registry depends on the order in which modules load.
  const byName = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))
  const all = Object.fromEntries(byName.map(([id, schema]) => [id, tidy(schema)]))
  return usedOnly('schemas', all, parts)
}

/**
 * Returns the components of a section that `parts` refers to, directly or through other components. The document
 * contains no other components.
 */
export function usedOnly(section: string, all: Part, parts: unknown): Part {
  const used = new Set<string>()
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/([\w.\-/]+)"/g)) {
      const id = name.slice(section.length + 1)
      if (!name.startsWith(`${section}/`) || used.has(id)) continue
      used.add(id)
      follow(all[id])
    }
  }
  follow(parts)
  return Object.fromEntries(Object.entries(all).filter(([id]) => used.has(id)))
}

const jsonSchemaOptions = {
  target: 'openapi-3.0',
  io: 'input',
  unrepresentable: 'any',
  uri: (id: string) => `#/components/schemas/${id}`,
  override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Part }) => {
    if (zodSchema._zod.def.type === 'bigint') jsonSchema.type ??= 'integer'
    if (zodSchema instanceof z.ZodDiscriminatedUnion) describeUnion(zodSchema, jsonSchema)
  },
} as const

/** Adds the discriminator of a union, which maps each of its values to a schema (OpenAPI 3.0, section 4.7.25). */
function describeUnion(union: z.ZodDiscriminatedUnion, part: Part): void {
  const propertyName = union.def.discriminator
  const mapping: Record<string, string> = {}
  for (const option of union.options) {
    if (!(option instanceof z.ZodObject))
      throw new Error('every option of a discriminated union must be an object')
    const value: unknown = option.shape[propertyName]
    // One value for each option, because many generators know no other discriminator.
    if (!(value instanceof z.ZodLiteral))
      throw new Error(`${propertyName} of a discriminated union must be a literal`)
    mapping[String(value.value)] = `#/components/schemas/${option.meta()?.id}`
  }
  // Tools that look at the type first (such as Scalar) ignore a schema without a type.
  part.type = 'object'
  part.oneOf ??= part.anyOf
  part.anyOf = undefined
  part.discriminator = { propertyName, mapping }
}

/** Removes the keywords that OpenAPI 3.0 does not have, and replaces a lone `allOf` of one schema by that schema. */
function tidy(schema: object): Part {
  const part: Part = {}
  for (const [name, value] of Object.entries(schema)) {
    if (name === '$id' || name === '$schema' || (name === 'id' && typeof value === 'string')) continue
    part[name] = name === 'example' ? value : tidyValue(value)
  }
  const { allOf, ...rest } = part
  if (!Array.isArray(allOf) || allOf.length !== 1 || Object.keys(rest).length > 0) return part
  return Object.assign({}, allOf[0])
}

function tidyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidyValue)
  return typeof value === 'object' && value !== null ? tidy(value) : value
}
