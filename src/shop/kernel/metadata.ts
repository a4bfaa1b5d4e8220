import type { Reader, Tx } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { CURRENCY_DEFAULT } from '../../values/currency.ts'

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

/** Stores a text under a name, unless the name already has a text. */
export async function insertMetadata(
  tx: Tx,
  { name, value }: { name: string; value: string },
): Promise<void> {
  await tx.run(insertMetadataRow, { name, value })
}

const upsertMetadataRow = sql()(`
  INSERT INTO metadata (name, value) VALUES ($name, $value) ON CONFLICT (name) DO UPDATE SET value = excluded.value`)

/** Stores a text under a name, and replaces any existing text. */
export async function replaceMetadata(
  tx: Tx,
  { name, value }: { name: string; value: string },
): Promise<void> {
  await tx.run(upsertMetadataRow, { name, value })
}
