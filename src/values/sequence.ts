/** The digits of a position as text: as many as 2^63 - 1 has. */
export const SEQUENCE_DIGITS = 19

/** Returns a position with leading zeros, because CloudEvents requires that texts of `sequence` sort like numbers. */
export function sequenceText(position: bigint): string {
  return String(position).padStart(SEQUENCE_DIGITS, '0')
}

/** Returns the position in a text, with or without leading zeros; undefined for any other text. */
export function parseSequence(text: string): bigint | undefined {
  return /^[0-9]{1,19}$/.test(text) ? BigInt(text) : undefined
}
