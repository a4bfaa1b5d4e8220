import { type Reader, Stale, type Tx } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { petColumns, type StoredPet } from '../stock/rows.ts'
import { barcodeTaken } from './refusals.ts'

// A violated key would end the transaction on PostgreSQL. This waits for another one that inserts the same barcode.
const insertBarcode = sql()(
  'INSERT INTO pet_barcode (barcode, pet_id) VALUES ($barcode, $petId) ON CONFLICT (barcode) DO NOTHING',
)
const deleteBarcode = sql()('DELETE FROM pet_barcode WHERE barcode = $barcode AND pet_id = $petId')

const selectPet = sql<StoredPet>()(`
  SELECT ${petColumns} FROM pet WHERE id = (SELECT pet_id FROM pet_barcode WHERE barcode = $barcode)`)

/** Returns the pet with exactly this barcode; undefined if there is none. */
export function findByBarcode(
  reader: Reader,
  barcode: string,
): StoredPet | undefined | Promise<StoredPet | undefined> {
  return reader.one(selectPet, { barcode })
}

/** Gives a pet another barcode, or takes its barcode away. Throws `barcode_taken`. */
export async function changeBarcode(
  tx: Tx,
  petId: bigint,
  { from = null, to = null }: { readonly from?: string | null; readonly to?: string | null },
): Promise<void> {
  if (from === to) return
  if (from !== null) tx.write(deleteBarcode, { barcode: from, petId })
  if (to === null || (await tx.run(insertBarcode, { barcode: to, petId })) > 0) return
  const holder = await findByBarcode(tx, to)
  // The other pet has lost it between the two statements.
  if (!holder) throw new Stale(`barcode ${to}`)
  throw barcodeTaken(to, holder)
}
