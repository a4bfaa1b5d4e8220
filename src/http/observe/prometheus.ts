import { type MetricName, metricList } from './metric-list.ts'

/** The type of the text that `family` writes. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** What follows the name of the metric, such as `{state="failed"}`, and the value. */
export type Sample = readonly [labels: string, value: number]

/** A value without labels, or the samples of a metric; undefined if this store has none. */
export type Samples = number | readonly Sample[] | undefined

/**
 * Returns a metric and its samples in the text format of Prometheus. Its names, help texts and labels are constants and
 * ids of this program, so nothing needs an escape.
 */
function family(name: MetricName, samples: Samples): string {
  if (samples === undefined) return ''
  const { type, help } = metricList[name]
  const lines = (typeof samples === 'number' ? [['', samples] as const] : samples).map(
    ([labels, value]) => `${name}${labels} ${value}\n`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

export type MetricValues = Readonly<Partial<Record<MetricName, Samples>>>

/** Returns the text of several metrics. */
export function families(values: MetricValues): string {
  // Safe: the keys are those of the record.
  const names = Object.keys(values) as MetricName[]
  return names.map(name => family(name, values[name])).join('')
}

/** Returns the samples of a metric with one label. */
export function byLabel(label: string, values: Iterable<readonly [value: string, count: number]>): Sample[] {
  return Array.from(values, ([value, count]): Sample => [`{${label}="${value}"}`, count])
}
