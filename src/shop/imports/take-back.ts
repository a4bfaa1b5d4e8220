import { Stale, type Tx } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { deleteCategory, findCategory } from '../categories/verbs.ts'
import { changeQuantity, setLevelOf } from '../inventory/verbs.ts'
import type { Context } from '../kernel/context.ts'
import { findByBarcode } from '../pets/barcodes.ts'
import type { PetPatch } from '../pets/schema.ts'
import { deletePet, updatePet } from '../pets/verbs.ts'
import { findPet, type PetRow } from '../stock/rows.ts'
import type { ImportChange } from './changes.ts'
import type { ImportTakeBack, TakenBack } from './schema.ts'
import { markDiscarded } from './staged.ts'

type Kept = TakenBack['kept'][number]

const findImport = sql<{ id: bigint }>()('SELECT id FROM import WHERE id = $importId')

// The pets come before their categories, which can be deleted only when they are empty.
const readChanges = sql<ImportChange>()(`
  SELECT file, row_id AS "rowId", version, version_before AS "versionBefore", category_id AS "categoryId", price,
    barcode, quantity, reorder_at AS "reorderAt", on_hold AS "onHold"
  FROM import_change WHERE import_id = $importId AND (file, row_id) < ($file, $rowId)
  ORDER BY file DESC, row_id DESC LIMIT $rows`)
const deleteChange = sql()(
  'DELETE FROM import_change WHERE import_id = $importId AND file = $file AND row_id = $rowId',
)
// The pet is again as an earlier import left it, so that one can be taken back too.
const moveVersion = sql()(`
  UPDATE import_change SET version = $version WHERE row_id = $petId AND version = $versionBefore AND file = 'pets'`)
const countTakenBack = sql()('UPDATE import SET taken_back = taken_back + $taken WHERE id = $importId')

/** Sorts after every file. */
const END = 'z'

/**
 * Takes back the next changes of an import: deletes what it created, and gives a pet that it updated what it had
 * before. What was changed since stays, and is returned with the reason. With `dryRun`, changes nothing. The slice may
 * be repeated: a change that was taken back is no longer there.
 */
export async function takeBackImport(
  tx: Tx,
  { importId, body }: { importId: bigint; body: ImportTakeBack },
  context: Context,
): Promise<TakenBack> {
  const { rows, dryRun, after } = body
  if (!(await tx.one(findImport, { importId }))) return { isKnown: false, takenBack: 0n, kept: [] }
  // What is not loaded yet must not be loaded after that.
  if (!dryRun) await tx.run(markDiscarded, { importId })
  const { file, rowId } = after ?? { file: END, rowId: 0n }
  const changes = await tx.many(readChanges, { importId, file, rowId, rows })
  const kept: Kept[] = []
  let reverted = 0
  for (const change of changes) {
    const why =
      change.file === 'pets' ? await petToKeep(tx, change) : await categoryToKeep(tx, change, dryRun)
    if (why) kept.push(why)
    else if (!dryRun) {
      await revert(tx, importId, change, context)
      // On PostgreSQL, another process may take back the same import.
      reverted += await tx.run(deleteChange, { importId, file: change.file, rowId: change.rowId })
    }
  }
  const takenBack = dryRun ? BigInt(changes.length - kept.length) : BigInt(reverted)
  if (!dryRun && takenBack > 0n) await tx.run(countTakenBack, { importId, taken: takenBack })
  const last = changes.at(-1)
  const isLast = BigInt(changes.length) < rows
  return {
    isKnown: true,
    takenBack,
    kept,
    ...(last && !isLast && { next: { file: last.file, rowId: last.rowId } }),
  }
}

