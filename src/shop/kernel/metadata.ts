import { overloaded } from '../../contract/refusals.ts'
import type { Reader, Tx } from '../../database/engine.ts'
import { dynamicSql, sql } from '../../database/statement.ts'
import { CURRENCY_DEFAULT } from '../../values/currency.ts'
import type { Context } from './context.ts'

const selectMetadata = sql<{ value: string }>()('SELECT value FROM metadata WHERE name = $name')

const insertMetadataRow = sql()(
  'INSERT INTO metadata (name, value) VALUES ($name, $value) ON CONFLICT DO NOTHING',
)

/** Returns the text that is stored under a name; undefined if there is none. */
export async function readMetadata(reader: Reader, name: string): Promise<string | undefined> {
  return (await reader.one(selectMetadata, { name }))?.value
}

/** Returns the currency of the store (ISO 4217). */
export async function readCurrency(reader: Reader): Promise<string> {
  return (await readMetadata(reader, 'currency')) ?? CURRENCY_DEFAULT
}

/** A column of a statement that writes: the currency of the store when the statement runs. */
export const currencyColumn = `(SELECT value FROM metadata WHERE name = 'currency') AS "storeCurrency"`

export interface WithCurrency {
  /** Null if none was recorded. */
  readonly storeCurrency: string | null
}

/**
 * Throws `overloaded` if a command is about to store an amount, and another process has changed the currency of the
 * store since this one was started.
 */
export function refuseOtherCurrency(
  { currency }: Context,
  amount: bigint | null | undefined,
  { storeCurrency }: WithCurrency,
): void {
  if (currency === undefined || storeCurrency === null || storeCurrency === currency) return
  if (amount === null || amount === undefined) return
  const message = `Another process has changed the currency of the store from ${currency} to ${storeCurrency}`
  const refusal = overloaded(`${message}; the operator must start this process again.`)
  refusal.cause = new Error(message)
  throw refusal
}

/** Waits on PostgreSQL until every transaction that has read `currencyColumn` ends, and makes new ones wait. */
const lockMetadata = dynamicSql(() => ['SELECT 1', 'LOCK TABLE metadata IN ACCESS EXCLUSIVE MODE'])

/** Records the currency of the store. Returns 1 if `isBound` says that another one is bound; otherwise 0. */
export async function changeCurrency(
  tx: Tx,
  { currency }: { currency: string },
  isBound: (reader: Reader) => Promise<boolean>,
): Promise<number> {
  await tx.many(lockMetadata)
  const recorded = await readMetadata(tx, 'currency')
  if (recorded !== undefined && recorded !== currency && (await isBound(tx))) return 1
  await replaceMetadata(tx, { name: 'currency', value: currency })
  return 0
}

/** Stores a text under a name, unless the name already has a text. */
export async function insertMetadata(
  tx: Tx,
  { name, value }: { name: string; value: string },
): Promise<void> {
  await tx.run(insertMetadataRow, { name, value })
}

/** The statement that stores a text under a name, and replaces any existing text. */
export const upsertMetadataRow = sql()(`
  INSERT INTO metadata (name, value) VALUES ($name, $value) ON CONFLICT (name) DO UPDATE SET value = excluded.value`)

/** Stores a text under a name, and replaces any existing text. */
export async function replaceMetadata(
  tx: Tx,
  { name, value }: { name: string; value: string },
): Promise<void> {
  await tx.run(upsertMetadataRow, { name, value })
}
