import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeHistory, writePage } from './performance-page.ts'
import { plainText, publishedText } from './published.ts'

const RUN =
  '2 cores (A Processor); Bun 1.4.5; commit 0123456789ab; 2026-11-25T03:27Z; 9 rounds of 2 s, interleaved'

function orders(kind: string, rate: string, verdict: string): string {
  return `### orders in a ${kind} store

64 clients. Each order is durable.

|  | requests per second | CPU µs per request | cores busy |
| --- | --- | --- | --- |
| placeOrder, petstore | 9,048 (7,820 – 10,562) | 123.3 (111.2 – 146.5) | 1.09 |
| bare | 9,345 (8,270 – 11,764) | 106.0 (89.7 – 120.3) | 0.99 |

| Median of the ratios of the rounds | requests per second | by CPU per request | required | aim |  |
| --- | --- | --- | --- | --- | --- |
| petstore against one | **${rate} | 3.16 x (2.50 x – 4.14 x) | 2.50 x | 4.00 x | ${verdict} |
| petstore against verbs | 77% (67% – 83%) | **62%** (51% – 67%) | 60% |  | requirement met |
| bare against verbs | **81%** (76% – 87%) | 70% (65% – 78%) |  |  |  |`
}

const FIGURES = `### start

|  |  | at most |  |
| --- | --- | --- | --- |
| start | **179.10 ms** (139.67 – 280.65) | 300 ms (aim 100) | requirement met |
| first start | **360.59 ms** (307.00 – 479.56) |  |  |`

const LARGE = `### reads

The requirement is at most 1.5 times the CPU.

|  | CPU µs, 1,000 pets | ratio | p99 ms, 1,000 |  |
| --- | --- | --- | --- | --- |
| getPet | 29.7 (28.6 – 30.3) | **1.22** | 1.09 | requirement met |
| listPets | 96.4 (96.0 – 97.4) | **1.62** | 2.67 | **MISSED** |`

test('sections with the same rows share a table, which has the median, the range and the requirement', () => {
  const report = [
    RUN,
    orders('new', '3.52 x** (3.20 x – 4.50 x)', 'requirement met'),
    orders('used', '2.40 x** (2.00 x – 2.60 x)', '**MISSED**'),
  ].join('\n\n')
  expect(publishedText('Orders', report, 'h/a.txt')).toBe(`### Orders

Commit 0123456789ab, 2026-11-25T03:27Z, Bun 1.4.5, 2 cores, 9 rounds of 2 s: [report](h/a.txt).

| orders in a … store | new | used | required |
| --- | --- | --- | --- |
| requests per second | 9,048 (7,820–10,562) | 9,048 (7,820–10,562) |  |
| CPU µs per request | 123.3 (111.2–146.5) | 123.3 (111.2–146.5) |  |
| petstore against one | 3.52 x (3.20–4.50) | **2.40 x (2.00–2.60) MISSED** | 2.50 x (aim 4.00 x) |
| petstore against verbs (CPU) | 62% (51–67) | 62% (51–67) | 60% |`)
})

test('figures and the highest of many ratios are in one table, and a missed ratio is marked', () => {
  expect(publishedText('Large', [RUN, LARGE, FIGURES].join('\n\n'), 'h/a.txt').split('\n').slice(4)).toEqual([
    '| reads | measured | required |',
    '| --- | --- | --- |',
    '| highest of 2 ratios (CPU): listPets | **1.62 x MISSED by 1** | at most 1.5 x |',
    '| **start** |  |  |',
    '| start | 179.10 ms (139.67–280.65) | at most 300 ms (aim 100) |',
  ])
})

test('a report as plain text has aligned columns and no marks of Markdown', () => {
  expect(
    plainText([RUN, FIGURES].join('\n\n')),
  ).toBe(`2 cores (A Processor); Bun 1.4.5; commit 0123456789ab; 2026-11-25T03:27Z; 9 rounds of 2 s,
interleaved

start
-----

                                          at most
start        179.10 ms (139.67 – 280.65)  300 ms (aim 100)  requirement met
first start  360.59 ms (307.00 – 479.56)
`)
})

test('a report is added to the history, and replaces no earlier one; its table replaces the earlier table', () => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-published-'))
  const report = `${RUN}\n\n${FIGURES}`
  expect(writeHistory(folder, 'start', report)).toBe('2026-11-25-01234567-start.txt')
  expect(writeHistory(folder, 'start', report)).toBe('2026-11-25-01234567-start-2.txt')
  expect(readdirSync(folder).length).toBe(2)
  const page = join(folder, 'page.md')
  writeFileSync(page, '# Page\n\n<!-- bench:start -->\n\nold\n\n<!-- /bench -->\n\nEnd\n')
  writePage(page, 'start', 'new')
  expect(readFileSync(page, 'utf8')).toBe('# Page\n\n<!-- bench:start -->\n\nnew\n\n<!-- /bench -->\n\nEnd\n')
  rmSync(folder, { recursive: true })
})

/** Returns the numbers of the requirements in the tables of the runs that the table of the promises does not have. */
function unpromised(page: string): number[] {
  const [promises = '', runs = ''] = page.split('\n## The last runs\n')
  const promised = new Set(
    [...promises.matchAll(/[\d.,]*\d/g)].map(([text]) => Number(text.replaceAll(',', ''))),
  )
  const required = [...runs.matchAll(/\| (?:at most )?([\d.]+)(?: (?:x|ms|s|MiB)|%)(?: \(aim .*\))? \|$/gm)]
  if (required.length < 25) throw new Error(`only ${required.length} requirements found`)
  return required.map(([, text]) => Number(text)).filter(value => !promised.has(value))
}

test('PERFORMANCE.md promises each requirement that its tables have', () => {
  const page = readFileSync(join(import.meta.dir, '..', 'PERFORMANCE.md'), 'utf8')
  expect(unpromised(page)).toEqual([])
  expect(
    unpromised(
      page.replace('| 85% of orders without |', '| 86% of orders without |').replace('85% of a', '84% of a'),
    ),
  ).toEqual([85, 85])
})
