import { coresBusy, cpuUsEach, perSecond, type Result, type Spread } from './sample.ts'

/** The required ratio of one result to another, as a ratio of medians of requests per second. */
export interface Ratio {
  readonly measure: string
  readonly of: Result
  readonly against: Result
  readonly target?: { readonly must: number; readonly aim: number }
  /** `x`: times as fast; `%`: a share of the limit. */
  readonly unit: 'x' | '%'
}

/** One comparison of a report. */
export interface Section {
  readonly title: string
  readonly about: readonly string[]
  readonly results: readonly Result[]
  readonly ratios: readonly Ratio[]
}

/** A section as Markdown: the measurements, then the ratios with their targets. */
export function sectionText({ title, about, results, ratios }: Section): string {
  return [
    `### ${title}`,
    ...about.map(line => `${line}`),
    table(
      ['', 'requests per second', 'CPU µs per request', 'cores busy'],
      results.map(result => [
        result.name,
        spreadText(perSecond(result), 0),
        spreadText(cpuUsEach(result), 1),
        coresBusy(result).median.toFixed(2),
      ]),
    ),
    table(['Ratio of medians', 'requests per second', 'by CPU', 'required', 'aim', ''], ratios.map(ratioRow)),
  ].join('\n\n')
}

function ratioRow({ measure, of, against, target, unit }: Ratio): string[] {
  const ratio = perSecond(of).median / perSecond(against).median
  const byCpu = cpuUsEach(against).median / cpuUsEach(of).median
  return [
    measure,
    `**${ratioText(ratio, unit)}**`,
    ratioText(byCpu, unit),
    target ? ratioText(target.must, unit) : '',
    target ? ratioText(target.aim, unit) : '',
    target ? verdict(ratio, target) : '',
  ]
}

function verdict(ratio: number, { must, aim }: { must: number; aim: number }): string {
  if (ratio >= aim) return 'aim reached'
  return ratio >= must ? 'reached' : '**MISSED**'
}

function ratioText(ratio: number, unit: 'x' | '%'): string {
  return unit === 'x' ? `${ratio.toFixed(2)} x` : `${(ratio * 100).toFixed(0)}%`
}

function spreadText({ median, min, max }: Spread, digits: number): string {
  const text = (value: number): string =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${text(median)} (${text(min)} – ${text(max)})`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
