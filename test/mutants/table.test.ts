import { expect, test } from 'bun:test'
import { mutantsOf, problemOf } from './slip.ts'
import { tables } from './tables.ts'

const mutants = mutantsOf(tables)

test('each slip changes a text that its file contains once, and names tests that exist', () => {
  expect(mutants.map(problemOf).filter(problem => problem !== undefined)).toEqual([])
})

test('no two slips make the same change', () => {
  const changes = mutants.map(({ file, before, after }) => `${file}: ${before} -> ${after}`)
  expect(changes.filter((change, index) => changes.indexOf(change) !== index)).toEqual([])
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
