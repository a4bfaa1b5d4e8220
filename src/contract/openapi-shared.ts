import type { Part } from './openapi-schemas.ts'

/** A part that may be used in several places, and the key it has if it is a component. */
export interface Named {
  readonly name: string
  readonly part: Part
}

/** The components of one section, and references to them. */
export interface Components {
  readonly components: Part
  /** A reference to the component that a part is, or the part itself. */
  readonly refer: (part: Part) => Part
}

/** Makes a component of every part that is used more than once in the same words. */
export function shareParts(section: string, uses: readonly Named[]): Components {
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

/** `PetNotFound` of `pet_not_found`, `IfMatch` of `If-Match`, `PetId` of `petId`. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter(word => word !== '')
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
