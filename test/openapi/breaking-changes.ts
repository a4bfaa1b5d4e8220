import { z } from 'zod'
import { type Described, type DescribedOperation, partAt } from './document.ts'

const Schema = z.looseObject({
  type: z.string().optional(),
  format: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  pattern: z.string().optional(),
  nullable: z.boolean().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  multipleOf: z.number().optional(),
  required: z.array(z.string()).default([]),
  properties: z.record(z.string(), z.unknown()).default({}),
  items: z.unknown().optional(),
  oneOf: z.array(z.unknown()).optional(),
  discriminator: z
    .object({ propertyName: z.string(), mapping: z.record(z.string(), z.string()).default({}) })
    .optional(),
})
type Schema = z.output<typeof Schema>

/** The deepest nesting that is compared. A schema that refers to itself would be nested without end. */
const DEPTH_MAX = 12

/** The direction of the values of a schema: clients send or receive them. A change may break only one direction. */
type Direction = 'sent' | 'received'

/** The two versions of a description. */
interface Versions {
  readonly before: Described
  readonly after: Described
}

/**
 * Returns the changes that can break a client written for the `before` version, each as a sentence that starts with
 * the operationId. An addition is not breaking: an operation, an optional parameter, a member of a response, or a value
 * of an enum. Existing clients do not send the addition, and ignore it when they receive it.
 */
export function breakingChanges(versions: Versions): string[] {
  const changes: string[] = []
  for (const [id, old] of versions.before.operations) {
    const now = versions.after.operations.get(id)
    if (!now) changes.push(`${id} is gone`)
    else changes.push(...operationChanges(versions, old, now).map(change => `${id} ${change}`))
  }
  return changes
}

function operationChanges(versions: Versions, old: DescribedOperation, now: DescribedOperation): string[] {
  const changes: string[] = []
  if (old.method !== now.method || old.path !== now.path) changes.push(`is ${now.method} ${now.path} now`)
  const scope = now['x-scope']
  if (scope !== undefined && scope !== old['x-scope']) changes.push(`needs the scope ${scope} now`)
  for (const parameter of old.parameters) {
    const { name } = parameter
    const counterpart = now.parameters.find(one => one.name === name && one.in === parameter.in)
    if (!counterpart) changes.push(`takes no parameter ${name} any more`)
    else {
      if (counterpart.required && !parameter.required) changes.push(`requires the parameter ${name} now`)
      changes.push(
        ...schemaChanges(versions, `parameter ${name}`, parameter.schema, counterpart.schema, 'sent'),
      )
    }
  }
  for (const { name, required, in: place } of now.parameters) {
    const isNew = !old.parameters.some(one => one.name === name && one.in === place)
    if (isNew && required) changes.push(`requires the parameter ${name} now`)
  }
  const [oldBody, body] = [old, now].map(
    ({ requestBody }) => requestBody?.content['application/json']?.schema,
  )
  if (oldBody !== undefined && body === undefined) changes.push('takes no body any more')
  if (!old.requestBody?.required && now.requestBody?.required) changes.push('requires a body now')
  changes.push(...schemaChanges(versions, 'body', oldBody, body, 'sent'))
  for (const [status, { content }] of Object.entries(old.responses)) {
    if (!status.startsWith('2')) continue
    const counterpart = now.responses[status]
    if (!counterpart) changes.push(`does not respond with ${status} any more`)
    else if (content?.['application/json'] && !counterpart.content?.['application/json'])
      changes.push(`does not respond with JSON for ${status} any more`)
    const schemas = [content, counterpart?.content].map(one => one?.['application/json']?.schema)
    changes.push(...schemaChanges(versions, `response ${status}`, schemas[0], schemas[1], 'received'))
  }
  return changes
}

