/** The maximum length of a reference in code points. */
const CODE_POINTS_MAX = 200

/**
 * Returns the reference after another one: `R-0042` becomes `R-0043`. It is empty without a number at the end, and if
 * it would be too long.
 */
export function nextReference(last: string): string {
  const [, head = '', digits = ''] = /^(.*?)(\d{1,18})$/s.exec(last) ?? []
  const next = digits === '' ? '' : head + String(BigInt(digits) + 1n).padStart(digits.length, '0')
  return [...next].length > CODE_POINTS_MAX ? '' : next
}
