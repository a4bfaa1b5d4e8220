/**
 * Returns names for enum values that are not valid identifiers: `PETS_WRITE` for `pets:write`, `ID_DESCENDING` for
 * `-id`. Generators read them from the extension x-enum-varnames.
 */
export function constantNames(values: readonly string[]): { 'x-enum-varnames': string[] } {
  return { 'x-enum-varnames': values.map(constantName) }
}

function constantName(value: string): string {
  const words = value.startsWith('-') ? `${value.slice(1)}-descending` : value.replace('petstore.', '')
  return words
    .replaceAll(/[A-Z]/g, letter => `_${letter}`)
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()
}
