import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { rateOf, ratios, type Side } from './measure.ts'
import { plots } from './plot.ts'
import { type Row, replaceBlock, reportText, rowText } from './report.ts'
import { pathOf } from './server.ts'
import { RUNTIME_ENVIRONMENT } from './store.ts'

const SCHEDULE = { rounds: 3, seconds: 2 }
const PAGE = readFileSync(pathOf('../PERFORMANCE.md'), 'utf8')

function sideOf(name: string, counts: readonly number[]): Side {
  const samples = counts.map(requests => ({ requests, seconds: 1, cpuUs: 1, answered: requests }))
  return { name, samples, answered: 0, run: () => Promise.reject(new Error('not used')) }
}

test('ratios are those of the rounds, so slow rounds of both sides do not change them', () => {
  // The machine is half as fast in the last two rounds, and while `against` runs in the second round.
  const [of, against] = [sideOf('store', [50, 50, 50, 25, 25]), sideOf('bare', [100, 50, 100, 50, 50])]
  expect(ratios(of, against, rateOf)).toEqual([0.5, 1, 0.5, 0.5, 0.5])
  expect(() => ratios(of, sideOf('bare', [100]), rateOf)).toThrow(
    'store and bare have different numbers of rounds',
  )
})

test('a row has the median, the range and the requirement, and a missed one is marked', () => {
  const row: Row = { name: 'reads', values: [0.52, 0.31, 0.4], unit: '%' }
  expect(rowText(row)).toBe('| reads | 40% (31–52) |  |')
  expect(rowText({ ...row, atLeast: 0.4, aim: 0.5 })).toBe('| reads | 40% (31–52) | 40% (aim 50%) |')
  expect(rowText({ ...row, atLeast: 0.41 })).toBe('| reads | **40% (31–52) MISSED** | 41% |')
  const start: Row = { name: 'start', values: [1234.5], unit: 'ms', atMost: 300 }
  expect(rowText(start)).toBe('| start | **1,234.50 ms MISSED** | at most 300 ms |')
})

test('the page has only the rows with a requirement, and those that are marked', () => {
  const values = [1]
  const rows: Row[] = [
    { name: 'hidden', values, unit: 'x', aim: 2 },
    { name: 'required', values, unit: 'x', atLeast: 1 },
    { name: 'marked', values, unit: 'per second', isOnPage: true },
  ]
  const { history, page } = reportText({ part: 'reads', title: 'Reads' }, { about: 'How.', rows }, SCHEDULE)
  expect(rows.map(({ name }) => history.includes(`| ${name} |`))).toEqual([true, true, true])
  expect(rows.map(({ name }) => page.includes(`| ${name} |`))).toEqual([false, true, true])
})

test('a table replaces the previous one of its part, and only that', () => {
  const page = 'A\n\n<!-- bench:reads -->\n\nold\n\n<!-- /bench -->\n\nB\n'
  expect(replaceBlock(page, 'reads', 'new')).toBe(page.replace('old', 'new'))
  expect(() => replaceBlock(page, 'orders', 'new')).toThrow('lacks <!-- bench:orders -->')
})

/** Returns the lines of the tables of the runs that are not in the history. */
function inventedLines(page: string): string[] {
  const blocks = [...page.matchAll(/<!-- bench:(\w+) -->(.*?)<!-- \/bench -->/gs)]
  expect(blocks.length).toBe(6)
  return blocks.flatMap(([, part, block = '']) => {
    const history = readFileSync(pathOf(`history/${part}.txt`), 'utf8').split('\n')
    const lines = block.split('\n').flatMap(line => /^(Commit .*(?= \[)|\|.*)/.exec(line)?.[0] ?? [])
    expect(lines.length).toBeGreaterThan(4)
    return lines.filter(line => !history.includes(line))
  })
}

test('each figure of a run in PERFORMANCE.md is in the history', () => {
  expect(inventedLines(PAGE)).toEqual([])
  const changed = PAGE.replace(/\| (\d+)% \(/, '| 9$1% (')
  expect(inventedLines(changed)).toEqual([expect.stringMatching(/\| 9\d+% \(/)])
})

/** Returns the numbers of the requirements in the tables of the runs that the table of the promises does not have. */
function unpromised(page: string): number[] {
  const [promises = '', runs = ''] = page.split('\n## The last runs\n')
  const numbers = [...promises.matchAll(/[\d.,]*\d/g)].map(([text]) => Number(text.replaceAll(',', '')))
  const required = [...runs.matchAll(/\| (?:at most )?([\d.]+)(?: (?:x|ms|s|MiB)|%)(?: \(aim .*\))? \|$/gm)]
  expect(required.length).toBeGreaterThan(20)
  return required.map(([, text]) => Number(text)).filter(value => !numbers.includes(value))
}

test('PERFORMANCE.md promises each requirement that its tables have', () => {
  expect(unpromised(PAGE)).toEqual([])
  expect(
    unpromised(PAGE.replace('85% of orders without', '86% of orders without').replace('85% of a', '')),
  ).toEqual([85, 85])
})

test('the plots show the last runs, with a bar for each value', () => {
  const drawn = plots()
  for (const [name, text] of Object.entries(drawn))
    expect(readFileSync(pathOf(`../docs/${name}`), 'utf8')).toBe(text)
  const bars = Object.values(drawn).map(text => text.split('height="16"').length - 1)
  expect(bars).toEqual([18, 8, 36])
})

test('other servers on the runtime start with the variables of the start script', () => {
  expect(Object.keys(RUNTIME_ENVIRONMENT)).toEqual([
    'BUN_JSC_forceRAMSize',
    'BUN_JSC_mediumHeapGrowthFactor',
    'BUN_JSC_largeHeapGrowthFactor',
  ])
})
