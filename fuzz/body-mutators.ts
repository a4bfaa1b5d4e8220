import { invalidJson } from './invalid-values.ts'
import { readJsonText, writeJson } from './json.ts'
import type { Random } from './random.ts'
import { MERGE_PATCH, type Mutator, type RequestBuilder } from './request-builder.ts'
import { absentId } from './valid-values.ts'
import { validate } from './validate.ts'

const BODY_BYTES_MAX = 1024 * 1024

const wrongTypes = [
  'text/plain',
  'application/xml',
  'application/json; charset=latin1',
  'application/jsonp',
  '',
  'json',
]

const wrongMediaType: Mutator = ({ random }, { operation, headers }) => {
  const { body, method } = operation
  if (!body) return undefined
  const type = random.pick(method === 'PATCH' ? wrongTypes : [...wrongTypes, MERGE_PATCH])
  const way = random.below(5)
  if (way === 0) headers.delete('Content-Type')
  else if (way === 1) headers.set('Content-Encoding', 'gzip')
  else headers.set('Content-Type', type)
  return { stage: 'type', statuses: [415], why: `the body is not plain ${body.types.join(' or ')}` }
}

const oversizedBody: Mutator = ({ random }, builder) => {
  if (!builder.operation.body || !random.chance(0.01)) return undefined
  builder.body = Buffer.alloc(BODY_BYTES_MAX + 1, ' ')
  return { stage: 'type', statuses: [413], why: 'the body is too large' }
}

const malformedJson: Mutator = ({ random }, builder) => {
  if (!builder.operation.body || builder.body) return undefined
  builder.body = malformedBody(random, `{${pairsOf(builder).join(',')}}`)
  return { stage: 'syntax', statuses: [400], why: 'the body is not acceptable JSON' }
}

const notAnObject: Mutator = ({ random }, builder) => {
  if (builder.operation.body?.schema.type !== 'object' || builder.body) return undefined
  builder.body = Buffer.from(random.pick(['null', '[]', '[{}]', '"{}"', '0', 'true']))
  return { stage: 'schema', statuses: [422], why: 'the body is not an object' }
}

const missingMember: Mutator = ({ random }, builder) => {
  const { required = [] } = builder.operation.body?.schema ?? {}
  if (required.length === 0 || builder.body) return undefined
  const name = random.pick(required)
  removeMember(builder, name)
  return schemaRefusal(builder, `${name} is missing`)
}

const unknownMember: Mutator = ({ random }, builder) => {
  const { schema } = builder.operation.body ?? {}
  if (!schema?.isClosed || builder.body) return undefined
  const name = random.pick([
    'colour',
    'Name',
    ' name',
    '',
    '__proto__',
    'constructor',
    'toString',
    'naïve',
    'id',
  ])
  if (schema.members.has(name)) return undefined
  removeMember(builder, name)
  builder.members.push([name, random.pick(['1', 'null', '"x"', '{}', '[[]]'])])
  return schemaRefusal(builder, `${name} is not described`)
}

const badMember: Mutator = ({ random }, builder) => {
  const members = [...(builder.operation.body?.schema.members ?? [])]
  if (members.length === 0 || builder.body) return undefined
  const [name, schema] = random.pick(members)
  const text = invalidJson(random, schema)
  removeMember(builder, name)
  builder.members.push([name, text])
  return schemaRefusal(builder, `${name} is ${text.slice(0, 60)}`)
}

/** Changes a read-only member. The service refuses the change only after it has found the resource. */
const changedReadOnlyMember: Mutator = ({ random }, builder) => {
  const members = [...(builder.operation.body?.schema.members ?? [])]
  const readOnlyMember = members.find(([, { readOnly }]) => readOnly)
  if (!readOnlyMember || builder.body || builder.mutations.length > 0) return undefined
  const [name] = readOnlyMember
  removeMember(builder, name)
  builder.members.push([name, String(absentId(random))])
  return {
    stage: 'state',
    statuses: [422, 404, 412],
    why: `${name} is read-only, and has another value`,
  }
}

export const bodyMutators: readonly Mutator[] = [
  wrongMediaType,
  oversizedBody,
  malformedJson,
  notAnObject,
  missingMember,
  unknownMember,
  badMember,
  badMember,
  badMember,
  changedReadOnlyMember,
]

function removeMember({ members }: RequestBuilder, name: string): void {
  const others = members.filter(([given]) => given !== name)
  members.splice(0, members.length, ...others)
}

/**
 * Returns the expected refusal of a body that breaks its schema. Throws if the validation of the fuzzer finds no fault
 * in the body, because a correct service would then be reported.
 */
function schemaRefusal(builder: RequestBuilder, why: string): ReturnType<Mutator> {
  const { schema } = builder.operation.body ?? {}
  const text = `{${pairsOf(builder).join(',')}}`
  // The service refuses U+0000, although no schema forbids it.
  if (schema && !text.includes('\\u0000') && validate(schema, readJsonText(text)).length === 0) {
    throw new Error(`the schema of ${builder.operation.id} allows ${text}: ${why}`)
  }
  return { stage: 'schema', statuses: [422], why }
}

function pairsOf({ members }: RequestBuilder): string[] {
  return members.map(([name, text]) => `${writeJson(name)}:${text}`)
}

/** Returns a variation of an object's JSON that the service refuses. Most variations are not JSON by RFC 8259. */
function malformedBody(random: Random, object: string): Uint8Array {
  const membersText = object.slice(1, -1)
  const precedingMembers = membersText === '' ? '' : `${membersText},`
  const text = random.pick([
    '',
    ' ',
    object.slice(0, -1),
    `${object}x`,
    `${object}{}`,
    `{${precedingMembers}}x`,
    `{${precedingMembers}"a":1,}`,
    `{${precedingMembers}"a":01}`,
    `{${precedingMembers}"a":+1}`,
    `{${precedingMembers}"a":NaN}`,
    `{${precedingMembers}"a":.5}`,
    `{${precedingMembers}"a":1,"a":1}`,
    `{${precedingMembers}"a":1,"\\u0061":2}`,
    `{${precedingMembers}'a':1}`,
    `{${precedingMembers}"a":"\t"}`,
    `{${precedingMembers}"a":"\\x41"}`,
    `{${precedingMembers}"a":"\\ud800"}`,
    `{${precedingMembers}"a":"\\udc00\\ud800"}`,
    `{${precedingMembers}"a":TRUE}`,
    `{${precedingMembers}"a" 1}`,
    `{/**/${membersText}}`,
    `\ufeff${object}`,
    '['.repeat(33) + ']'.repeat(33),
    '['.repeat(100_000),
  ])
  return random.chance(0.9)
    ? Buffer.from(text)
    : Buffer.concat([Buffer.from(`{${precedingMembers}"a":"`), Uint8Array.of(0xff), Buffer.from('"}')])
}
