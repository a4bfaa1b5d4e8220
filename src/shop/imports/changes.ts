import type { Tx } from '../../database/engine.ts'
import { sql, storedBoolean } from '../../database/statement.ts'
import type { Context } from '../kernel/context.ts'
import { SWEPT_MAX } from '../kernel/limits.ts'
import type { PetRow } from '../stock/rows.ts'
import type { AppliedImport } from './schema.ts'
import type { StagedFile } from './staged.ts'

// What each import has changed is kept, so that it can be taken back.

/** A change as it is stored; the members after `version` are null for a row that the import created. */
export interface ImportChange {
  readonly file: StagedFile
  readonly rowId: bigint
  readonly version: bigint
  readonly versionBefore: bigint | null
  readonly categoryId: bigint | null
  readonly price: bigint | null
  readonly barcode: string | null
  readonly quantity: bigint | null
  readonly reorderAt: bigint | null
  readonly onHold: bigint | null
}

const countImport = sql()(`
  INSERT INTO import (id, at, key_id, categories_created, pets_created, pets_updated, taken_back)
  VALUES ($importId, $now, $keyId, $categoriesCreated, $petsCreated, $petsUpdated, 0)
  ON CONFLICT (id) DO UPDATE SET categories_created = import.categories_created + excluded.categories_created,
    pets_created = import.pets_created + excluded.pets_created,
    pets_updated = import.pets_updated + excluded.pets_updated`)

// A pet that two rows change keeps what it had before the first of them. If it was changed between them, it is never as
// the import left it.
const insertChange = sql()(`
  INSERT INTO import_change (import_id, file, row_id, version, version_before, category_id, price, barcode, quantity,
    reorder_at, on_hold)
  VALUES ($importId, $file, $rowId, $version, $versionBefore, $categoryId, $price, $barcode, $quantity, $reorderAt,
    $onHold)
  ON CONFLICT (import_id, file, row_id) DO UPDATE SET version =
    CASE WHEN import_change.version = excluded.version_before THEN excluded.version ELSE 0 END`)

const oldImport = sql<{ id: bigint }>()('SELECT id FROM import WHERE at < $before ORDER BY at LIMIT 1')
const deleteChanges = sql()(`
  DELETE FROM import_change WHERE import_id = $importId AND (file, row_id) IN
    (SELECT file, row_id FROM import_change WHERE import_id = $importId ORDER BY file, row_id LIMIT ${SWEPT_MAX})`)
const deleteImport = sql()('DELETE FROM import WHERE id = $importId')

/** Counts what an import, or one of its slices, has changed. An import that changed nothing is not kept. */
export function recordImport(tx: Tx, importId: bigint, counts: AppliedImport, context: Context): void {
  const { categoriesCreated, petsCreated, petsUpdated } = counts
  if (categoriesCreated + petsCreated + petsUpdated === 0n) return
  const { now, caller } = context
  tx.write(countImport, { importId, now, keyId: caller.keyId, categoriesCreated, petsCreated, petsUpdated })
}

/** Records a row that an import created. */
export function recordCreated(tx: Tx, importId: bigint, file: StagedFile, rowId: bigint): void {
  const stock = { quantity: null, reorderAt: null, onHold: null }
  const before = { versionBefore: null, categoryId: null, price: null, barcode: null, ...stock }
  tx.write(insertChange, { importId, file, rowId, version: 1n, ...before })
}

/** Records what a pet had before an import updated it, and its version after that. */
export function recordUpdated(tx: Tx, importId: bigint, before: PetRow, version: bigint): void {
  const { id: rowId, version: versionBefore, categoryId, price, barcode, quantity, reorderAt } = before
  const onHold = storedBoolean(before.onHold)
  const values = { versionBefore, categoryId, price, barcode, quantity, reorderAt, onHold }
  tx.write(insertChange, { importId, file: 'pets', rowId, version, ...values })
}

/** Deletes at most 1,000 changes of an import from before an instant. Returns their number, or that of the import. */
export async function sweepOldImport(tx: Tx, before: string): Promise<number> {
  const old = await tx.one(oldImport, { before })
  if (!old) return 0
  const deleted = await tx.run(deleteChanges, { importId: old.id })
  return deleted > 0 ? deleted : tx.run(deleteImport, { importId: old.id })
}
