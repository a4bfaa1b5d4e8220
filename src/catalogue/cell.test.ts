import { expect, test } from 'bun:test'
import { barcodeIn, cellValue } from './cell.ts'

test('a barcode is read as a scanner types it, and another text stays as it is', () => {
  const read = ['4006381333931.0', '4 006381 333931', '4006381333931', '0041', 'AB 12.0', 'AB-12', '1.05']
  expect(read.map(barcodeIn)).toEqual([
    ...['4006381333931', '4006381333931', '4006381333931', '0041'],
    ...['AB 12.0', 'AB-12', '1.05'],
  ])
})

test('a cell is read without what keeps it a text in a spreadsheet', () => {
  const cells = [' ="0041" ', '=" Rex ""II"""', "'=1+1", `'="0041"`, '="0041', '=""', 'a="1"']
  expect(cells.map(cellValue)).toEqual(['0041', 'Rex "II"', '=1+1', '="0041"', '="0041', '', 'a="1"'])
})
