import type { Mutator } from './request-builder.ts'

/** 429 is included because a client that keeps guessing keys must wait, even if the rate limit is off. */
const invalidKeyStatuses = [401, 429]

const noKey: Mutator = (_, { operation, headers }) => {
  if (!operation.needsKey || !headers.delete('Authorization')) return undefined
  return { stage: 'key', statuses: [401], why: 'no key was sent' }
}

const invalidKey: Mutator = ({ random, keys }, { operation, headers }) => {
  const key = keys.withoutScope(operation) ?? ''
  const header = random.pick([
    'Bearer',
    'Bearer x',
    'Basic cGV0OnN0b3Jl',
    'pst_',
    `Bearer pst_${'0'.repeat(49)}`,
    `Bearer ${key.slice(0, -1)}`,
    `Bearer ${key}0`,
    `Bearer ${key} ${key}`,
    key,
  ])
  // A few invalid keys are enough, and failed attempts are rate limited.
  if (!random.chance(0.3)) return undefined
  headers.set('Authorization', header)
  return { stage: 'key', statuses: invalidKeyStatuses, why: 'the credentials are malformed or unknown' }
}

const insufficientKey: Mutator = ({ keys }, { operation, headers }) => {
  const key = keys.withoutScope(operation)
  if (key === undefined || headers.get('Authorization') === undefined) return undefined
  headers.set('Authorization', `Bearer ${key}`)
  return { stage: 'key', statuses: [403], why: `the key lacks the scope ${operation.scope}` }
}

export const keyMutators: readonly Mutator[] = [noKey, invalidKey, insufficientKey]
