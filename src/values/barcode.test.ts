import { expect, test } from 'bun:test'
import { barcodeForms, barcodeKey, withLostZeros } from './barcode.ts'

test.each([
  ['012345678905', ['012345678905', '0012345678905', '00012345678905']],
  ['00012345678905', ['012345678905', '0012345678905', '00012345678905']],
  ['96385074', ['96385074', '000096385074', '0000096385074', '00000096385074']],
  ['4006381333931', ['4006381333931', '04006381333931']],
  ['10012345678902', ['10012345678902']],
  // Another check digit, another length and another text are numbers of the shop.
  ['4006381333932', ['4006381333932']],
  ['0000000017', ['0000000017']],
  ['R-0012', ['R-0012']],
])('the barcode %s equals that with other zeros before it, if it is a number of GS1', (barcode, forms) => {
  expect(barcodeForms(barcode)).toEqual(forms)
  expect(new Set(forms.map(barcodeKey)).size).toBe(1)
  expect(forms).toContain(barcodeKey(barcode))
})

test('a number of eleven digits with its check digit has lost its zeros', () => {
  expect(['12345678905', '12345678904', '012345678905', '1234'].map(withLostZeros)).toEqual([
    ...['0012345678905', undefined, undefined, undefined],
  ])
})
