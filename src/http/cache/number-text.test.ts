import { expect, test } from 'bun:test'
import { NumberText } from './number-text.ts'

test('a number text has the digits of the number, whatever number came before', () => {
  const text = new NumberText('r=')
  const numbers = [
    0,
    7,
    999,
    1000,
    1001,
    1999,
    2000,
    999,
    1_000_000,
    1_002_003,
    0,
    Number.MAX_SAFE_INTEGER,
    12_345,
  ]
  expect(numbers.map(number => text.of(number))).toEqual(numbers.map(number => `r=${number}`))
  for (let count = 0; count < 3500; count++) {
    if (text.of(count) !== `r=${count}`) throw new Error(`${count} became ${text.of(count)}`)
  }
})
