import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/root.ts'
import { type Mutant, mutantsOf, mutated, namedTest } from './slip.ts'
import { tables } from './tables.ts'

const mutants = mutantsOf(tables)

/** Returns what is wrong with a slip; undefined if it can be applied and its tests can be found. */
function problemOf(mutant: Mutant): string | undefined {
  const { file, before, after, tests, equivalent } = mutant
  if (!existsSync(join(ROOT, file))) return `${file} does not exist`
  try {
    mutated(readFileSync(join(ROOT, file), 'utf8'), mutant)
  } catch (error) {
    return String(error)
  }
  if (before === after) return `${file}: nothing is changed: ${before}`
  if (tests.length === 0 && equivalent === undefined) return `${file}: no test notices that ${mutant.breaks}`
  return tests.map(missingTest).find(problem => problem !== undefined)
}

function missingTest(name: string): string | undefined {
  const { file, title = '' } = namedTest(name)
  if (!existsSync(join(ROOT, file))) return `${file} does not exist`
  return readFileSync(join(ROOT, file), 'utf8').includes(title) ? undefined : `${file} has no test: ${title}`
}

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
