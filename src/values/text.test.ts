import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { nameKey, prefixEnd, sortKey } from './text.ts'
import { text } from './text-schema.ts'

const RUNS = 1000
const SEED = 20_261_121

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 60 })
const wellFormed = fc.string({ unit: 'binary', maxLength: 20 })

/** Returns the order of two texts by code point, which is the byte order of UTF-8 and the order of both databases. */
function compare(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}

function assertProperty<Ts>(property: fc.IProperty<Ts>): void {
  fc.assert(property, { numRuns: RUNS, seed: SEED })
}

test('the search key of a prefix of an ASCII name is a prefix of the search key of the name', () => {
  assertProperty(fc.property(ascii, ascii, (start, rest) => nameKey(start + rest).startsWith(nameKey(start))))
})

test('the search key of an ASCII name is the name in lower case', () => {
  assertProperty(fc.property(ascii, name => nameKey(name) === name.toLowerCase()))
})

test('a name and its compatible forms have the same search key', () => {
  expect(nameKey('Cafe\u0301')).toBe(nameKey('CAF\u00c9'))
  expect(nameKey('ﬁsh')).toBe('fish')
  expect(nameKey('Ｃａｔ')).toBe('cat')
  assertProperty(fc.property(wellFormed, name => nameKey(name) === nameKey(name.normalize('NFC'))))
})

test('a search key uses at most 200 code points of the normalized name, and is well-formed', () => {
  expect([...nameKey('ﷺ'.repeat(200))].length).toBe(200)
  assertProperty(fc.property(wellFormed, name => nameKey(name).isWellFormed()))
})

test('every text with a prefix is at or after the prefix, and before the upper bound of the prefix', () => {
  assertProperty(
    fc.property(wellFormed, wellFormed, (prefix, rest) => {
      const end = prefixEnd(prefix)
      return compare(prefix, prefix + rest) <= 0 && (end === undefined || compare(prefix + rest, end) < 0)
    }),
  )
})

test('every text from a prefix up to its upper bound has that prefix', () => {
  const near = fc.string({ unit: fc.constantFrom('a', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10ffff}') })
  assertProperty(
    fc.property(near, near, (prefix, other) => {
      const end = prefixEnd(prefix)
      const isWithin = compare(prefix, other) <= 0 && (end === undefined || compare(other, end) < 0)
      return isWithin === other.startsWith(prefix)
    }),
  )
})

test('the upper bound of a prefix skips the surrogates, and is absent if no text follows those with the prefix', () => {
  expect(prefixEnd('cat')).toBe('cau')
  expect(prefixEnd('a\ud7ff')).toBe('a\ue000')
  expect(prefixEnd('a\uffff')).toBe('a\u{10000}')
  expect(prefixEnd('a\u{10ffff}')).toBe('b')
  expect(prefixEnd('\u{10ffff}\u{10ffff}')).toBeUndefined()
  expect(prefixEnd('')).toBeUndefined()
})

test('the length of a text is counted in code points', () => {
  const schema = text(1, 3)
  const accepted = ['', 'a', 'abc', 'abcd', '😀😀😀', '😀😀😀😀', 'e\u0301x'].filter(
    value => schema.safeParse(value).success,
  )
  expect(accepted).toEqual(['a', 'abc', '😀😀😀', 'e\u0301x'])
})

test('a text without U+0000 is accepted unchanged, and a text with U+0000 is rejected', () => {
  const schema = text(0, 60)
  assertProperty(
    fc.property(wellFormed, value => {
      const result = schema.safeParse(value)
      return value.includes('\0') ? !result.success : result.data === value
    }),
  )
  expect(schema.safeParse('a\0b').success).toBe(false)
})

test('a sort key has at most 200 code points', () => {
  expect([...sortKey('ö'.repeat(200))].length).toBe(200)
})

test('names that differ only in marks follow each other, the plain one first', () => {
  const names = [
    'Zoe',
    'Ähre',
    'zoe b',
    'Ahre',
    'Zoë',
    'Ahre b',
    'éclair',
    'Eclair',
    'strasse',
    'Straße',
    'stra',
  ]
  expect(names.toSorted((one, other) => compare(sortKey(one), sortKey(other)))).toEqual([
    ...['Ahre', 'Ähre', 'Ahre b', 'Eclair', 'éclair'],
    ...['stra', 'strasse', 'Straße', 'Zoe', 'Zoë', 'zoe b'],
  ])
})
