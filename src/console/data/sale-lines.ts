import type { Client, SaleLine } from '../../client/petstore-client.ts'
import { locale } from '../words/language.ts'
import { storeNowMs } from './shop-clock.ts'

/** The maximum number of lines that are read: the newest ones. */
export const LINES_MAX = 10_000
const PAGE_MAX = 100

interface ReadLines {
  /** Newest first. */
  readonly lines: readonly SaleLine[]
  readonly hasMore: boolean
  /** When they were read, by the clock of the store, in milliseconds since 1970. */
  readonly atMs: number
}

/** Reads the lines of the books in a period. `onRead` is called with their number so far. */
export async function readLines(
  client: Client,
  period: { createdAfter?: string; createdBefore?: string },
  { signal, onRead }: { readonly signal: AbortSignal; readonly onRead: (count: number) => void },
): Promise<ReadLines> {
  const lines: SaleLine[] = []
  const atMs = storeNowMs()
  for await (const line of client.listSales({ ...period, sort: '-at', limit: PAGE_MAX }, { signal })) {
    if (lines.length === LINES_MAX) return { lines, hasMore: true, atMs }
    lines.push(line)
    if (lines.length % PAGE_MAX === 0) onRead(lines.length)
  }
  return { lines, hasMore: false, atMs }
}

/** What was sold and returned of one thing. */
export interface SoldThing {
  /** The id of a pet or a category; undefined for pets that are gone. */
  readonly id: bigint | undefined
  readonly name: string
  readonly units: bigint
  readonly amount: bigint
  readonly returnedUnits: bigint
  readonly returnedAmount: bigint
}

/** Returns the sums of lines by the thing that `thingOf` returns, the highest takings first. */
export function salesBy(
  lines: readonly SaleLine[],
  thingOf: (line: SaleLine) => Pick<SoldThing, 'id' | 'name'>,
): SoldThing[] {
  const sums = new Map<bigint | undefined, SoldThing>()
  for (const line of lines) {
    const { id, name } = thingOf(line)
    const none = { id, name, units: 0n, amount: 0n, returnedUnits: 0n, returnedAmount: 0n }
    const sum = sums.get(id) ?? none
    const { quantity, amount = 0n } = line
    const { units, returnedUnits } = sum
    sums.set(id, {
      ...sum,
      ...(quantity > 0n
        ? { units: units + quantity, amount: sum.amount + amount }
        : { returnedUnits: returnedUnits - quantity, returnedAmount: sum.returnedAmount - amount }),
    })
  }
  return [...sums.values()].toSorted(
    (a, b) =>
      Number(takingsOf(b) - takingsOf(a)) ||
      Number(b.units - a.units) ||
      a.name.localeCompare(b.name, locale),
  )
}

/** Returns what was sold, less what came back. */
export function takingsOf({ amount, returnedAmount }: Pick<SoldThing, 'amount' | 'returnedAmount'>): bigint {
  return amount - returnedAmount
}
