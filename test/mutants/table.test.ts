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

test('control: a text that is missing, a text that occurs twice and a test that does not exist are detected', () => {
  const slip = {
    file: 'test/mutants/slip.ts',
    after: '',
    breaks: 'nothing',
    tests: ['test/none.test.ts'],
  }
  const found = ['no such text', 'export ', 'export function namedTest'].map(before =>
    problemOf({ ...slip, before }),
  )
  expect(found).toEqual([
    expect.stringContaining('does not contain'),
    expect.stringContaining('times'),
    'test/none.test.ts does not exist',
  ])
})
