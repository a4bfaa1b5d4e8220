import type { Reader, Tx } from '../engine/engine.ts'
import { readBoolean, sql, storedBoolean } from '../engine/statement.ts'
import {
  ambiguous,
  type ImportNameCounts,
  type ImportNames,
  type ImportOutcome,
  type ImportProblem,
  type ImportRows,
  type ImportScope,
  type ImportSlice,
  type ImportSliceOutcome,
  noCategory,
  occursTwice,
} from '../model/import.ts'
import { storedInstant } from '../model/instant.ts'
import { nameKey } from '../model/text.ts'
import { createCategory } from './categories.ts'
import type { Context } from './context.ts'
import { addPet } from './pets.ts'

interface StagedRow {
  readonly line: bigint
  readonly name: string
  /** The description of a category, or the category name of a pet. */
  readonly detail: string | null
  readonly quantity: bigint
  readonly hold: boolean
}

/** A row as the engines return it. */
type StoredRow = Omit<StagedRow, 'hold'> & { readonly hold: bigint }

type StagedFile = ImportProblem['file']

const STAGED_PER_READ = 1000n
/** The maximum number of rows that one sweep deletes. */
const SWEPT_MAX = 1000
/** Replaces the instant in the first row of a discarded import. It sorts first, so the next sweep deletes the rows. */
const DISCARDED = ''

const stageRow = sql()(`
  INSERT INTO staged_row (import_id, file, line, name, detail, quantity, hold, at)
  VALUES ($importId, $file, $line, $name, $detail, $quantity, $hold, $now)`)

const readStaged = sql<StoredRow>()(`
  SELECT line, name, detail, quantity, hold FROM staged_row
  WHERE import_id = $importId AND file = $file AND line > $after ORDER BY line LIMIT $limit`)

// A row with line 0 marks an import as complete: all rows of its files are staged.
const markComplete = sql()(`
  INSERT INTO staged_row (import_id, file, line, name, detail, quantity, hold, at)
  VALUES ($importId, 'categories', 0, '', NULL, 0, 0, $now) ON CONFLICT (import_id, file, line) DO NOTHING`)
const findComplete = sql<{ line: bigint }>()(
  `SELECT line FROM staged_row WHERE import_id = $importId AND file = 'categories' AND line = 0`,
)
const forgetLoaded = sql()(`
  DELETE FROM staged_row WHERE import_id = $importId AND file = $file AND line > 0 AND line <= $last`)

const forget = sql()('DELETE FROM staged_row WHERE import_id = $importId')

const findNamed = sql<{ id: bigint }>()(
  'SELECT id FROM category WHERE name_key = $nameKey AND name = $name ORDER BY id LIMIT 2',
)

const findNextImport = sql<{ importId: bigint; at: string }>()(`
  SELECT import_id AS "importId", at FROM staged_row WHERE import_id > $after ORDER BY import_id, file, line LIMIT 1`)

// Deletes from the end, because the first row marks the others as deletable.
const sweepImport = sql()(`
  DELETE FROM staged_row WHERE import_id = $importId AND (file, line) IN
    (SELECT file, line FROM staged_row WHERE import_id = $importId ORDER BY file DESC, line DESC LIMIT ${SWEPT_MAX})`)

const markDiscarded = sql()(`
  UPDATE staged_row SET at = '${DISCARDED}' WHERE import_id = $importId AND (file, line) IN
    (SELECT file, line FROM staged_row WHERE import_id = $importId ORDER BY file, line LIMIT 1)`)

/** How long the rows of an interrupted import are kept, counted from the instant in the first of them. */
const STAGED_KEPT_MS = 24 * 3_600_000

/** The maximum number of problems reported for one import. */
const PROBLEMS_MAX = 1000

/** Stages rows of a file. They are not visible until they are applied together. */
export async function stageImport(
  tx: Tx,
  { importId, body }: { importId: bigint; body: ImportRows },
  context: Context,
): Promise<undefined> {
  const { now } = context
  for (const { line, name, description: detail = null } of body.categories) {
    const hold = storedBoolean(false)
    await tx.run(stageRow, { importId, file: 'categories', line, name, detail, quantity: 0n, hold, now })
  }
  for (const { line, name, category: detail, quantity, ...row } of body.pets) {
    const hold = storedBoolean(row.hold)
    await tx.run(stageRow, { importId, file: 'pets', line, name, detail, quantity, hold, now })
  }
  return undefined
}

