import type { Parameter } from './document.ts'
import type { Draft, Lane } from './draft.ts'
import type { Breaker } from './flaws.ts'
import { canBreak, invalidParameter } from './invalid-values.ts'
import { encoded } from './valid-draft.ts'
import { validParameter } from './valid-values.ts'

const URL_CHARS_MAX = 8192

/** Percent-encodings that are not UTF-8, and incomplete ones. */
const brokenEncodings = ['%', '%2', '%zz', '%ff', '%C0%AF', '%ED%A0%80', 'a%F0%9F']

const brokenTags = ['', 'abc', '"abc', 'W/', "'abc'", 'W/abc', '"a" "b"', '"a",b', 'w/"a"', ',']

/** Longer than the 255 characters that a key may have, and outside ASCII. */
const brokenKeys = ['', '""', '"a', 'é', 'a"b', 'x'.repeat(256), `"${'x'.repeat(256)}"`, 'x'.repeat(513)]

const refusals = { stage: 'parameters', statuses: [400] } as const

const badPath: Breaker = (lane, { operation, path }) => {
  const parameter = pickParameter(
    lane,
    operation.parameters,
    ({ place, schema }) => place === 'path' && canBreak(schema),
  )
  if (!parameter) return undefined
  const isRaw = lane.random.chance(0.15)
  const text = isRaw
    ? lane.random.pick(brokenEncodings)
    : encodeURIComponent(invalidParameter(lane.random, parameter.schema))
  // Without a text between the slashes the path is a different one.
  if (text === '') return undefined
  path.set(parameter.name, text)
  return { ...refusals, why: `the path parameter ${parameter.name} is ${text.slice(0, 60)}` }
}

const badQuery: Breaker = (lane, { operation, query }) => {
  const parameter = pickParameter(lane, operation.parameters, ({ place }) => place === 'query')
  if (!parameter || parameter.name === 'cursor') return undefined
  const schema = parameter.schema.items ?? parameter.schema
  const isRaw = lane.random.chance(0.1)
  const text = isRaw
    ? lane.random.pick(brokenEncodings)
    : encoded(lane, invalidParameter(lane.random, schema))
  drop(query, parameter.name)
  query.push([parameter.name, text])
  return { ...refusals, why: `the query parameter ${parameter.name} is ${text.slice(0, 60)}` }
}

const unknownQuery: Breaker = ({ random }, { query }) => {
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

const repeatedQuery: Breaker = (lane, { operation, query }) => {
  const parameter = pickParameter(
    lane,
    operation.parameters,
    ({ place, schema }) => place === 'query' && !schema.items,
  )
  if (!parameter || parameter.name === 'cursor') return undefined
  drop(query, parameter.name)
  for (let time = 0; time < 2; time++) {
    query.push([parameter.name, encoded(lane, validParameter(lane.random, parameter.schema))])
  }
  return { ...refusals, why: `${parameter.name} is given twice` }
}

const tooManyInQuery: Breaker = (lane, { operation, query }) => {
  const parameter = pickParameter(
    lane,
    operation.parameters,
    ({ place, schema }) => place === 'query' && schema.itemsMax < 1000,
  )
  const items = parameter?.schema.items
  if (!parameter || !items) return undefined
  drop(query, parameter.name)
  const value = encoded(lane, validParameter(lane.random, items))
  for (let time = 0; time <= parameter.schema.itemsMax; time++)
    query.push([parameter.name, value.slice(0, 12)])
  return { ...refusals, why: `${parameter.name} is given too many times` }
}

const inventedCursor: Breaker = ({ random, memory }, { operation, query, thing, path }) => {
  if (!operation.parameters.some(({ name }) => name === 'cursor')) return undefined
  const foreign = [...memory.nextPages].find(([id]) => id !== operation.id)?.[1]
  const cursor = /[?&]cursor=([^&]+)/.exec(foreign ?? '')?.[1] ?? 'W10'
  drop(query, 'cursor')
  query.push(['cursor', random.pick([cursor, cursor.slice(1), 'W10', 'bm8', 'x'.repeat(2048), '!'])])
  // The owner of the list is checked before the content of the cursor.
  const isThere = path.size === 0 || (thing !== undefined && thing.goneFrom === undefined)
  return {
    stage: 'state',
    statuses: isThere ? [400] : [400, 404],
    why: 'the cursor does not belong to this list',
  }
}

const badTag: Breaker = ({ random }, { operation, headers }) => {
  const parameter = operation.parameters.find(({ name }) => name === 'If-Match' || name === 'If-None-Match')
  if (!parameter) return undefined
  headers.set(parameter.name, random.pick(brokenTags))
  return { ...refusals, why: `${parameter.name} contains no entity tags` }
}

const badIdempotencyKey: Breaker = ({ random }, { operation, headers }) => {
  const takesOne = operation.parameters.some(({ name }) => name === 'Idempotency-Key')
  if (takesOne) headers.set('Idempotency-Key', random.pick(brokenKeys))
  else if (operation.answers.get(400)?.codes.has('idempotency_key_refused'))
    headers.set('Idempotency-Key', 'any')
  else return undefined
  return { stage: 'idempotency', statuses: [400], why: 'the Idempotency-Key is invalid or not accepted' }
}

const noPreview: Breaker = ({ random }, { operation, headers }) => {
  const parameter = operation.parameters.find(({ place, required }) => place === 'header' && required)
  if (!parameter) return undefined
  headers.delete(parameter.name)
  if (random.chance(0.5)) headers.set(parameter.name, random.pick(['', 'other', `${parameter.example}s`]))
  return { stage: 'preview', statuses: [400], why: `${parameter.name} is missing or wrong` }
}

const unacceptable: Breaker = ({ random }, { headers }) => {
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

const longUrl: Breaker = ({ random }, { query }) => {
  if (!random.chance(0.02)) return undefined
  query.push(['name', 'x'.repeat(URL_CHARS_MAX)])
  return { stage: 'target', statuses: [414], why: 'the URL is too long' }
}

export const parameterFlaws: readonly Breaker[] = [
  badPath,
  badPath,
  badQuery,
  badQuery,
  unknownQuery,
  repeatedQuery,
  tooManyInQuery,
  inventedCursor,
  badTag,
  badIdempotencyKey,
  noPreview,
  unacceptable,
  longUrl,
]

function pickParameter(
  { random }: Lane,
  parameters: readonly Parameter[],
  fits: (parameter: Parameter) => boolean,
): Parameter | undefined {
  const fitting = parameters.filter(fits)
  return fitting.length > 0 ? random.pick(fitting) : undefined
}

function drop(query: Draft['query'], name: string): void {
  const others = query.filter(([given]) => decodeURIComponent(given) !== name)
  query.splice(0, query.length, ...others)
}
