import type { Parameter } from './document.ts'
import { canBreak, invalidParameter } from './invalid-values.ts'
import type { Mutator, RequestBuilder, VirtualClient } from './request-builder.ts'
import { encoded } from './valid-request.ts'
import { validParameter } from './valid-values.ts'

const URL_CHARS_MAX = 8192

/** Percent-encodings that are not UTF-8, or are incomplete. */
const brokenEncodings = ['%', '%2', '%zz', '%ff', '%C0%AF', '%ED%A0%80', 'a%F0%9F']

const brokenTags = ['abc', '"abc', 'W/', "'abc'", 'W/abc', '"a" "b"', '"a",b', 'w/"a"']

/** Values that are not an idempotency key: empty, not ASCII, malformed, or longer than 255 characters. */
const brokenKeys = ['', '""', '"a', 'é', 'a"b', 'x'.repeat(256), `"${'x'.repeat(256)}"`, 'x'.repeat(513)]

const refusals = { stage: 'parameters', statuses: [400] } as const

const badPath: Mutator = (client, { operation, path }) => {
  const parameter = pickParameter(
    client,
    operation.parameters,
    ({ location, schema }) => location === 'path' && canBreak(schema),
  )
  if (!parameter) return undefined
  const isRaw = client.random.chance(0.15)
  const text = isRaw
    ? client.random.pick(brokenEncodings)
    : encodeURIComponent(invalidParameter(client.random, parameter.schema))
  // An empty value would turn the request into one for a different path.
  if (text === '') return undefined
  path.set(parameter.name, text)
  return { ...refusals, why: `the path parameter ${parameter.name} is ${text.slice(0, 60)}` }
}

const badQuery: Mutator = (client, { operation, query }) => {
  const parameter = pickParameter(client, operation.parameters, ({ location }) => location === 'query')
  if (!parameter || parameter.name === 'cursor') return undefined
  const schema = parameter.schema.items ?? parameter.schema
  const isRaw = client.random.chance(0.1)
  const text = isRaw
    ? client.random.pick(brokenEncodings)
    : encoded(client, invalidParameter(client.random, schema))
  removeParameter(query, parameter.name)
  query.push([parameter.name, text])
  return { ...refusals, why: `the query parameter ${parameter.name} is ${text.slice(0, 60)}` }
}

const unknownQuery: Mutator = ({ random }, { query }) => {
  const name = random.pick([
    'colour',
    'Limit',
    'limit%20',
    '__proto__',
    'toString',
    'id%5B%5D',
    '',
    '%F0%9F%90%B6',
  ])
  query.push([name, random.pick(['', '1', 'x'])])
  return { ...refusals, why: `the query parameter "${name}" is not described` }
}

const repeatedQuery: Mutator = (client, { operation, query }) => {
  const parameter = pickParameter(
    client,
    operation.parameters,
    ({ location, schema }) => location === 'query' && !schema.items,
  )
  if (!parameter || parameter.name === 'cursor') return undefined
  removeParameter(query, parameter.name)
  for (let time = 0; time < 2; time++) {
    query.push([parameter.name, encoded(client, validParameter(client.random, parameter.schema))])
  }
  return { ...refusals, why: `${parameter.name} is given twice` }
}

const tooManyValues: Mutator = (client, { operation, query }) => {
  const parameter = pickParameter(
    client,
    operation.parameters,
    ({ location, schema }) => location === 'query' && schema.itemsMax < 1000,
  )
  const items = parameter?.schema.items
  if (!parameter || !items) return undefined
  removeParameter(query, parameter.name)
  const value = encoded(client, validParameter(client.random, items))
  for (let time = 0; time <= parameter.schema.itemsMax; time++)
    query.push([parameter.name, value.slice(0, 12)])
  return { ...refusals, why: `${parameter.name} is given too many times` }
}

const badCursor: Mutator = ({ random, memory }, { operation, query, resource, path }) => {
  if (!operation.parameters.some(({ name }) => name === 'cursor')) return undefined
  const foreign = [...memory.nextPages].find(([id]) => id !== operation.id)?.[1]
  const cursor = /[?&]cursor=([^&]+)/.exec(foreign ?? '')?.[1] ?? 'W10'
  removeParameter(query, 'cursor')
  query.push(['cursor', random.pick([cursor, cursor.slice(1), 'W10', 'bm8', 'x'.repeat(2048), '!'])])
  // The store looks up the resource of the path before it checks the content of the cursor.
  const exists = path.size === 0 || (resource !== undefined && resource.deletedPath === undefined)
  return {
    stage: 'state',
    statuses: exists ? [400] : [400, 404],
    why: 'the cursor does not belong to this list',
  }
}

const badTag: Mutator = ({ random }, { operation, headers }) => {
  const parameter = operation.parameters.find(({ name }) => name === 'If-Match' || name === 'If-None-Match')
  if (!parameter) return undefined
  headers.set(parameter.name, random.pick(brokenTags))
  return { ...refusals, why: `${parameter.name} contains no entity tags` }
}

const badIdempotencyKey: Mutator = ({ random }, { operation, headers }) => {
  const acceptsKey = operation.parameters.some(({ name }) => name === 'Idempotency-Key')
  if (acceptsKey) headers.set('Idempotency-Key', random.pick(brokenKeys))
  else if (operation.responses.get(400)?.codes.has('idempotency_key_refused'))
    headers.set('Idempotency-Key', 'any')
  else return undefined
  return { stage: 'idempotency', statuses: [400], why: 'the Idempotency-Key is invalid or not accepted' }
}

const badPreviewHeader: Mutator = ({ random }, { operation, headers }) => {
  const parameter = operation.parameters.find(({ location, required }) => location === 'header' && required)
  if (!parameter) return undefined
  headers.delete(parameter.name)
  if (random.chance(0.5)) headers.set(parameter.name, random.pick(['', 'other', `${parameter.example}s`]))
  return { stage: 'preview', statuses: [400], why: `${parameter.name} is missing or wrong` }
}

const unacceptableType: Mutator = ({ random }, { headers }) => {
  const types = [
    'text/html',
    'application/json;q=0',
    'application/problem+json;q=0',
    'image/*, text/plain;q=0.5',
    'json',
  ]
  headers.set('Accept', random.pick(types))
  return { stage: 'accept', statuses: [406], why: 'Accept excludes JSON' }
}

const longUrl: Mutator = ({ random }, { query }) => {
  if (!random.chance(0.02)) return undefined
  query.push(['name', 'x'.repeat(URL_CHARS_MAX)])
  return { stage: 'target', statuses: [414], why: 'the URL is too long' }
}

export const parameterMutators: readonly Mutator[] = [
  badPath,
  badPath,
  badQuery,
  badQuery,
  unknownQuery,
  repeatedQuery,
  tooManyValues,
  badCursor,
  badTag,
  badIdempotencyKey,
  badPreviewHeader,
  unacceptableType,
  longUrl,
]

function pickParameter(
  { random }: VirtualClient,
  parameters: readonly Parameter[],
  fits: (parameter: Parameter) => boolean,
): Parameter | undefined {
  const fitting = parameters.filter(fits)
  return fitting.length > 0 ? random.pick(fitting) : undefined
}

function removeParameter(query: RequestBuilder['query'], name: string): void {
  const others = query.filter(([given]) => decodeURIComponent(given) !== name)
  query.splice(0, query.length, ...others)
}
