import { parseJson } from './json.ts'

/** Returns the names in a stored JSON array. Throws for an unknown one, which the store itself never writes. */
export function storedNames<Name extends string>(names: readonly Name[], stored: string): Name[] {
  const list = parseJson(stored)
  if (!Array.isArray(list)) throw new Error('a stored list of names is no array')
  return list.map(one => {
    const known = names.find(name => name === one)
    if (known === undefined) throw new Error(`a stored name is unknown: ${one}`)
    return known
  })
}
