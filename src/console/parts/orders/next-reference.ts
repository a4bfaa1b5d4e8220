/** Returns the reference after another one: `R-0042` becomes `R-0043`. It is empty without a number at the end. */
export function nextReference(last: string): string {
  const [, head = '', digits = ''] = /^(.*?)(\d{1,18})$/s.exec(last) ?? []
  return digits === '' ? '' : head + String(BigInt(digits) + 1n).padStart(digits.length, '0')
}
