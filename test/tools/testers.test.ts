import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generators } from '../openapi/generators/generators.ts'
import { ROOT } from '../support/root.ts'
import { renderings } from './renderings.ts'
import { prints } from './tool.ts'
import { tools } from './tools.ts'

const page = readFileSync(join(ROOT, 'docs/for-tool-makers.md'), 'utf8')
const benchPage = readFileSync(join(ROOT, 'docs/bench.md'), 'utf8')

const testers = tools.filter(({ isTester }) => isTester)

test.each(testers)(
  'docs/for-tool-makers.md has $name in the version that check:tools runs',
  ({ name, version }) => {
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      version === 'installed' ? name : `${name} ${version}`.trim(),
    )
  },
)

test.each(tools.filter(({ tests }) => tests !== undefined))(
  'docs/bench.md has the score of $name in the version that bench:tools runs',
  ({ name, version, tests }) => {
    expect(benchPage).toContain(`| ${`${name} ${version}`.trim()} | ${tests} |`)
  },
)

test('check:tools tries every generator of docs/generators.md with OpenAPI 3.2', () => {
  const tried = renderings.filter(({ format }) => format === '3.2').map(({ generator }) => generator)
  expect(tried.sort()).toEqual(generators.map(({ name }) => name).sort())
})

test('docs/for-tool-makers.md names every generator that reads OpenAPI 3.2, and then those that do not', () => {
  const [readers = '', others = ''] = page.split('These refuse it, or')
  for (const { format, generator, refuses } of renderings) {
    const [name = ''] = generator.split(' ')
    if (format === '3.2') expect(refuses === undefined ? readers : others).toContain(name)
  }
})

test('control: output without the expected line is detected', () => {
  expect(prints('a\nTests run: 11, Failures: 0\n', 'Tests run: …, Failures: 0')).toBe(true)
  expect(prints('Tests run: 11\nFailures: 0', 'Tests run: …, Failures: 0')).toBe(false)
})
