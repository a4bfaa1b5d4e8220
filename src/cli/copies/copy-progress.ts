import { SingleBar } from 'cli-progress'
import { type CopyReport, type CopySource, type CopyTarget, copyStore } from '../../transfer/copy.ts'
import type { StoreTable } from '../../transfer/tables.ts'
import { countText } from '../../values/count-text.ts'
import { say } from '../terminal/terminal.ts'

/**
 * Copies a store as `copyStore` does, and shows the progress on standard error: bars on a terminal, otherwise a line
 * for each copied table.
 */
export async function copyWithProgress(
  source: CopySource,
  target: CopyTarget,
  tables: readonly StoreTable[],
  signal: AbortSignal,
): Promise<CopyReport> {
  const bar = (unit: string): SingleBar =>
    new SingleBar({ format: `{bar} {percentage}% of {total} ${unit}`, hideCursor: true })
  const bars = { copied: bar('rows copied'), verified: bar('rows verified') }
  let total = 0
  const progress = {
    onCounted: (rows: number) => {
      total = rows
      bars.copied.start(total, 0)
    },
    onRows: (step: keyof typeof bars, rows: number) => {
      if (step === 'verified' && !bars.verified.isActive) {
        bars.copied.stop()
        bars.verified.start(total, 0)
      }
      bars[step].increment(rows)
    },
    onTable: (step: keyof typeof bars, table: string, rows: number) => {
      if (!process.stderr.isTTY && step === 'copied') say(`${table}: ${countText(rows, 'row')} copied`)
    },
  }
  try {
    return await copyStore(source, target, tables, { progress, signal })
  } finally {
    bars.copied.stop()
    bars.verified.stop()
  }
}
