/**
 * The lengths of a Global Trade Item Number of GS1: EAN-8, UPC-A, EAN-13 and ITF-14. It is one number, whichever length
 * zeros before it make: a scanner may read the UPC-A 012345678905 as the EAN-13 0012345678905.
 */
const LENGTHS = [8, 12, 13, 14]
/** The length of most labels. */
const KEY_LENGTH = 13

/** Returns whether the last digit is the check digit of the others. Zeros before a number do not change it. */
function hasCheckDigit(digits: string): boolean {
  const weighted = [...digits].toReversed().map((digit, index) => Number(digit) * (index % 2 === 0 ? 1 : 3))
  return weighted.reduce((sum, value) => sum + value, 0) % 10 === 0
}

/** Returns the number of a barcode without zeros before it; undefined if it is another text. */
function numberOf(barcode: string): string | undefined {
  const isNumber = LENGTHS.includes(barcode.length) && /^\d+$/.test(barcode) && hasCheckDigit(barcode)
  return isNumber ? barcode.replace(/^0+/, '') : undefined
}

/** Returns the text that equal barcodes share. */
export function barcodeKey(barcode: string): string {
  return numberOf(barcode)?.padStart(KEY_LENGTH, '0') ?? barcode
}

/** Returns every text that equals a barcode: at most four. */
export function barcodeForms(barcode: string): string[] {
  const number = numberOf(barcode)
  if (number === undefined) return [barcode]
  return LENGTHS.filter(length => length >= number.length).map(length => number.padStart(length, '0'))
}

/** Returns a barcode with the zeros that a spreadsheet has removed; undefined if it seems to lack none. */
export function withLostZeros(barcode: string): string | undefined {
  const isShort = /^\d{11}$/.test(barcode) && hasCheckDigit(barcode)
  return isShort ? barcode.padStart(KEY_LENGTH, '0') : undefined
}

/** Returns whether something has a barcode, whatever zeros are before it. */
export function hasBarcode({ barcode }: { readonly barcode?: string | undefined }, text: string): boolean {
  return barcode !== undefined && barcodeKey(barcode) === barcodeKey(text)
}
