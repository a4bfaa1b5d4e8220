import { expect, test } from 'bun:test'
import { mutantsOf, problemOf } from './slip.ts'
import { tables } from './tables.ts'

const mutants = mutantsOf(tables)

/** Whether the files are of the folder of the table; those of a noun of `src/shop` have a table of their own. */
function isTableOf(table: string, files: readonly string[]): boolean {
  const folder = table.replace('test/mutants/slips/', 'src/').replace('.ts', '/')
  return files.every(file => file.replace(/^(src\/(?:shop\/(?=.*\/))?[^/]+\/).*/, '$1') === folder)
}

test('each slip changes a text that its file contains once, and names tests that exist', () => {
  expect(mutants.map(problemOf).filter(problem => problem !== undefined)).toEqual([])
})

test('no two slips make the same change', () => {
  const changes = mutants.map(({ file, before, after }) => `${file}: ${before} -> ${after}`)
  expect(changes.filter((change, index) => changes.indexOf(change) !== index)).toEqual([])
})

test('a table has the slips of its folder, sorted by file', () => {
  const misplaced = Object.entries(tables).filter(([table, slips]) => {
    const files = Object.keys(slips)
    return !isTableOf(table, files) || files.toSorted().join() !== files.join()
  })
  expect(misplaced.map(([table]) => table)).toEqual(['test/mutants/slips/guarantees.ts'])
  expect(isTableOf('test/mutants/slips/shop.ts', ['src/shop/pets/verbs.ts'])).toBe(false)
  expect(isTableOf('test/mutants/slips/shop/pets.ts', ['src/shop/orders/verbs.ts'])).toBe(false)
})

test('control: each kind of mistake in a row is detected', () => {
  const row = { file: 'test/mutants/slip.ts', after: '', breaks: 'nothing', tests: ['test/none.test.ts'] }
  const once = 'export function namedTest'
  const problems = [
    problemOf({ ...row, before: 'no such text' }),
    problemOf({ ...row, before: 'export ' }),
    problemOf({ ...row, before: once, after: once }),
    problemOf({ ...row, before: once, after: '(((' }),
    problemOf({ ...row, before: once, after: 'function namedTest' }),
    problemOf({ ...row, before: once, after: 'function namedTest', tests: [] }),
  ]
  expect(problems).toEqual([
    expect.stringContaining('does not contain'),
    expect.stringContaining('times'),
    expect.stringContaining('is not changed'),
    expect.stringContaining('is no program'),
    'test/none.test.ts does not exist',
    expect.stringContaining('no test notices'),
  ])
})
