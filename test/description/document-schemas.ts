import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { OpenApi } from './document.ts'

/** Says what is wrong with a value by a schema of a document; [] when nothing is. */
export type Validate = (schema: unknown, value: unknown) => string[]

/** Words that OpenAPI 3.0 adds to a schema for readers: they bind no value. */
const annotations = [
  'example',
  'readOnly',
  'description',
  'default',
  'title',
  'discriminator',
  'x-enum-varnames',
]

/**
 * Validates by the schemas of a document, through a JSON Schema validator that knows nothing of this
 * project. OpenAPI 3.0 is not JSON Schema: `nullable` becomes a type, and what is only for readers is taken
 * out; the strict mode of the validator refuses whatever else it does not know.
 */
export function validatorOf({ components }: OpenApi): Validate {
  const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true })
  addFormats.default(ajv)
  // The one binary body is the stream of events, of which only the beginning is ever seen.
  ajv.addFormat('binary', /^retry: \d+\nid: \d+\n\n/)
  const definitions = eachSchema(components.schemas)
  const compiled = new Map<string, ValidateFunction>()
  return (schema, value) => {
    const text = JSON.stringify(schema)
    const validate = compiled.get(text) ?? ajv.compile({ definitions, allOf: [asJsonSchema(schema)] })
    compiled.set(text, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${instancePath || '/'} ${message} ${JSON.stringify(params)}`.trim(),
    )
  }
}

function asJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asJsonSchema)
  if (typeof schema === 'string') return schema.replace(/^#\/components\/schemas\//, '#/definitions/')
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).filter(([name]) => !annotations.includes(name))
  const converted: Record<string, unknown> = Object.fromEntries(
    entries.map(([name, value]) => [name, name === 'properties' ? eachSchema(value) : asJsonSchema(value)]),
  )
  // Clients must take members that they do not know, so schemas of responses are open. The server must not send any.
  if (converted.properties !== undefined) converted.additionalProperties ??= false
  if (converted.nullable !== true) return converted
  const { nullable: _, type, ...rest } = converted
  return { ...rest, type: [type, 'null'] }
}

/** Schemas by name: a member may well be called like a word of the schema language. */
function eachSchema(schemas: unknown): object {
  if (typeof schemas !== 'object' || schemas === null) throw new Error('schemas by name are wanted here')
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, asJsonSchema(schema)]))
}
