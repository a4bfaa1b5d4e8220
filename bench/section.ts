import {
  coresBusy,
  cpuUsOf,
  cpuUsPerRequest,
  perSecond,
  type Result,
  rateOf,
  type Spread,
  spreadOfRatios,
} from './sample.ts'

/** The ratio that a comparison must have (0 for none), and the ratio that it should have. */
export interface Target {
  readonly required: number
  readonly aim?: number
  /** Whether the target is about the CPU time per request, instead of the requests per second. */
  readonly isByCpu?: true
}

/** A comparison of two results of the same rounds, with an optional target. */
export interface Ratio {
  readonly name: string
  readonly of: Result
  readonly against: Result
  readonly target?: Target
  /** `x`: times as fast; `%`: a percentage of the other result. */
  readonly unit: 'x' | '%'
}

/** One comparison of a report. */
export interface Section {
  readonly title: string
  readonly about: readonly string[]
  readonly results: readonly Result[]
  readonly ratios: readonly Ratio[]
}

/** Returns a section as Markdown: the measurements, then the ratios with their targets. */
export function sectionText({ title, about, results, ratios }: Section): string {
  return [
    `### ${title}`,
    ...about,
    ...(results.length > 0 ? [resultTable(results)] : []),
    ...(ratios.length > 0 ? [ratioTable(ratios)] : []),
  ].join('\n\n')
}

function resultTable(results: readonly Result[]): string {
  return table(
    ['', 'requests per second', 'CPU µs per request', 'cores busy'],
    results.map(result => [
      result.name,
      spreadText(perSecond(result), 0),
      spreadText(cpuUsPerRequest(result), 1),
      coresBusy(result).median.toFixed(2),
    ]),
  )
}

function ratioTable(ratios: readonly Ratio[]): string {
  const head = ['Median of the ratios of the rounds', 'requests per second', 'by CPU per request']
  return table([...head, 'required', 'aim', ''], ratios.map(ratioRow))
}

function ratioRow({ name, of, against, target, unit }: Ratio): string[] {
  const ratio = spreadOfRatios(of, against, rateOf)
  const byCpu = spreadOfRatios(against, of, cpuUsOf)
  return [
    name,
    ratioSpreadText(ratio, unit, target?.isByCpu !== true),
    ratioSpreadText(byCpu, unit, target?.isByCpu === true),
    target?.required ? ratioText(target.required, unit) : '',
    target?.aim === undefined ? '' : ratioText(target.aim, unit),
    target ? verdict((target.isByCpu ? byCpu : ratio).median, target) : '',
  ]
}

/** Returns the median of a ratio with its minimum and maximum. The median is in bold if it is the one that counts. */
function ratioSpreadText({ median, min, max }: Spread, unit: Ratio['unit'], isJudged: boolean): string {
  const text = ratioText(median, unit)
  return `${isJudged ? `**${text}**` : text} (${ratioText(min, unit)} – ${ratioText(max, unit)})`
}

function verdict(ratio: number, { required, aim }: Target): string {
  if (aim !== undefined && ratio >= aim) return 'aim met'
  if (required === 0) return 'aim missed'
  return ratio >= required ? 'requirement met' : '**MISSED**'
}

function ratioText(ratio: number, unit: 'x' | '%'): string {
  return unit === 'x' ? `${ratio.toFixed(2)} x` : `${(ratio * 100).toFixed(0)}%`
}

/** Returns the median of a spread with its minimum and maximum. */
export function spreadText({ median, min, max }: Spread, digits: number): string {
  const text = (value: number): string =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return `${text(median)} (${text(min)} – ${text(max)})`
}

/** Returns a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
