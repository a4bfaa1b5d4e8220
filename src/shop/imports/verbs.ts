import type { Page } from '../../contract/operation.ts'
import type { Reader, Tx } from '../../database/engine.ts'
import { readBoolean, sql, storedBoolean } from '../../database/statement.ts'
import { formatInstant, storedInstant } from '../../values/instant.ts'
import { similarName } from '../../values/similar-name.ts'
import { DAY_MS } from '../../values/time-zone.ts'
import { createCategory } from '../categories/verbs.ts'
import type { Context } from '../kernel/context.ts'
import type { CommandHandler, CommandsOf, QueriesOf } from '../kernel/handlers.ts'
import { SWEPT_MAX } from '../kernel/limits.ts'
import { readCurrency } from '../kernel/metadata.ts'
import { findByBarcode } from '../pets/barcodes.ts'
import { recordCreated, recordImport, sweepOldImport } from './changes.ts'
import { ambiguous, noCategory, type OnExisting } from './limits.ts'
import { CategoryNames, categoriesNamed, type KnownCategory, petsNamed } from './names.ts'
import type { imports } from './operations.ts'
import { PetLoader } from './pet-loader.ts'
import { importHasNoEtag } from './refusals.ts'
import type {
  AppliedSlice,
  ImportNameMatches,
  ImportNames,
  ImportPetMatches,
  ImportPetNames,
  ImportProblem,
  ImportRows,
  ImportSlice,
  PastImport,
} from './schema.ts'
import { DISCARDED, markDiscarded, problem, type StagedFile, type StagedRow } from './staged.ts'
import { takeBackImport } from './take-back.ts'

/** A row as the engines return it. */
type StoredRow = Omit<StagedRow, 'hold'> & { readonly hold: bigint }

/** The maximum number of categories among which a similar name is searched, and of names for which one is searched. */
const SIMILAR_MAX = 1000
const SEARCHES_MAX = 10
/** The number of past imports in the list. */
const LISTED_MAX = 20

const stageRow = sql()(`
  INSERT INTO staged_row (import_id, file, line, name, detail, quantity, hold, reorder_at, price, barcode, at)
  VALUES ($importId, $file, $line, $name, $detail, $quantity, $hold, $reorderAt, $price, $barcode, $now)`)

const readStaged = sql<StoredRow>()(`
  SELECT line, name, detail, quantity, hold, reorder_at AS "reorderAt", price, barcode FROM staged_row
  WHERE import_id = $importId AND file = $file AND line > 0 ORDER BY line LIMIT $limit`)

// A row with line 0 says that all rows are staged. Its name says what the import does with pets that exist.
const markComplete = sql()(`
  INSERT INTO staged_row (import_id, file, line, name, detail, quantity, hold, at)
  VALUES ($importId, 'categories', 0, $onExisting, NULL, 0, 0, $now)
  ON CONFLICT (import_id, file, line) DO NOTHING`)
// Two processes that load one import take turns here. Its rows are kept for another day.
const beginSlice = sql<{ onExisting: OnExisting }>()(
  `UPDATE staged_row SET at = $now
  WHERE import_id = $importId AND file = 'categories' AND line = 0 AND at <> '${DISCARDED}'
  RETURNING name AS "onExisting"`,
)
const deleteLoaded = sql()(`
  DELETE FROM staged_row WHERE import_id = $importId AND file = $file AND line > 0 AND line <= $last`)

const deleteStaged = sql()('DELETE FROM staged_row WHERE import_id = $importId')

const listNames = sql<{ name: string }>()(`SELECT name FROM category ORDER BY id LIMIT ${SIMILAR_MAX}`)

const findNextImport = sql<{ importId: bigint; at: string }>()(`
  SELECT import_id AS "importId", at FROM staged_row WHERE import_id > $after ORDER BY import_id, file, line LIMIT 1`)

const selectImports = sql<ListedRow>()(`
  SELECT id, at, key_id AS "keyId", categories_created AS "categoriesCreated", pets_created AS "petsCreated",
    pets_updated AS "petsUpdated", taken_back AS "takenBack",
    (SELECT count(*) FROM (SELECT 1 FROM import_change WHERE import_id = import.id LIMIT 1) AS one) AS "hasChanges",
    (SELECT count(*) FROM staged_row WHERE import_id = import.id AND line > 0 AND EXISTS (
      SELECT 1 FROM staged_row AS mark WHERE mark.import_id = import.id AND mark.file = 'categories'
        AND mark.line = 0 AND mark.at <> '${DISCARDED}')) AS "rowsLeft"
  FROM import ORDER BY at DESC, id DESC LIMIT ${LISTED_MAX}`)

