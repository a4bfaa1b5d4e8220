import type { Mutator } from './request-builder.ts'

/** 429: a client that keeps guessing keys must wait, whatever the rate limit of the others is. */
const unknown = [401, 429]

const noKey: Mutator = (_, { operation, headers }) => {
  if (operation.scope === undefined || !headers.delete('Authorization')) return undefined
  return { stage: 'key', statuses: [401], why: 'no key was sent' }
}

const strangeKey: Mutator = ({ random, keys }, { operation, headers }) => {
  const good = keys.lacking(operation) ?? ''
  const strange = random.pick([
    'Bearer',
    'Bearer x',
    'Basic cGV0OnN0b3Jl',
    'pst_',
    `Bearer pst_${'0'.repeat(49)}`,
    `Bearer ${good.slice(0, -1)}`,
    `Bearer ${good}0`,
    `Bearer ${good} ${good}`,
    good,
  ])
  // The service counts guesses for a minute, and a few of them show as much as many.
  if (!random.chance(0.3)) return undefined
  headers.set('Authorization', strange)
  return { stage: 'key', statuses: unknown, why: 'no such key exists' }
}

const weakKey: Mutator = ({ keys }, { operation, headers }) => {
  const key = keys.lacking(operation)
  if (key === undefined || headers.get('Authorization') === undefined) return undefined
  headers.set('Authorization', `Bearer ${key}`)
  return { stage: 'key', statuses: [403], why: `the key lacks the scope ${operation.scope}` }
}

export const keyMutators: readonly Mutator[] = [noKey, strangeKey, weakKey]
