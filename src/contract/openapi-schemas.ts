import { z } from 'zod'

/** A part of the document. */
export type Part = { [member: string]: unknown }

/** A schema where it is used: a reference if it has a name, its own text otherwise. */
export function schemaPart(schema: z.ZodType): Part {
  const id = schema.meta()?.id
  if (id !== undefined) return { $ref: `#/components/schemas/${id}` }
  return tidy(z.toJSONSchema(schema, printing))
}

/** The schemas that have a name, as far as they are used. */
export function schemaComponents(parts: unknown): Part {
  const { schemas } = z.toJSONSchema(z.globalRegistry, printing)
  // By name: the registry holds them as the modules happened to load.
  const byName = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))
  const all = Object.fromEntries(byName.map(([id, schema]) => [id, tidy(schema)]))
  return usedOnly('schemas', all, parts)
}

/**
 * The components of a section that are referred to from `parts`, or from one another: nothing else is
 * described.
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

const printing = {
  target: 'openapi-3.0',
  io: 'input',
  unrepresentable: 'any',
  uri: (id: string) => `#/components/schemas/${id}`,
  override: ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Part }) => {
    if (zodSchema._zod.def.type === 'bigint') jsonSchema.type ??= 'integer'
    if (zodSchema instanceof z.ZodDiscriminatedUnion) describeUnion(zodSchema, jsonSchema)
  },
} as const

/** OpenAPI 3.0, section 4.7.25: the discriminator names the schema of each value of the member. */
function describeUnion(union: z.ZodDiscriminatedUnion, part: Part): void {
  const propertyName = union.def.discriminator
  const mapping: Record<string, string> = {}
  for (const option of union.options) {
    if (!(option instanceof z.ZodObject)) throw new Error('a discriminated union is made of objects')
    const types: unknown = option.shape[propertyName]
    if (!(types instanceof z.ZodEnum)) throw new Error(`${propertyName} of a union is an enum`)
    for (const value of types.options) mapping[String(value)] = `#/components/schemas/${option.meta()?.id}`
  }
  // Readers that look at the type first (Scalar does) take a schema without one for none at all.
  part.type = 'object'
  part.oneOf ??= part.anyOf
  part.anyOf = undefined
  part.discriminator = { propertyName, mapping }
}

/** Takes out what the printer adds for JSON Schema and OpenAPI 3.0 has no use for. */
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
