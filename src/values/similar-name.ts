/** The minimum length of a text that counts as contained in another. A shorter text is often contained by chance. */
const CONTAINED_CHARS_MIN = 3
/** The maximum number of edits. A short name allows fewer: one for each CHARS_PER_EDIT characters. */
const EDITS_MAX = 2
const CHARS_PER_EDIT = 3

/**
 * Returns the known name that a client probably meant. It is the one with the fewest edits, or else one that contains
 * the given name or is contained in it. Case is ignored. Returns undefined if no name is similar.
 */
export function similarName(given: string, known: readonly string[]): string | undefined {
  const lowerCase = given.toLowerCase()
  let nearest: { name: string; edits: number } | undefined
  for (const name of known) {
    const edits = editsBetween(lowerCase, name.toLowerCase())
    if (edits !== undefined && (!nearest || edits < nearest.edits)) nearest = { name, edits }
  }
  return nearest?.name ?? known.find(name => oneContainsTheOther(lowerCase, name.toLowerCase()))
}

function oneContainsTheOther(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short.length >= CONTAINED_CHARS_MIN && long.includes(short)
}

/**
 * Returns the Levenshtein distance of two texts, in which two letters that changed places count once; undefined if it
 * is too large for their length.
 */
export function editsBetween(a: string, b: string): number | undefined {
  const editsMax = Math.min(EDITS_MAX, Math.floor(Math.max(a.length, b.length) / CHARS_PER_EDIT))
  // This is checked first, because the distance is at least the difference of the lengths, and a name can be very long.
  if (Math.abs(a.length - b.length) > editsMax) return undefined
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [index, char] of a.split('').entries()) {
    const next = [index + 1]
    for (const [column, other] of b.split('').entries()) {
      const replaced = (row[column] ?? 0) + (char === other ? 0 : 1)
      const hasSwapped = index > 0 && column > 0 && char === b[column - 1] && other === a[index - 1]
      const swapped = hasSwapped ? (before[column - 1] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    before = row
    row = next
  }
  const edits = row[b.length] ?? 0
  return edits <= editsMax ? edits : undefined
}
