import { expect, test } from 'bun:test'
import { similarName } from './similar-name.ts'

const order = ['petId', 'quantity', 'shipDate', 'complete', 'reference']

test.each([
  ['petid', order, 'petId'],
  ['pet_id', order, 'petId'],
  ['quantitty', order, 'quantity'],
  ['ship-date', order, 'shipDate'],
  ['pet', order, 'petId'],
  ['orderQuantity', order, 'quantity'],
  ['change', ['quantityChange', 'note'], 'quantityChange'],
  // Fewer edits win over a name that is contained.
  ['names', ['name', 'nameKeys', 'nams'], 'name'],
  ['colour', order, undefined],
  ['x', ['id'], undefined],
  ['', order, undefined],
  ['toString', order, undefined],
  ['quantity'.repeat(100_000), ['petId'], undefined],
])('the known name that is similar to "%.20s" is found, if there is one', (given, known, expected) => {
  expect(similarName(given, known)).toBe(expected)
})
