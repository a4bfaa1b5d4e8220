import { expect, test } from 'bun:test'
import { caselessForm, hasOneForm, matchName, nameForm } from './same-name.ts'

test('a name with one form is canonically equal to no other character', () => {
  for (let code = 0x80; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code)
    if (hasOneForm(nameForm(character))) expect(character).toBe('a character of ASCII')
  }
  expect(['Rex 2-x', 'Kira', 'Zo\u00eb', 'a;b', 'a`'].map(hasOneForm)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})

test.each([
  ['the exact name before other forms', 'Caf\u00e9', ['CAF\u00c9', 'Cafe\u0301', 'Caf\u00e9'], 'Caf\u00e9'],
  ['another Unicode form before another case', 'Caf\u00e9', ['CAF\u00c9', 'Cafe\u0301'], 'Cafe\u0301'],
  ['the only name in another case', 'DOGS', ['Dogs'], 'Dogs'],
  ['no name if several differ in case', 'DOGS', ['Dogs', 'dogs'], 'several'],
  ['the first name if several are equal', 'Dogs', ['Dogs', 'Dogs'], 'Dogs'],
  ['no name if none is equal', 'Dog', ['Dogs'], 'none'],
  ['a final sigma as every other sigma', '\u039f\u03a3', ['\u03bf\u03c3'], '\u03bf\u03c3'],
])('a lookup finds %s', (_, name, known, found) => {
  const items = known.map(other => ({ name: other }))
  const match = matchName(name, items, { withCase: false })
  expect(typeof match === 'string' ? match : match.item.name).toBe(found)
  const exact = matchName(name, items, { withCase: true })
  if (typeof exact === 'object') expect(nameForm(exact.item.name)).toBe(nameForm(name))
  expect(caselessForm(name)).toBe(caselessForm(name.normalize('NFD')))
})