/** A past import as the engines return it. */
type ListedRow = Omit<PastImport, 'keyId' | 'hasChanges'> & {
  readonly keyId: bigint | null
  readonly hasChanges: bigint
}

// Deletes from the end, because the first row marks the others as deletable.
const sweepImport = sql()(`
  DELETE FROM staged_row WHERE import_id = $importId AND (file, line) IN
    (SELECT file, line FROM staged_row WHERE import_id = $importId ORDER BY file DESC, line DESC LIMIT ${SWEPT_MAX})`)

/** How long the rows of an interrupted import are kept, counted from the instant in the first of them. */
const STAGED_KEPT_MS = DAY_MS
/** How long an import can be taken back. */
const CHANGES_KEPT_MS = 30 * DAY_MS

/** Stages rows of categories and pets. They are not visible until they are applied or loaded. */
async function stageImport(
  tx: Tx,
  { importId, body }: { importId: bigint; body: ImportRows },
  context: Context,
): Promise<undefined> {
  const { now } = context
  for (const { line, name, description: detail = null } of body.categories) {
    const pet = { quantity: 0n, hold: storedBoolean(false), reorderAt: null, price: null, barcode: null }
    tx.write(stageRow, { importId, file: 'categories', line, name, detail, ...pet, now })
  }
  for (const { category: detail, reorderAt = null, price = null, barcode = null, ...row } of body.pets) {
    const hold = storedBoolean(row.hold)
    tx.write(stageRow, { importId, file: 'pets', ...row, detail, hold, reorderAt, price, barcode, now })
  }
  return undefined
}

/**
 * Returns the names of the categories that each name may mean, and otherwise a similar name. An importer checks the
 * names of its rows before it loads any row.
 */
async function findImportCategories(tx: Tx, { body }: { body: ImportNames }): Promise<ImportNameMatches> {
  let listed: string[] | undefined
  let searches = 0
  const matches: ImportNameMatches['matches'] = []
  for (const name of body.names) {
    const categories = (await categoriesNamed(tx, name)).map(category => category.name)
    // Comparing many names would hold up all other requests.
    const isSearched = categories.length === 0 && searches++ < SEARCHES_MAX
    if (isSearched) listed ??= (await tx.many(listNames)).map(category => category.name)
    const similar = isSearched ? similarName(name, listed ?? []) : undefined
    matches.push({ categories, ...(similar !== undefined && { similar }) })
  }
  return { matches, currency: await readCurrency(tx) }
}

/** Returns how many of each pet exist, at most two: pets of its name in the category that the given name means. */
async function findImportPets(tx: Tx, { body }: { body: ImportPetNames }): Promise<ImportPetMatches> {
  const names = new CategoryNames(tx)
  const found: bigint[] = []
  for (const { name, category } of body.pets) {
    const categoryId = await names.find(category, { withCase: false })
    const ids = typeof categoryId === 'bigint' ? await petsNamed(tx, categoryId, name) : []
    found.push(BigInt(Math.min(ids.length, 2)))
  }
  const holders: (string | null)[] = []
  for (const barcode of body.barcodes ?? []) holders.push((await findByBarcode(tx, barcode))?.name ?? null)
  return { found, holders }
}

/**
 * Loads the next staged rows, categories first. The same transaction deletes them from the staged rows, so a slice can
 * be sent again after a lost response, and an interrupted import continues with the next rows. A row that cannot be
 * loaded is reported and left out.
 */