/**
 * Loads staged rows in one transaction: all of them or none, or with `keepGoing` all valid rows. An existing category
 * with the same name is used unchanged. A dry run loads nothing.
 */
export async function applyImport(
  tx: Tx,
  { importId, body }: { importId: bigint; body: ImportScope },
  context: Context,
): Promise<ImportOutcome> {
  const first = await tx.one(findNextImport, { after: importId - 1n })
  if (first?.importId === importId && first.at === DISCARDED) await tx.run(forget, { importId })
  const names = new CategoryNames(tx)
  const problems: ImportProblem[] = []
  const newCategories: StagedRow[] = []
  let categoriesFound = 0n
  for await (const row of staged(tx, importId, 'categories')) {
    const known = await names.find(row.name)
    if (known === 'new') problems.push(problem('categories', row, occursTwice(row.name)))
    else if (known === 'several') problems.push(problem('categories', row, ambiguous(row.name)))
    else if (known === 'none') newCategories.push(names.announce(row))
    else categoriesFound++
  }
  let petCount = 0n
  for await (const row of staged(tx, importId, 'pets')) {
    const refusal = refusalOfPet(row, await names.find(row.detail ?? ''))
    if (refusal) problems.push(refusal)
    else petCount++
  }
  const load = !body.dryRun && (problems.length === 0 || body.keepGoing)
  if (load) await loadRows(tx, context, importId, newCategories, names)
  // The rows are deleted here, not by a sweep, because a second apply must find none. This adds little to the
  // transaction.
  await tx.run(forget, { importId })
  return {
    categoriesCreated: load || body.dryRun ? BigInt(newCategories.length) : 0n,
    categoriesFound,
    petsCreated: load || body.dryRun ? petCount : 0n,
    problems: problems.slice(0, PROBLEMS_MAX),
  }
}

/** Counts the categories with each name. An importer validates the names of its rows before it loads any row. */
export async function countImportNames(tx: Tx, { body }: { body: ImportNames }): Promise<ImportNameCounts> {
  const names = new CategoryNames(tx)
  const counts: bigint[] = []
  for (const name of body.names) {
    const found = await names.find(name)
    counts.push(found === 'none' ? 0n : found === 'several' ? 2n : 1n)
  }
  return { counts }
}

/**
 * Loads the next staged rows, categories first. The same transaction deletes them from the staged rows, so a slice can
 * be sent again after a lost response, and an interrupted import continues with the next rows. A row that cannot be
 * loaded is reported and left out.
 */
export async function loadImportSlice(
  tx: Tx,
  { importId, body }: { importId: bigint; body: ImportSlice },
  context: Context,
): Promise<ImportSliceOutcome> {
  const problems: ImportProblem[] = []
  const counts = { categoriesCreated: 0n, categoriesFound: 0n, petsCreated: 0n }
  if (body.begins) await tx.run(markComplete, { importId, now: context.now })
  else if (!(await tx.one(findComplete, { importId }))) {
    return { ...counts, problems, isKnown: false, isLast: true }
  }
  const names = new CategoryNames(tx)
  const read = async (file: StagedFile): Promise<StagedRow[]> =>
    (await tx.many(readStaged, { importId, file, after: 0n, limit: body.rows })).map(decodeRow)
  const categories = await read('categories')
  for (const row of categories) {
    const known = await names.find(row.name)
    if (known === 'several') problems.push(problem('categories', row, ambiguous(row.name)))
    else if (known !== 'none') counts.categoriesFound++
    else {
      await loadCategory(tx, context, row, names)
      counts.categoriesCreated++
    }
  }
  const pets = categories.length > 0 ? [] : await read('pets')
  for (const row of pets) {
    const refusal = refusalOfPet(row, await names.find(row.detail ?? ''))
    if (refusal) problems.push(refusal)
    else {
      await loadPet(tx, context, row, names)
      counts.petsCreated++
    }
  }
  const file: StagedFile = categories.length > 0 ? 'categories' : 'pets'
  const last = [...categories, ...pets].at(-1)
  const isLast = file === 'pets' && BigInt(pets.length) < body.rows
  if (isLast) await tx.run(forget, { importId })
  else if (last) await tx.run(forgetLoaded, { importId, file, last: last.line })
  return { ...counts, problems, isKnown: true, isLast }
}

