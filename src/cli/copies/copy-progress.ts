import { SingleBar } from 'cli-progress'
import type { CopyProgress } from '../../transfer/copy.ts'
import { say } from '../terminal/terminal.ts'

/** Shows the progress of a copy on standard error: bars on a terminal, otherwise a line for each copied table. */
export function showCopyProgress(): CopyProgress & { stop(): void } {
  const isTerminal = process.stderr.isTTY === true
  const bar = (unit: string): SingleBar =>
    new SingleBar({ format: `{bar} {percentage}% of {total} ${unit}`, hideCursor: true, noTTYOutput: false })
  const bars = { copied: bar('rows copied'), verified: bar('rows verified') }
  let total = 0
  return {
    onCounted: rows => {
      total = rows
      if (isTerminal) bars.copied.start(total, 0)
    },
    onRows: (step, rows) => {
      if (isTerminal && step === 'verified' && !bars.verified.isActive) {
        bars.copied.stop()
        bars.verified.start(total, 0)
      }
      bars[step].increment(rows)
    },
    onTable: (step, table, rows) => {
      if (!isTerminal && step === 'copied') say(`${table}: ${rows} ${rows === 1 ? 'row' : 'rows'} copied`)
    },
    stop: () => {
      bars.copied.stop()
      bars.verified.stop()
    },
  }
}
