import type { Reader, Tx } from '../engine/engine.ts'
import { readBoolean, sql, storedBoolean } from '../engine/statement.ts'
import type { ImportOutcome, ImportProblem, ImportRows, ImportScope } from '../model/import.ts'
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

/** The maximum number of rows that one sweep deletes. */
const SWEPT_MAX = 1000
/** Replaces the instant in the first row of a discarded import. It sorts first, so the next sweep deletes the rows. */
const DISCARDED = ''

const stageRow = sql()(`
  INSERT INTO staged_row (import_id, file, line, name, detail, quantity, hold, at)
  VALUES ($importId, $file, $line, $name, $detail, $quantity, $hold, $now)`)

const readStaged = sql<Omit<StagedRow, 'hold'> & { readonly hold: bigint }>()(`
  SELECT line, name, detail, quantity, hold FROM staged_row
  WHERE import_id = $importId AND file = $file AND line > $after ORDER BY line LIMIT 1000`)

const forget = sql()('DELETE FROM staged_row WHERE import_id = $importId')

const findNamed = sql<{ id: bigint }>()(
  'SELECT id FROM category WHERE name_key = $nameKey AND name = $name ORDER BY id LIMIT 2',
)

const findNextImport = sql<{ importId: bigint; at: string }>()(`
  SELECT import_id AS "importId", at FROM staged_row WHERE import_id > $after ORDER BY import_id, file, line LIMIT 1`)

// Deletes from the end, because the first row says that the others can be deleted.
const sweepImport = sql()(`
  DELETE FROM staged_row WHERE import_id = $importId AND (file, line) IN
    (SELECT file, line FROM staged_row WHERE import_id = $importId ORDER BY file DESC, line DESC LIMIT ${SWEPT_MAX})`)

const markDiscarded = sql()(`
  UPDATE staged_row SET at = '${DISCARDED}' WHERE import_id = $importId AND (file, line) IN
    (SELECT file, line FROM staged_row WHERE import_id = $importId ORDER BY file, line LIMIT 1)`)

/** An importer that is interrupted leaves rows behind. They are deleted this long after its first row was staged. */
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
    if (known === 'new') problems.push(problem('categories', row, `the category "${row.name}" occurs twice`))
    else if (known === 'several') problems.push(problem('categories', row, ambiguous(row.name)))
    else if (known === 'none') newCategories.push(names.announce(row))
    else categoriesFound++
  }
  let petCount = 0n
  for await (const row of staged(tx, importId, 'pets')) {
    const found = await names.find(row.detail ?? '')
    if (found === 'none') problems.push(problem('pets', row, `there is no category "${row.detail}"`))
    else if (found === 'several') problems.push(problem('pets', row, ambiguous(row.detail ?? '')))
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

/** Marks the staged rows of an import for the next sweep. There can be a million of them. */
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
  for (const { name, detail } of newCategories) {
    const { id } = await createCategory(tx, { body: { name, description: detail } }, context)
    names.created(name, id)
  }
  for await (const row of staged(tx, importId, 'pets')) {
    const category = await names.find(row.detail ?? '')
    if (typeof category !== 'bigint') continue
    const onHold = row.hold && row.quantity > 0n
    const stock = { quantity: row.quantity, reserved: 0n, onHold }
    await addPet(tx, context, { name: row.name, categoryId: category, stock })
  }
}

/** Looks up the categories that the rows name, each of them once. */
class CategoryNames {
  readonly #reading: Reader
  readonly #known = new Map<string, bigint | 'none' | 'several' | 'new'>()

  constructor(reader: Reader) {
    this.#reading = reader
  }

  /**
   * Returns the id of the only category with this name; otherwise `none`, `several`, or `new` if this import creates
   * it.
   */
  async find(name: string): Promise<bigint | 'none' | 'several' | 'new'> {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const rows = await this.#reading.many(findNamed, { nameKey: nameKey(name), name })
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

async function* staged(
  reader: Reader,
  importId: bigint,
  file: 'categories' | 'pets',
): AsyncGenerator<StagedRow> {
  let after = 0n
  for (;;) {
    const rows = await reader.many(readStaged, { importId, file, after })
    yield* rows.map(row => ({ ...row, hold: readBoolean(row.hold) }))
    const last = rows.at(-1)
    if (!last) return
    after = last.line
  }
}

function problem(file: 'categories' | 'pets', { line }: StagedRow, message: string): ImportProblem {
  return { file, line, message }
}

function ambiguous(name: string): string {
  return `there are several categories "${name}" in the store: rename one`
}
