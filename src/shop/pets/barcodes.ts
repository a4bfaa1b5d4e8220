import { type Reader, Stale, type Tx } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { barcodeForms, barcodeKey } from '../../values/barcode.ts'
import { petColumns, type StoredPet } from '../stock/rows.ts'
import { barcodeTaken } from './refusals.ts'

// Earlier versions wrote a barcode as it was sent, and not its key.
const IS_EQUAL = 'barcode IN ($form1, $form2, $form3, $form4)'

// A violated key would end the transaction on PostgreSQL. This waits for another one that inserts the same barcode.
const insertBarcode = sql()(`
  INSERT INTO pet_barcode (barcode, pet_id) SELECT CAST($key AS TEXT), CAST($petId AS BIGINT)
  WHERE NOT EXISTS (SELECT 1 FROM pet_barcode WHERE ${IS_EQUAL}) ON CONFLICT (barcode) DO NOTHING`)
const deleteBarcode = sql()(`DELETE FROM pet_barcode WHERE ${IS_EQUAL} AND pet_id = $petId`)

const selectPet = sql<StoredPet>()(`
  SELECT ${petColumns} FROM pet WHERE id = (SELECT pet_id FROM pet_barcode WHERE ${IS_EQUAL}
    ORDER BY CASE WHEN barcode = $barcode THEN 0 ELSE 1 END LIMIT 1)`)

function formsOf(barcode: string) {
  const [form1 = barcode, form2 = form1, form3 = form2, form4 = form3] = barcodeForms(barcode)
  return { form1, form2, form3, form4 }
}

/** Returns the pet with this barcode, whatever zeros are before it; undefined if there is none. */
export function findByBarcode(
  reader: Reader,
  barcode: string,
): StoredPet | undefined | Promise<StoredPet | undefined> {
  return reader.one(selectPet, { barcode, ...formsOf(barcode) })
}

/** Gives a pet another barcode, or takes its barcode away. Throws `barcode_taken`. */
export async function changeBarcode(
  tx: Tx,
  petId: bigint,
  { from = null, to = null }: { readonly from?: string | null; readonly to?: string | null },
): Promise<void> {
  if (from === to) return
  if (from !== null) tx.write(deleteBarcode, { petId, ...formsOf(from) })
  if (to === null) return
  if ((await tx.run(insertBarcode, { key: barcodeKey(to), petId, ...formsOf(to) })) > 0) return
  const holder = await findByBarcode(tx, to)
  // The other pet has lost it between the two statements.
  if (!holder) throw new Stale(`barcode ${to}`)
  throw barcodeTaken(to, holder)
}
