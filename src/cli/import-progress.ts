import { SingleBar } from 'cli-progress'
import type { ImportProgress } from './importer.ts'
import { say } from './terminal.ts'

/** About how many rows one core loads per second. Only the estimate that is printed before a long load uses it. */
const ROWS_PER_SECOND = 10_000
/** A shorter wait needs no warning. */
const WARNED_SECONDS = 2

export interface ImportScreen {
  /** The bytes of all files; 0 if no file is read. */
  readonly bytes: number
  /** Whether the rows are only checked, loaded at once, or loaded in slices. */
  readonly mode: 'check' | 'at once' | 'in slices'
  /** Whether another process serves the store during the import. */
  readonly isRunning: boolean
  readonly importId: bigint
}

/** Shows the progress of an import on standard error: bars on a terminal, problems, and a line before a long load. */
export function showProgress(screen: ImportScreen): ImportProgress & { stop(): void } {
  const bar = (unit: string): SingleBar =>
    new SingleBar({ format: `{bar} {percentage}% of {total} ${unit}`, hideCursor: true, noTTYOutput: false })
  const reading = bar('bytes read')
  const loading = bar('rows loaded')
  const isTerminal = process.stderr.isTTY === true
  if (isTerminal && screen.bytes > 0) reading.start(screen.bytes, 0)
  return {
    onBytes: count => reading.increment(count),
    onStaged: rows => {
      reading.stop()
      for (const line of linesBeforeLoad(screen, rows)) say(line)
      if (isTerminal && screen.mode === 'in slices') loading.start(rows, 0)
    },
    onProblems: problems => {
      for (const problem of problems) say(problem)
    },
    onLoaded: count => loading.increment(count),
    stop: () => {
      reading.stop()
      loading.stop()
    },
  }
}

/** Returns the lines to print after all rows are staged, and before the first is loaded. */
export function linesBeforeLoad({ mode, isRunning, importId }: ImportScreen, rows: number): string[] {
  if (mode === 'in slices') {
    return [`Loading ${rows} rows in slices. If this is interrupted, continue with --resume ${importId}`]
  }
  const seconds = Math.ceil(rows / ROWS_PER_SECOND)
  if (mode === 'check' || !isRunning || seconds < WARNED_SECONDS) return []
  return [
    `Loading ${rows} rows at once: for about ${seconds} seconds, all other changes to the store wait. ` +
      'With --in-slices, they continue.',
  ]
}
