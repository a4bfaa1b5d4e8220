import type { Part } from './openapi-schemas.ts'

/** A part that may stand in several places, and what it would be called if it stood once. */
export interface Named {
  readonly name: string
  /** What is added to a name that another part has already. */
  readonly variant: string
  readonly part: Part
}

/** Parts that stand once, under `components`, and are referred to. */
export interface Shelf {
  readonly components: Part
  /** The part where it is used: a reference if it is on the shelf. */
  readonly place: (part: Part) => Part
}

/** Puts on a shelf whatever is used more than once in the same words. */
export function shelve(section: string, uses: readonly Named[]): Shelf {
  const byText = Map.groupBy(uses, ({ part }) => JSON.stringify(part))
  const names = new Map<string, string>()
  const components: Part = {}
  for (const [text, [first, second]] of byText) {
    if (!first || !second) continue
    const name = freeName(first, components)
    names.set(text, name)
    components[name] = first.part
  }
  return {
    components,
    place: part => {
      const name = names.get(JSON.stringify(part))
      return name === undefined ? part : { $ref: `#/components/${section}/${name}` }
    },
  }
}

function freeName({ name, variant }: Named, taken: Part): string {
  if (!Object.hasOwn(taken, name)) return name
  let free = `${name}.${variant}`
  for (let number = 2; Object.hasOwn(taken, free); number++) free = `${name}.${variant}-${number}`
  return free
}