/** Marks the staged rows of an import, so that the next sweep deletes them: there can be a million. */
export async function discardImport(tx: Tx, { importId }: { importId: bigint }): Promise<undefined> {
  await tx.run(markDiscarded, { importId })
  return undefined
}

/** Deletes at most 1,000 rows that were discarded, or staged a day ago and not applied. Returns their number. */
export async function sweepStagedRows(tx: Tx, _: object, { now }: Context): Promise<number> {
  const before = storedInstant(Date.parse(now) - STAGED_KEPT_MS)
  for (let after = -1n; ; ) {
    const next = await tx.one(findNextImport, { after })
    if (!next) return 0
    if (next.at < before) return tx.run(sweepImport, { importId: next.importId })
    after = next.importId
  }
}

async function loadRows(
  tx: Tx,
  context: Context,
  importId: bigint,
  newCategories: readonly StagedRow[],
  names: CategoryNames,
): Promise<void> {
  for (const row of newCategories) await loadCategory(tx, context, row, names)
  for await (const row of staged(tx, importId, 'pets')) await loadPet(tx, context, row, names)
}

async function loadCategory(
  tx: Tx,
  context: Context,
  { name, detail }: StagedRow,
  names: CategoryNames,
): Promise<void> {
  const { id } = await createCategory(tx, { body: { name, description: detail } }, context)
  names.created(name, id)
}

/** Creates the pet of a row. Does nothing if its category is not known. */
async function loadPet(tx: Tx, context: Context, row: StagedRow, names: CategoryNames): Promise<void> {
  const categoryId = await names.find(row.detail ?? '')
  if (typeof categoryId !== 'bigint') return
  const stock = { quantity: row.quantity, reserved: 0n, onHold: row.hold && row.quantity > 0n }
  await addPet(tx, context, { name: row.name, categoryId, stock })
}

/** The id of the only category with a name, or why there is no such id; `new` if the import itself creates it. */
type KnownCategory = bigint | 'none' | 'several' | 'new'

/** Looks up the categories that the rows name, each of them once. */
class CategoryNames {
  readonly #reader: Reader
  readonly #known = new Map<string, KnownCategory>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /**
   * Returns the id of the only category with this name; otherwise `none`, `several`, or `new` if this import creates
   * it.
   */
  async find(name: string): Promise<KnownCategory> {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const rows = await this.#reader.many(findNamed, { nameKey: nameKey(name), name })
    const found = rows.length > 1 ? 'several' : (rows[0]?.id ?? 'none')
    this.#known.set(name, found)
    return found
  }

  announce(row: StagedRow): StagedRow {
    this.#known.set(row.name, 'new')
    return row
  }

  created(name: string, id: bigint): void {
    this.#known.set(name, id)
  }
}

async function* staged(reader: Reader, importId: bigint, file: StagedFile): AsyncGenerator<StagedRow> {
  let after = 0n
  for (;;) {
    const rows = await reader.many(readStaged, { importId, file, after, limit: STAGED_PER_READ })
    yield* rows.map(decodeRow)
    const last = rows.at(-1)
    if (!last) return
    after = last.line
  }
}

function decodeRow(row: StoredRow): StagedRow {
  return { ...row, hold: readBoolean(row.hold) }
}

/** Returns why a pet cannot be loaded, from what is known about its category; undefined if it can. */
function refusalOfPet(row: StagedRow, found: KnownCategory): ImportProblem | undefined {
  if (found === 'none') return problem('pets', row, noCategory(row.detail ?? ''))
  if (found === 'several') return problem('pets', row, ambiguous(row.detail ?? ''))
  return undefined
}

function problem(file: StagedFile, { line }: StagedRow, message: string): ImportProblem {
  return { file, line, message }
}
