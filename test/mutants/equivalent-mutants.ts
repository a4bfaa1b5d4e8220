/** A mutant of StrykerJS with which the program does the same. */
interface EquivalentMutant {
  readonly file: string
  readonly before: string
  readonly after: string
  readonly reason: string
}

export const equivalentMutants: readonly EquivalentMutant[] = []
