import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/root.ts'
import { controlSlips } from './control-slips.ts'
import { mutated, namedTest } from './mutant.ts'
import { ScratchCopy } from './scratch-copy.ts'

const TEST_MS = 120_000
const quick = controlSlips.filter(({ isQuick }) => isQuick)

let copy: ScratchCopy

beforeAll(() => {
  copy = new ScratchCopy()
})
afterAll(() => copy[Symbol.dispose]())

for (const mutant of quick) {
  const { guarantee, file, breaks, tests } = mutant
  test(
    `control of guarantee ${guarantee}: its tests notice the slip with which ${breaks}`,
    async () => {
      const change = (source: string): string => mutated(source, mutant)
      const run = await copy.withChange(file, change, () =>
        copy.test([tests.map(namedTest)], { ENGINE: 'sqlite' }),
      )
      expect([run.passed, run.isCrash]).toEqual([false, false])
    },
    TEST_MS,
  )
}

test(
  'the tests of the quick controls pass while the source is unchanged',
  async () => {
    const names = quick.flatMap(({ tests }) => tests)
    expect((await copy.testAll(names.map(namedTest), { ENGINE: 'sqlite' })).reason).toBe('ended with 0')
  },
  TEST_MS,
)

/** The rows of the table of RELIABILITY.md: number, guarantee, test, control. */
const rows = readFileSync(join(ROOT, 'RELIABILITY.md'), 'utf8')
  .split('\n')
  .filter(line => /^\| \d+ \| .*\]\(test\//.test(line))
  .map(line => line.split(' | '))

test('the page of the guarantees names exactly the slips that are controls', () => {
  const named = rows.flatMap(([start = '', , , control = '']) =>
    [...control.matchAll(/slip: (.*?)(?=, slip:|; | \|$|$)/g)].map(
      ([, what]) => `guarantee ${start.slice(2)}: ${what}`,
    ),
  )
  const expected = controlSlips.map(({ guarantee, breaks }) => `guarantee ${guarantee}: ${breaks}`)
  expect(named.toSorted()).toEqual(expected.toSorted())
})

test('each slip of a guarantee changes a text that its file contains once, and names tests that exist', () => {
  for (const slip of controlSlips) {
    const source = readFileSync(join(ROOT, slip.file), 'utf8')
    expect(mutated(source, slip) === source).toBe(false)
    for (const { file, title = '' } of slip.tests.map(namedTest))
      expect(readFileSync(join(ROOT, file), 'utf8')).toContain(title)
  }
})

test('each guarantee has a control: a slip, a file of test/controls, or a fault in its test', () => {
  const isControl =
    /^slip: |^\[.*\]\(test\/controls\/|\(in the test\)|the controls? of|the same test|ten seeded bugs/
  const without = rows.filter(({ 3: control = '', length }) => length !== 4 || !isControl.test(control))
  expect(without.map(([start, what]) => `${start}: ${what}`)).toEqual([])
})
