/** The type of the text that `family` writes. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** What follows the name of the metric, such as `{state="failed"}`, and the value. */
export type Sample = readonly [labels: string, value: number]

/**
 * Returns a metric and its samples in the text format of Prometheus. Its names, help texts and labels are constants and
 * ids of this program, so nothing needs an escape.
 */
export function family(
  type: 'counter' | 'gauge' | 'histogram',
  name: string,
  help: string,
  samples: readonly Sample[],
): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
