import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/root.ts'
import { ScratchCopy } from './scratch-copy.ts'
import { mutantsOf, mutated, namedTest } from './slip.ts'
import { tables } from './tables.ts'

const TEST_MS = 120_000
const controls = mutantsOf(tables).filter(({ guarantee }) => guarantee !== undefined)
const quick = controls.filter(({ isQuick }) => isQuick)

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
  'the tests that notice these slips pass without them',
  async () => {
    const names = quick.flatMap(({ tests }) => tests)
    expect((await copy.testAll(names.map(namedTest), { ENGINE: 'sqlite' })).reason).toBe('ended with 0')
  },
  TEST_MS,
)

test('the page of the guarantees names each slip that is a control, and no guarantee is without a control', () => {
  const rows = readFileSync(join(ROOT, 'RELIABILITY.md'), 'utf8')
    .split('\n')
    .filter(line => /^\| \d+ \| .*\]\(test/.test(line))
  const unnamed = controls.filter(
    ({ guarantee, breaks }) => !rows[Number(guarantee) - 1]?.includes(`[${breaks}]`),
  )
  expect(unnamed.map(({ breaks }) => breaks)).toEqual([])
  expect(rows.filter(row => /\|\s*\|$/.test(row))).toEqual([])
})
