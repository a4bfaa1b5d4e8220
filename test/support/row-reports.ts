import type { RowChanges } from '../../src/database/row-changes.ts'
import type { TestOptions } from './store.ts'

/** A delay that is longer than the test that uses it, even on a busy machine. */
const LATE_MS = 60_000

/** Returns the options of a store whose engine passes its reports of written rows to `report`. */
function reporting(
  report: (changes: RowChanges, listener: (changes: RowChanges) => void) => void,
): TestOptions {
  return {
    wrapEngine: engine => ({
      ...engine,
      watchRows: listener => engine.watchRows?.(changes => report(changes, listener)) ?? (() => {}),
    }),
  }
}

/** Returns the options of a store whose engine does not report the rows that it writes to a table. */
export function withoutReportsOf(unreported: string): TestOptions {
  return reporting((changes, listener) =>
    listener(new Map([...changes].filter(([table]) => table !== unreported))),
  )
}

/** Returns the options of a store whose engine reports written rows only after the test. */
export function withLateReports(): TestOptions {
  return reporting((changes, listener) => void setTimeout(() => listener(changes), LATE_MS).unref())
}
