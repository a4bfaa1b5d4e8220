import { expect, test } from 'bun:test'
import type { OnExisting } from '../../shop/imports/limits.ts'
import { findingsText } from './progress.ts'

const nothing = {
  notices: [],
  problems: [],
  problemCount: 0,
  missingCategoryCount: 0,
  existing: [],
  existingCount: 0,
}
const sources = { pets: { name: 'pets.csv', chunks: async function* () {} } }

/** Returns the lines about `count` pets that exist, of which at most two are named. */
function existingText(count: number, onExisting: OnExisting): string[] {
  const existing = [
    { line: 2n, name: 'Rex' },
    { line: 3n, name: 'Max' },
  ].slice(0, count)
  return findingsText({ ...nothing, existing, existingCount: count }, { files: sources, onExisting })
}

test('pets that exist are named, in a sentence for one and in another for several', () => {
  expect(existingText(1, 'skip')).toEqual([
    '1 pet is left out, because its category has a pet of this name, or an earlier line names one:',
    '  pets.csv:2: Rex',
  ])
  expect(existingText(1, 'load')[0]).toBe(
    '1 pet has the name of an existing pet of its category. Without --skip-existing, it is loaded as well:',
  )
  expect(existingText(5, 'update')[0]).toBe('5 pets exist and are updated:')
  expect(existingText(5, 'load')).toEqual([
    '5 pets have the name of an existing pet of their category. Without --skip-existing, they are loaded as well:',
    '  pets.csv:2: Rex',
    '  pets.csv:3: Max',
    '  ... and 3 more',
  ])
})

test('missing categories and further invalid lines are counted', () => {
  const text = (missingCategoryCount: number): string[] =>
    findingsText(
      { ...nothing, missingCategoryCount, problemCount: 3 },
      { files: sources, onExisting: 'load' },
    )
  expect(text(1)).toEqual([
    '... and 3 more invalid lines',
    '1 category is missing: with --create-categories, the import creates it.',
  ])
  expect(text(2)[1]).toBe('2 categories are missing: with --create-categories, the import creates them.')
})
