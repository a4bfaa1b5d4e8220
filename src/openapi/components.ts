import type { Part } from './schemas.ts'

/** A part that can be used in several places, and its name if it becomes a component. */
export interface NamedPart {
  readonly name: string
  readonly part: Part
}

/** The components of one section, and a function that refers to them. */
export interface Components {
  readonly components: Part
  readonly refer: (part: Part) => Part
}

/** Returns a component for every part that occurs more than once with the same text, and the references to them. */
export function shareParts(section: string, uses: readonly NamedPart[]): Components {
  const byText = Map.groupBy(uses, ({ part }) => JSON.stringify(part))
  const names = new Map<string, string>()
  const components: Part = {}
  for (const [text, [first, second]] of byText) {
    if (!first || !second) continue
    const name = freeName(first.name, components)
    names.set(text, name)
    components[name] = first.part
  }
  return {
    components,
    refer: part => {
      const name = names.get(JSON.stringify(part))
      return name === undefined ? part : { $ref: `#/components/${section}/${name}` }
    },
  }
}

function freeName(name: string, taken: Part): string {
  let free = name
  for (let number = 2; Object.hasOwn(taken, free); number++) free = `${name}${number}`
  return free
}
