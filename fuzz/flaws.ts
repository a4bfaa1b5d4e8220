import { bodyFlaws } from './body-flaws.ts'
import type { Draft, Flaw, Lane } from './draft.ts'
import { keyFlaws } from './key-flaws.ts'
import { parameterFlaws } from './parameter-flaws.ts'

/** Mutates a request in one way and returns the expected refusal; undefined if it cannot be mutated in this way. */
export type Breaker = (lane: Lane, draft: Draft) => Flaw | undefined

const breakers: readonly Breaker[] = [
  ...parameterFlaws,
  ...parameterFlaws,
  ...bodyFlaws,
  ...bodyFlaws,
  ...keyFlaws,
]

/** Mutates a request in one way, sometimes in two. */
export function breakDraft(lane: Lane, draft: Draft): void {
  const wanted = lane.random.chance(0.85) ? 1 : 2
  // Every operation can be mutated somehow: with an unknown query parameter, if with nothing else.
  while (draft.flaws.length < wanted) {
    const flaw = lane.random.pick(breakers)(lane, draft)
    if (flaw) draft.flaws.push(flaw)
  }
}
