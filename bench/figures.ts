import { spread } from './sample.ts'
import { table } from './section.ts'

/** A measured value, with the maximum that it should have, if there is one. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: 'µs' | 'ms' | 's' | 'MiB' | 'bytes' | 'x' | 'per second'
  /** The maximum that is required, and the maximum that is the aim, in the same unit. */
  readonly required?: number
  readonly aim?: number
  /** The smallest and the largest of the values of which `value` is the median. */
  readonly range?: readonly [min: number, max: number]
}

const DIGITS = { µs: 1, ms: 2, s: 1, MiB: 1, bytes: 0, x: 2, 'per second': 0 } as const

/** Returns figures as a Markdown table with their verdicts. */
export function figureTable(figures: readonly Figure[]): string {
  const rows = figures.map(figure => [figure.name, valueText(figure), boundText(figure), verdict(figure)])
  return table(['', '', 'at most', ''], rows)
}

function valueText({ value, unit, range }: Figure): string {
  const text = (number: number): string =>
    number.toLocaleString('en', { minimumFractionDigits: DIGITS[unit], maximumFractionDigits: DIGITS[unit] })
  const rangeText = range ? ` (${text(range[0])} – ${text(range[1])})` : ''
  return `**${text(value)} ${unit}**${rangeText}`
}

function boundText({ required, aim, unit }: Figure): string {
  if (required === undefined) return ''
  return aim === undefined ? `${required} ${unit}` : `${required} ${unit} (aim ${aim})`
}

function verdict({ value, required, aim }: Figure): string {
  if (required === undefined) return ''
  if (aim !== undefined && value <= aim) return 'aim met'
  return value <= required ? 'requirement met' : '**MISSED**'
}

/** Returns the median of values as a figure, with their range. */
export function medianFigure(values: readonly number[], figure: Omit<Figure, 'value' | 'range'>): Figure {
  const { median: value, min, max } = spread(values)
  return { ...figure, value, range: [min, max] }
}
