import type { Report } from './run.ts'

const columns = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const

/** Returns the report of a run as text: the requests and responses per operation, and the findings. */
export function reportText({ seed, findings, counts, requests, seconds }: Report): string {
  const rows = [...counts].sort(([a], [b]) => a.localeCompare(b))
  const width = Math.max(...rows.map(([label]) => label.length), 10)
  const row = (label: string, cells: readonly (string | number)[]): string =>
    label.padEnd(width) + cells.map(cell => String(cell).padStart(9)).join('')
  const total = columns.map((_, index) => rows.reduce((sum, [, classes]) => sum + (classes[index] ?? 0), 0))
  const rate = Math.round(requests / seconds)
  const findingTexts = findings.map(
    ({ label, check, detail, request, count }) =>
      `${label}: ${check} (${count} x)\n  ${detail}\n  ${request}`,
  )
  return [
    row('', ['requests', ...columns]),
    ...rows.map(([label, classes]) => row(label, [sumOf(classes), ...classes])),
    row('all', [sumOf(total), ...total]),
    '',
    ...findingTexts,
    `${requests} requests in ${seconds.toFixed(1)} s (${rate} a second), seed ${seed}`,
    `${findings.length} findings`,
    '',
  ].join('\n')
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