function schemaChanges(
  versions: Versions,
  place: string,
  oldNode: unknown,
  node: unknown,
  direction: Direction,
  depth = 0,
): string[] {
  if (oldNode === undefined || node === undefined) return []
  if (depth > DEPTH_MAX) throw new Error(`${place} is nested deeper than ${DEPTH_MAX} levels`)
  const [old, now] = [readSchema(versions.before, oldNode), readSchema(versions.after, node)]
  if (old.oneOf === undefined && now.oneOf !== undefined) return [`${place}: it is a union now`]
  const changes = ownChanges(old, now, direction).map(change => `${place}: ${change}`)
  for (const [name, member] of Object.entries(old.properties)) {
    const counterpart = now.properties[name]
    if (counterpart === undefined) changes.push(`${place}: ${name} is gone`)
    else
      changes.push(...schemaChanges(versions, `${place}/${name}`, member, counterpart, direction, depth + 1))
  }
  const isSent = direction === 'sent'
  const [stricter, looser] = isSent ? [now, old] : [old, now]
  for (const name of stricter.required) {
    if (!looser.required.includes(name))
      changes.push(`${place}: ${name} is ${isSent ? 'required' : 'optional'} now`)
  }
  changes.push(...unionChanges(versions, place, old, now, direction, depth))
  return [...changes, ...schemaChanges(versions, `${place}/*`, old.items, now.items, direction, depth + 1)]
}

/** Returns the breaking changes of a union. Its options are compared by the value of the discriminator, or in order. */
function unionChanges(
  versions: Versions,
  place: string,
  old: Schema,
  now: Schema,
  direction: Direction,
  depth: number,
): string[] {
  if (old.oneOf === undefined) return []
  if (now.oneOf === undefined) return [`${place}: it is not a union any more`]
  const property = old.discriminator?.propertyName
  if (property !== now.discriminator?.propertyName)
    return [`${place}: the discriminator is ${now.discriminator?.propertyName ?? 'absent'} now`]
  const [oldOptions, options] = [optionsOf(old), optionsOf(now)]
  return [...oldOptions].flatMap(([value, option]) => {
    const counterpart = options.get(value)
    if (counterpart !== undefined)
      return schemaChanges(versions, `${place}/${value}`, option, counterpart, direction, depth + 1)
    // A client that can receive an option does not break if it no longer does.
    return direction === 'sent' ? [`${place}: the option ${value} is not allowed any more`] : []
  })
}

/** Returns the options of a union by the value of its discriminator, or by their position if it has none. */
function optionsOf({ oneOf = [], discriminator }: Schema): Map<string, unknown> {
  return discriminator
    ? new Map(Object.entries(discriminator.mapping).map(([value, $ref]) => [value, { $ref }]))
    : new Map(oneOf.map((option, index) => [String(index), option]))
}

/**
 * Returns the breaking changes of a schema, without those of its members. A narrower schema breaks senders. A value
 * that can be null now breaks receivers. A new type or format breaks senders and receivers.
 */
function ownChanges(old: Schema, now: Schema, direction: Direction): string[] {
  const changes: string[] = []
  if (old.type !== now.type) changes.push(`the type is ${now.type} now`)
  if (old.format !== now.format) changes.push(`the format is ${now.format} now`)
  if (direction === 'received') {
    return now.nullable && !old.nullable ? [...changes, 'it can be null now'] : changes
  }
  if (old.nullable && !now.nullable) changes.push('it cannot be null any more')
  if (now.pattern !== undefined && old.pattern !== now.pattern) changes.push('the pattern is different now')
  if (old.enum === undefined && now.enum !== undefined) changes.push('only some values are allowed now')
  if (now.multipleOf !== undefined && old.multipleOf !== now.multipleOf)
    changes.push(`it must be a multiple of ${now.multipleOf} now`)
  const removed = (old.enum ?? []).filter(value => now.enum && !now.enum.includes(value))
  for (const value of removed) changes.push(`${String(value)} is not allowed any more`)
  for (const bound of ['minimum', 'minLength', 'minItems'] as const) {
    if ((now[bound] ?? Number.NEGATIVE_INFINITY) > (old[bound] ?? Number.NEGATIVE_INFINITY)) {
      changes.push(`${bound} is ${now[bound]} now`)
    }
  }
  for (const bound of ['maximum', 'maxLength', 'maxItems'] as const) {
    if ((now[bound] ?? Number.POSITIVE_INFINITY) < (old[bound] ?? Number.POSITIVE_INFINITY)) {
      changes.push(`${bound} is ${now[bound]} now`)
    }
  }
  return changes
}

function readSchema({ document }: Described, node: unknown): Schema {
  const reference: unknown = typeof node === 'object' && node !== null ? Reflect.get(node, '$ref') : undefined
  return Schema.parse(typeof reference === 'string' ? partAt(document, reference) : node)
}
