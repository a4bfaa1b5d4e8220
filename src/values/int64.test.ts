import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { INT64_MAX, INT64_MIN, parseInt64 } from './int64.ts'
import { int64, int64Between } from './int64-schema.ts'

const RUNS = 1000
const SEED = 20_261_121

const anyInt64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX })

function assertProperty<Ts>(property: fc.IProperty<Ts>): void {
  fc.assert(property, { numRuns: RUNS, seed: SEED })
}

test('the decimal text of every int64 is parsed as that int64', () => {
  assertProperty(fc.property(anyInt64, value => parseInt64(String(value)) === value))
  for (const value of [INT64_MIN, INT64_MAX, -1n, 0n, 2n ** 53n + 1n]) {
    expect(parseInt64(String(value))).toBe(value)
  }
})

test('a text that is not the canonical decimal form of an int64 is not parsed', () => {
  const nearlyNumbers = fc.string({ unit: fc.constantFrom(...'0123456789-+.eE _n') })
  const isRead = (text: string): boolean => parseInt64(text) !== undefined
  const isCanonical = (text: string): boolean => /^-?[0-9]+$/.test(text) && String(BigInt(text)) === text
  assertProperty(
    fc.property(fc.oneof(nearlyNumbers, fc.string()), text => {
      const inRange = isCanonical(text) && BigInt(text) >= INT64_MIN && BigInt(text) <= INT64_MAX
      return isRead(text) === inRange
    }),
  )
  const others = ['', '-', '-0', '00', '01', '+1', '1.0', '1e3', '0x1', '1n', '1_0', ' 1', '1\n', '１', '١']
  expect(others.filter(isRead)).toEqual([])
})

test('an integer beyond 64 bits is not parsed', () => {
  const beyond = fc.oneof(
    fc.bigInt({ min: INT64_MAX + 1n, max: 2n ** 70n }),
    fc.bigInt({ min: -(2n ** 70n), max: INT64_MIN - 1n }),
  )
  assertProperty(fc.property(beyond, value => parseInt64(String(value)) === undefined))
  expect(parseInt64('9223372036854775808')).toBeUndefined()
  expect(parseInt64('-9223372036854775809')).toBeUndefined()
})

test('the int64 schema accepts bigints in range, and nothing else', () => {
  const good = [INT64_MIN, 0n, INT64_MAX]
  const bad = [INT64_MIN - 1n, INT64_MAX + 1n, 1, 1.5, '1', null, true]
  expect(good.filter(value => !int64.safeParse(value).success)).toEqual([])
  expect(bad.filter(value => int64.safeParse(value).success)).toEqual([])
})

test('both bounds of an int64 are inclusive', () => {
  const schema = int64Between(1n, 3n)
  expect([0n, 1n, 2n, 3n, 4n].filter(value => schema.safeParse(value).success)).toEqual([1n, 2n, 3n])
})