async function loadImportSlice(
  tx: Tx,
  { importId, body }: { importId: bigint; body: ImportSlice },
  context: Context,
): Promise<AppliedSlice> {
  const problems: ImportProblem[] = []
  const counts = {
    categoriesCreated: 0n,
    categoriesFound: 0n,
    petsCreated: 0n,
    petsUpdated: 0n,
    petsSkipped: 0n,
  }
  if (body.begins && !(await isDiscarded(tx, importId))) {
    const { onExisting = 'load' } = body
    await tx.run(markComplete, { importId, onExisting, now: context.now })
  }
  const complete = await tx.one(beginSlice, { importId, now: context.now })
  if (!complete) return { ...counts, problems, isKnown: false, isLast: true }
  const names = new CategoryNames(tx)
  const onExisting = complete.onExisting
  const loader = new PetLoader(tx, context, { importId, names, onExisting })
  const read = async (file: StagedFile, limit: bigint): Promise<StagedRow[]> =>
    (await tx.many(readStaged, { importId, file, limit })).map(decodeRow)
  const categories = await read('categories', body.rows)
  for (const row of categories) {
    const known = await names.find(row.name, { withCase: true })
    if (known === 'several') problems.push(problem('categories', row, ambiguous(row.name)))
    else if (known !== 'none') counts.categoriesFound++
    else {
      await loadCategory(tx, context, row, { importId, names })
      counts.categoriesCreated++
    }
  }
  const petsMax = body.rows - BigInt(categories.length)
  const pets = await read('pets', petsMax)
  for (const row of pets) {
    const refusal = refusalOfPet(row, await names.find(row.detail ?? '', { withCase: false }))
    if (refusal) {
      problems.push(refusal)
      continue
    }
    const loaded = await loader.load(row)
    if (loaded === 'created') counts.petsCreated++
    else if (loaded === 'updated') counts.petsUpdated++
    else if (loaded === 'skipped') counts.petsSkipped++
    else problems.push(problem('pets', row, loaded))
  }
  await loader.count()
  const isLast = BigInt(pets.length) < petsMax
  if (isLast) await tx.run(deleteStaged, { importId })
  else {
    for (const [file, last] of [
      ['categories', categories.at(-1)],
      ['pets', pets.at(-1)],
    ] as const)
      if (last) await tx.run(deleteLoaded, { importId, file, last: last.line })
  }
  recordImport(tx, importId, { ...counts, problems }, context)
  return { ...counts, problems, isKnown: true, isLast }
}

async function isDiscarded(tx: Tx, importId: bigint): Promise<boolean> {
  const first = await tx.one(findNextImport, { after: importId - 1n })
  return first?.importId === importId && first.at === DISCARDED
}

/** Marks the staged rows of an import, so that the next sweep deletes them: there can be a million. */
async function discardImport(tx: Tx, { importId }: { importId: bigint }): Promise<undefined> {
  await tx.run(markDiscarded, { importId })
  return undefined
}

/**
 * Deletes at most 1,000 rows that were discarded or staged more than a day ago, or changes of an import that can no
 * longer be taken back. Returns their number.
 */
export async function sweepStagedRows(tx: Tx, _: object, { now }: Context): Promise<number> {
  const before = storedInstant(Date.parse(now) - STAGED_KEPT_MS)
  for (let after = -1n; ; ) {
    const next = await tx.one(findNextImport, { after })
    if (!next) return sweepOldImport(tx, storedInstant(Date.parse(now) - CHANGES_KEPT_MS))
    if (next.at < before) return tx.run(sweepImport, { importId: next.importId })
    after = next.importId
  }
}

async function loadCategory(
  tx: Tx,
  context: Context,
  { name, detail }: StagedRow,
  { importId, names }: { readonly importId: bigint; readonly names: CategoryNames },
): Promise<void> {
  const { id } = await createCategory(tx, { body: { name, description: detail } }, context)
  recordCreated(tx, importId, 'categories', id)
  names.add(name, id)
}

function decodeRow(row: StoredRow): StagedRow {
  return { ...row, hold: readBoolean(row.hold) }
}

function refusalOfPet(row: StagedRow, found: KnownCategory): ImportProblem | undefined {
  if (found === 'none') return problem('pets', row, noCategory(row.detail ?? ''))
  if (found === 'several') return problem('pets', row, ambiguous(row.detail ?? ''))
  return undefined
}

/** Refuses If-Match, which cannot match a target without a representation (RFC 9110, section 13.1.1). */
function withoutEtag<I, R>(verb: (tx: Tx, input: I) => Promise<R>): CommandHandler<I, R> {
  return async (tx, input, _, { ifMatch }) => {
    if (ifMatch !== undefined) throw importHasNoEtag()
    return verb(tx, input)
  }
}

export const importCommands: CommandsOf<typeof imports> = {
  stageImport,
  findImportCategories,
  findImportPets,
  loadImportSlice,
  discardImport: withoutEtag(discardImport),
  takeBackImport,
}

/** Returns the newest imports whose changes are kept. */
async function listImports(reader: Reader): Promise<Page<PastImport>> {
  const rows = await reader.many(selectImports)
  return {
    items: rows.map(({ keyId, at, hasChanges, ...row }) => ({
      ...row,
      hasChanges: readBoolean(hasChanges),
      at: formatInstant(at),
      ...(keyId !== null && { keyId }),
    })),
  }
}

export const importQueries: QueriesOf<typeof imports> = { listImports }
