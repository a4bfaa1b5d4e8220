import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { OpenApi } from './document.ts'

/** Returns the faults of a value under a schema of a document; [] if there is none. */
export type Validate = (schema: unknown, value: unknown) => string[]

/** The keywords of OpenAPI 3.0 that only explain a schema. They do not restrict values. */
const annotations = [
  'example',
  'readOnly',
  'description',
  'default',
  'title',
  'discriminator',
  'x-enum-varnames',
]

/** The name under which the schemas of a document are known to the validator. */
const DOCUMENT = 'document'

/** The beginning of the event stream of a store. */
const EVENT_STREAM = /^retry: \d+\nid: \d+\n\n/

/** The validators by their schemas. To compile those of a store takes a second of processor time. */
const validators = new Map<string, Validate>()

/**
 * Returns a validator of the schemas of a document: a JSON Schema validator that is independent of this project.
 * OpenAPI 3.0 is not JSON Schema, so `nullable` becomes a type, and keywords that only explain a schema are removed.
 * The strict mode of the validator refuses all other unknown keywords.
 * `streams` is the beginning that an event stream must have.
 */
export function validatorOf({ components }: OpenApi, streams = EVENT_STREAM): Validate {
  const name = `${streams} ${JSON.stringify(components.schemas)}`
  const validate = validators.get(name) ?? newValidator(components.schemas, streams)
  validators.set(name, validate)
  return validate
}

function newValidator(schemas: unknown, streams: RegExp): Validate {
  const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true })
  addFormats.default(ajv)
  // The only binary body is the event stream, of which only the beginning is ever read.
  ajv.addFormat('binary', streams)
  ajv.addSchema({ definitions: eachSchema(schemas) }, DOCUMENT)
  const compiled = new Map<string, ValidateFunction>()
  return (schema, value) => {
    const text = JSON.stringify(schema)
    const validate = compiled.get(text) ?? ajv.compile({ allOf: [asJsonSchema(schema)] })
    compiled.set(text, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message, params }) =>
      `${instancePath || '/'} ${message} ${JSON.stringify(params)}`.trim(),
    )
  }
}

function asJsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asJsonSchema)
  if (typeof schema === 'string')
    return schema.replace(/^#\/components\/schemas\//, `${DOCUMENT}#/definitions/`)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).filter(([name]) => !annotations.includes(name))
  const converted: Record<string, unknown> = Object.fromEntries(
    entries.map(([name, value]) => [name, name === 'properties' ? eachSchema(value) : asJsonSchema(value)]),
  )
  // Clients must accept unknown members, so the schemas of responses allow them. Here the schemas refuse them, because
  // the server must not send unknown members.
  if (converted.properties !== undefined) converted.additionalProperties ??= false
  // In OpenAPI 3.0, exclusiveMinimum is a boolean, and true excludes `minimum` itself.
  if (converted.exclusiveMinimum === true) {
    converted.exclusiveMinimum = converted.minimum
    delete converted.minimum
  }
  if (converted.nullable !== true) return converted
  const { nullable: _, type, ...rest } = converted
  return { ...rest, type: [type, 'null'] }
}

/**
 * Converts each schema of an object that maps names to schemas, and keeps every name. A name may be `description` or
 * `title`, which is then a member, not the keyword that is removed.
 */
function eachSchema(schemas: unknown): object {
  if (typeof schemas !== 'object' || schemas === null)
    throw new Error('an object with schemas by name is required here')
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, asJsonSchema(schema)]))
}
