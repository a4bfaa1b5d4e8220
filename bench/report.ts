import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { cpuUsOf, rateOf, type Sample, type Schedule, spread } from './measure.ts'
import { drawPlots } from './plot.ts'
import { pathOf } from './server.ts'

const DIGITS = { '%': 0, x: 2, µs: 1, ms: 2, s: 1, MiB: 1, 'per second': 0 } as const
const END = '<!-- /bench -->'

/** One measured value, of which the median counts. A percentage is a number such as 0.5. */
export interface Row {
  readonly name: string
  /** The values of the rounds. */
  readonly values: readonly number[]
  readonly unit: keyof typeof DIGITS
  /** The requirement. */
  readonly atLeast?: number
  readonly atMost?: number
  /** What the value should be. */
  readonly aim?: number
  /** Whether PERFORMANCE.md has the row without a requirement. */
  readonly isOnPage?: boolean
}

/** Returns the rate and the processor time of a side as rows. */
export function figureRows(name: string, samples: readonly Sample[], isOnPage = false): Row[] {
  return [
    { name: `${name}, requests per second`, values: samples.map(rateOf), unit: 'per second', isOnPage },
    { name: `${name}, CPU per request`, values: samples.map(cpuUsOf), unit: 'µs', isOnPage },
  ]
}

/** What a part of the benchmark measured, and how. */
export interface Report {
  readonly about: string
  readonly rows: readonly Row[]
}

/** Returns a report as text: all of it, for the history, and what PERFORMANCE.md has of it. */
export function reportText(
  { part, title }: { readonly part: string; readonly title: string },
  { about, rows }: Report,
  schedule: Schedule,
): { history: string; page: string } {
  const run = runText(schedule)
  const machine = `${cpus()[0]?.model.trim() ?? 'unknown'}; load average before ${loadavg()[0]?.toFixed(2)}.`
  const isOnPage = ({ isOnPage, atLeast, atMost }: Row): boolean =>
    isOnPage === true || atLeast !== undefined || atMost !== undefined
  return {
    history: [run, machine, about, tableOf(title, rows)].join('\n\n'),
    page: [
      `### ${title}`,
      `${run} [All rows](${historyOf(part)}).`,
      tableOf(title, rows.filter(isOnPage)),
    ].join('\n\n'),
  }
}

function runText({ rounds, seconds }: Schedule): string {
  const { success, stdout } = Bun.spawnSync(['git', 'rev-parse', '--short=12', 'HEAD'], { cwd: pathOf('.') })
  const commit = success ? stdout.toString().trim() : 'unknown'
  const date = `${new Date().toISOString().slice(0, 16)}Z`
  const cores = `${availableParallelism()} cores`
  return `Commit ${commit}, ${date}, Bun ${Bun.version}, ${cores}, ${rounds} rounds of ${seconds} s.`
}

function tableOf(title: string, rows: readonly Row[]): string {
  return [`| ${title} | measured | required |`, '| --- | --- | --- |', ...rows.map(rowText)].join('\n')
}

/** Returns a row: the median with the minimum and maximum, and the requirement. A missed one is marked. */
export function rowText({ name, values, unit, atLeast, atMost, aim }: Row): string {
  const { median, min, max } = spread(values)
  const range = values.length > 1 ? ` (${numberText(min, unit)}–${numberText(max, unit)})` : ''
  const measured = `${withUnit(numberText(median, unit), unit)}${range}`
  const isMissed = median < (atLeast ?? -Infinity) || median > (atMost ?? Infinity)
  const bounds = [
    ...(atLeast === undefined ? [] : [boundText(atLeast, unit)]),
    ...(atMost === undefined ? [] : [`at most ${boundText(atMost, unit)}`]),
    ...(aim === undefined ? [] : [`(aim ${boundText(aim, unit)})`]),
  ]
  return `| ${name} | ${isMissed ? `**${measured} MISSED**` : measured} | ${bounds.join(' ')} |`
}

function numberText(value: number, unit: Row['unit']): string {
  const digits = { minimumFractionDigits: DIGITS[unit], maximumFractionDigits: DIGITS[unit] }
  return (unit === '%' ? value * 100 : value).toLocaleString('en', digits)
}

function boundText(value: number, unit: Row['unit']): string {
  return withUnit(unit === '%' ? numberText(value, unit) : String(value), unit)
}

/** Returns a number with its unit, except `per second`, which is in the name of its row. */
function withUnit(text: string, unit: Row['unit']): string {
  if (unit === 'per second') return text
  return unit === '%' ? `${text}%` : `${text} ${unit}`
}

function historyOf(part: string): string {
  return `bench/history/${part}.txt`
}

/** Writes a report to the history, and between the markers of its part in PERFORMANCE.md. */
export function publish(part: string, { history, page }: { history: string; page: string }): void {
  writeFileSync(pathOf(`../${historyOf(part)}`), `${history}\n`)
  const file = pathOf('../PERFORMANCE.md')
  writeFileSync(file, replaceBlock(readFileSync(file, 'utf8'), part, page))
  drawPlots()
}

/** Returns a page with another text between the markers of a part. Throws if it lacks them. */
export function replaceBlock(page: string, part: string, text: string): string {
  const begin = `<!-- bench:${part} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(END, from)
  if (from < 0 || to < 0) throw new Error(`the page lacks ${begin} or its ${END}`)
  return `${page.slice(0, from)}${begin}\n\n${text}\n\n${page.slice(to)}`
}
