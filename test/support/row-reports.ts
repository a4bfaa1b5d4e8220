import type { BatchStage, RowChanges, RowListener } from '../../src/database/row-changes.ts'
import type { TestOptions } from './store.ts'

/** A delay that is longer than the test that uses it, even on a busy machine. */
const LATE_MS = 60_000

/** Returns the options of a store whose engine passes its reports of written rows to `report`. */
function reporting(
  report: (changes: RowChanges, listener: RowListener, stage: BatchStage) => unknown,
): TestOptions {
  return {
    wrapEngine: engine => ({
      ...engine,
      watchRows: listener =>
        engine.watchRows?.((changes, stage) => report(changes, listener, stage)) ?? (() => {}),
    }),
  }
}

/** Returns the options of a store whose engine does not report the rows that it writes to a table. */
export function withoutReportsOf(unreported: string): TestOptions {
  return reporting((changes, listener, stage) =>
    listener(new Map([...changes].filter(([table]) => table !== unreported)), stage),
  )
}

/** Returns the options of a store whose engine reports written rows only when the store asks for announcements. */
export function withReportsOnDemand(): TestOptions {
  const held: (() => void)[] = []
  const { wrapEngine = engine => engine } = reporting((changes, listener, stage) =>
    held.push(() => listener(changes, stage)),
  )
  return {
    wrapEngine: engine => ({
      ...wrapEngine(engine),
      announceRows: () => {
        engine.announceRows?.()
        for (const report of held.splice(0)) report()
      },
    }),
  }
}

/** Returns the options of a store whose engine reports written rows only after the test. */
export function withLateReports(): TestOptions {
  return reporting(
    (changes, listener, stage) => void setTimeout(() => listener(changes, stage), LATE_MS).unref(),
  )
}
