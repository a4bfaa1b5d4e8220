/** Returns the name of a component of the description: `PetNotFound` for `pet_not_found`, `IfMatch` for `If-Match`. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter(word => word !== '')
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