/** Returns why a pet stays as it is; undefined if its change can be taken back, or if it was deleted. */
async function petToKeep(tx: Tx, change: ImportChange): Promise<Kept | undefined> {
  const pet = await findPet(tx, change.rowId)
  if (!pet) return undefined
  const { id, name } = pet
  if (pet.version !== change.version) return { file: 'pets', id, name, reason: 'changed' }
  if (change.categoryId === null) return undefined
  const holder = change.barcode === null ? undefined : await findByBarcode(tx, change.barcode)
  if (holder && holder.id !== id) return { file: 'pets', id, name, reason: 'barcode_taken' }
  const category = await tx.one(findCategory, { categoryId: change.categoryId })
  return category ? undefined : { file: 'pets', id, name, reason: 'category_deleted' }
}

/** Returns why a category stays. In a dry run, its pets are still there, so only its own changes count. */
async function categoryToKeep(tx: Tx, change: ImportChange, dryRun: boolean): Promise<Kept | undefined> {
  const category = await tx.one(findCategory, { categoryId: change.rowId })
  if (!category) return undefined
  const { id, name } = category
  if (category.version !== change.version) return { file: 'categories', id, name, reason: 'changed' }
  return category.petCount > 0n && !dryRun ? { file: 'categories', id, name, reason: 'in_use' } : undefined
}

async function revert(tx: Tx, importId: bigint, change: ImportChange, context: Context): Promise<void> {
  if (change.file === 'categories') {
    const category = await tx.one(findCategory, { categoryId: change.rowId })
    if (!category) return
    // On PostgreSQL, another command may have committed since `categoryToKeep` read the category.
    if (category.version !== change.version || category.petCount > 0n)
      throw new Stale(`category ${category.id}`)
    await deleteCategory(tx, { categoryId: category.id }, context, category)
    return
  }
  const pet = await findPet(tx, change.rowId)
  if (!pet) return
  // As above: it may have been sold.
  if (pet.version !== change.version) throw new Stale(`pet ${pet.id}`)
  const { versionBefore, categoryId, price, barcode, quantity, reorderAt } = change
  if (versionBefore === null || categoryId === null || quantity === null) {
    await deletePet(tx, { petId: pet.id }, context, pet)
    return
  }
  const note = `import ${importId}`
  const restocked = await restock(tx, context, pet, { quantity, reorderAt, note, reason: 'adjustment' })
  // A pet whose last unit goes is no longer on hold.
  const isHoldLost = change.onHold === 1n && !restocked.onHold && restocked.status === 'available'
  const body = { categoryId, price, barcode, ...(isHoldLost && { status: 'pending' as const }) }
  const { version } = await rewrite(tx, context, restocked, body)
  await tx.run(moveVersion, { petId: pet.id, version, versionBefore })
}

interface Restocking {
  readonly quantity: bigint
  readonly reorderAt: bigint | null
  readonly reason: 'count' | 'adjustment'
  readonly note: string
}

/**
 * Gives a pet another quantity and another level, and returns its row. Throws `stock_below_reserved`,
 * `stock_out_of_bounds`.
 */
export async function restock(
  tx: Tx,
  context: Context,
  pet: PetRow,
  { quantity, reorderAt, reason, note }: Restocking,
): Promise<PetRow> {
  const change = { quantityChange: quantity - pet.quantity, reason, note }
  const { pet: row } =
    change.quantityChange === 0n ? { pet } : await changeQuantity(tx, context, pet.id, change, pet.version)
  return reorderAt === pet.reorderAt ? row : setLevelOf(tx, context, row, reorderAt)
}

/**
 * Updates a pet, and returns its row; the same one if nothing changes. The row is not read again then: another command
 * may have changed it.
 */
export async function rewrite(tx: Tx, context: Context, pet: PetRow, body: PetPatch): Promise<PetRow> {
  const isSame = Object.entries(body).every(([name, value]) => Reflect.get(pet, name) === value)
  if (isSame) return pet
  await updatePet(tx, { petId: pet.id, body }, context, pet)
  return await current(tx, pet)
}

/** Returns the row of a pet that this transaction has just written. */
async function current(tx: Tx, { id }: PetRow): Promise<PetRow> {
  const pet = await findPet(tx, id)
  if (!pet) throw new Error(`pet ${id} was deleted in its own transaction`)
  return pet
}
