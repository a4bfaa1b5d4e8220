import { parseJson, writeJson } from '../../values/json.ts'
import type { TotalChanges } from '../new-event.ts'
import { sql } from '../statement.ts'

const changeTotal = sql()(`
  INSERT INTO total (name, value) VALUES ($name, $change)
  ON CONFLICT (name) DO UPDATE SET value = total.value + excluded.value`)

/** Sums up the changes of many commands, so that each total is written only once for all of them. */
export class TotalSums {
  readonly #sums = new Map<string, bigint>()

  add(changes: TotalChanges): void {
    for (const name in changes) this.#sums.set(name, (this.#sums.get(name) ?? 0n) + (changes[name] ?? 0n))
  }

  /** Returns the statements that add the sums to the totals, each with its parameters, and clears the sums. */
  take(): { statement: typeof changeTotal; parameters: { name: string; change: bigint } }[] {
    const sums = [...this.#sums].filter(([, change]) => change !== 0n)
    this.#sums.clear()
    return sums.map(([name, change]) => ({ statement: changeTotal, parameters: { name, change } }))
  }

  clear(): void {
    this.#sums.clear()
  }
}

/** Returns changes as text, for the row of an event that has no position yet. */
export function changesText(changes: TotalChanges): string {
  return writeJson(changes)
}

/** Returns the changes from their text in the row of an event. */
export function readChanges(text: string): TotalChanges {
  // Safe: changesText wrote it.
  return parseJson(text) as TotalChanges
}
