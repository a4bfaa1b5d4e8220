import { bodyMutators } from './body-mutators.ts'
import { keyMutators } from './key-mutators.ts'
import { parameterMutators } from './parameter-mutators.ts'
import type { Mutator, RequestBuilder, VirtualClient } from './request-builder.ts'

const mutators: readonly Mutator[] = [
  ...parameterMutators,
  ...parameterMutators,
  ...bodyMutators,
  ...bodyMutators,
  ...keyMutators,
]

/** Mutates a request in one way, sometimes in two. */
export function mutate(client: VirtualClient, builder: RequestBuilder): void {
  const count = client.random.chance(0.85) ? 1 : 2
  // A mutator may not apply to a request. The loop still ends, because the mutator that adds an unknown query parameter
  // always applies.
  while (builder.mutations.length < count) {
    const mutation = client.random.pick(mutators)(client, builder)
    if (mutation) builder.mutations.push(mutation)
  }
}
