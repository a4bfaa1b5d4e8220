import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { hasInside, nameWordsOf, partsInBothSpellings, spelledWordsOf, wordsOf } from './search-words.ts'

const RUNS = 1000
const SEED = 20_261_121

const wellFormed = fc.string({ unit: 'binary', maxLength: 20 })

function assertProperty<Ts>(property: fc.IProperty<Ts>): void {
  fc.assert(property, { numRuns: RUNS, seed: SEED })
}

test.each([
  ['Käthe', 'kathe'],
  ['STRAẞE straße', 'strasse'],
  ['Max (Golden-Retriever) 2', 'max golden retriever 2'],
  ['Œuvre Ærø Łódź Þór Đặng ŋ', 'oeuvre aero lodz thor dang n'],
  ['İSTANBUL ISPARTA ısı', 'istanbul isparta isi'],
  ['ΟΔΟΣ οδός', 'οδοσ'],
  ['Ёлка Й', 'елка и'],
  ['ﬁsh Ｃａｔ ²', 'fish cat 2'],
  ['שָׁלוֹם مُحَمَّد أحمد كـتاب', 'שלום محمد احمد كتاب'],
  ['می\u200cخواهم so\u00adft ❤\ufe0f 1\ufe0f\u20e3', 'میخواهم soft ❤ 1'],
  // Marks that make another letter or another vowel stay, in either Unicode form and either width.
  ['が か\u3099 か ガ ｶﾞ ヴ ー', 'が か ゔ ー'],
  ['हिंदी हद', 'हिंदी हद'],
  ['น้ำ', 'น้ํา'],
  ['한글 \u1112\u1161\u11ab', '한글 한'],
  ['猫のタマ、犬', '猫のたま 犬'],
  ['?! — 😀 5°', '😀 5 °'],
  ['a_b 50% c\\d', 'a _ b 50 % c \\ d'],
])('the words of %s are found without case and accents', (name, words) => {
  expect(wordsOf(name).join(' ')).toBe(words)
})

test('the words of the start of a text are the words of the text, and a start of the last one', () => {
  const letters = fc.string({ unit: fc.constantFrom(...'aÄßŒıİΣς猫が한 -1') })
  assertProperty(
    fc.property(letters, letters, (start, rest) => {
      const words = wordsOf(start + rest)
      return wordsOf(start).every(word => words.some(one => one.startsWith(word)))
    }),
  )
  assertProperty(
    fc.property(wellFormed, name => String(wordsOf(wordsOf(name).join(' '))) === String(wordsOf(name))),
  )
})

test('a word has at most 60 code points', () => {
  expect(wordsOf('Ab'.repeat(100))).toEqual(['ab'.repeat(30)])
  expect(wordsOf('𝒜'.repeat(100))).toEqual(['a'.repeat(60)])
})

test.each([
  ["O'Brien O’Brien", 'o brien obrien'],
  ["dogs' 12' rock'n'roll", 'dogs 12 rock n roll rocknroll'],
])('the words of the name %s are also those without an apostrophe', (name, words) => {
  expect(nameWordsOf(name).join(' ')).toBe(words)
})

test.each([
  ['Wörther Bär', 'worther bar woerther baer'],
  ['WO\u0308RTH Øre Åse', 'worth ore ase woerth oere aase'],
  ['Michael Feuer Straße', 'michael feuer strasse'],
])('the words of %s have both spellings', (name, words) => {
  expect(spelledWordsOf(name).join(' ')).toBe(words)
})

test.each([
  ['woerther', ['wo', 'rther']],
  ['baer', ['ba', 'r']],
  ['aal ue', ['a', 'l u']],
  ['犬', ['犬']],
])('the parts of %s are in a folded word that contains it in one of its spellings', (text, parts) => {
  expect(partsInBothSpellings(text)).toEqual(parts)
})

test('a name has a text inside if it has its letters, in any spelling', () => {
  const letters = fc.array(fc.constantFrom(...'aäoöuüeåsß'), { minLength: 1, maxLength: 8 })
  assertProperty(
    fc.property(letters, fc.nat(), fc.nat(), (name, one, other) => {
      const [from = 0, to = 0] = [one % name.length, other % name.length].toSorted((a, b) => a - b)
      return spelledWordsOf(name.slice(from, to + 1).join('')).every(text => hasInside(name.join(''), text))
    }),
  )
  expect(['baer', 'bar', 'ae', 'er', 'e', 'bear'].filter(text => hasInside('Bär', text))).toEqual([
    ...['baer', 'bar', 'ae'],
  ])
})
