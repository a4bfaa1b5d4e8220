import { bodyFlaws } from './body-flaws.ts'
import type { Draft, Flaw, Lane } from './draft.ts'
import { keyFlaws } from './key-flaws.ts'
import { parameterFlaws } from './parameter-flaws.ts'

/** Breaks a draft in one way and says how it must be refused; undefined where it cannot be broken so. */
export type Breaker = (lane: Lane, draft: Draft) => Flaw | undefined

const breakers: readonly Breaker[] = [
  ...parameterFlaws,
  ...parameterFlaws,
  ...bodyFlaws,
  ...bodyFlaws,
  ...keyFlaws,
]

/** Breaks a draft in one way, at times in two. */
export function breakDraft(lane: Lane, draft: Draft): void {
  const wanted = lane.random.chance(0.85) ? 1 : 2
  // Every operation can be broken somehow: an unknown query parameter if nothing else.
  while (draft.flaws.length < wanted) {
    const flaw = lane.random.pick(breakers)(lane, draft)
    if (flaw) draft.flaws.push(flaw)
  }
}
