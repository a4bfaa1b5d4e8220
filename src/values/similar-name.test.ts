import { expect, test } from 'bun:test'
import { similarName } from './similar-name.ts'

const order = ['petId', 'quantity', 'shipDate', 'complete', 'reference']

const cases: [given: string, known: string[], expected: string | undefined][] = [
  ['petid', order, 'petId'],
  ['pet_id', order, 'petId'],
  ['quantitty', order, 'quantity'],
  ['ship-date', order, 'shipDate'],
  ['pet', order, 'petId'],
  ['orderQuantity', order, 'quantity'],
  ['change', ['quantityChange', 'note'], 'quantityChange'],
  ['naem', ['name'], 'name'],
  // Two letters that changed places are one edit, and so are two of four letters.
  ['tets', ['quest', 'test'], 'test'],
  // A name that differs by few edits is preferred to a name that contains the given one.
  ['names', ['name', 'nameKeys', 'nams'], 'name'],
  ['colour', order, undefined],
  ['x', ['id'], undefined],
  ['', order, undefined],
  ['toString', order, undefined],
  ['quantity'.repeat(100_000), ['petId'], undefined],
]
for (const [given, known, expected] of cases) {
  const meaning = expected === undefined ? 'no known name' : `the known name ${expected}`
  test(`${JSON.stringify(given.slice(0, 20))} is similar to ${meaning}`, () => {
    expect(similarName(given, known)).toBe(expected)
  })
}
