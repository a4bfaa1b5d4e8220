import { refuseOtherIds } from '../../contract/error.ts'
import type { Input, Page } from '../../contract/operation.ts'
import { type Reader, Stale, type Tx } from '../../database/engine.ts'
import { mapRead } from '../../database/map-read.ts'
import { sql } from '../../database/statement.ts'
import { nameKey, sortKey } from '../../values/text.ts'
import type { Context } from '../kernel/context.ts'
import { type CommandsOf, onResource, type QueriesOf } from '../kernel/handlers.ts'
import { currencyColumn, type WithCurrency } from '../kernel/metadata.ts'
import { listPage, namePrefix, sortByName } from '../kernel/paging.ts'
import { type EventSubject, recordEvent } from '../log/recording.ts'
import type { categories } from './operations.ts'
import { categoryInUse, categoryNotFound } from './refusals.ts'
import type { Category, CategoryPatch, NewCategory } from './schema.ts'

interface CategoryRow {
  readonly id: bigint
  readonly name: string
  readonly description: string | null
  readonly version: bigint
}

const categoryColumns = 'id, name, description, version'

export const findCategory = sql<CategoryRow & { readonly petCount: bigint }>()(
  `SELECT ${categoryColumns}, pet_count AS "petCount" FROM category WHERE id = $categoryId`,
)

const insertCategory = sql<CategoryRow>()(`
  INSERT INTO category (id, name, name_key, sort_key, description, pet_count, version, created_at, updated_at)
  VALUES ($categoryId, $name, $nameKey, $sortKey, $description, 0, 1, $now, $now) RETURNING ${categoryColumns}`)

const rewriteCategory = sql<CategoryRow>()(`
  UPDATE category SET name = $name, name_key = $nameKey, sort_key = $sortKey, description = $description,
    version = version + 1, updated_at = $now
  WHERE id = $categoryId AND version = $version RETURNING ${categoryColumns}`)

const removeEmptyCategory = sql<CategoryRow>()(`
  DELETE FROM category WHERE id = $categoryId AND version = $version AND pet_count = 0
  RETURNING ${categoryColumns}`)

// One statement counts the pet and checks the reference, which closes the race with deleting the category.
const countPetsIn = sql<WithCurrency>()(`
  UPDATE category SET pet_count = pet_count + $pets WHERE id = $categoryId RETURNING ${currencyColumn}`)
const countPetOut = sql()('UPDATE category SET pet_count = pet_count - 1 WHERE id = $categoryId')

/**
 * Returns a page of categories. Throws `invalid_cursor`, and `invalid_parameter` for a sort that the filter excludes.
 */
export async function listCategories(
  reader: Reader,
  input: Input<typeof categories.listCategories>,
): Promise<Page<Category>> {
  const { name } = input
  return listPage(
    reader,
    {
      list: 'listCategories',
      table: 'category',
      columns: categoryColumns,
      input,
      filters: { name },
      sort: sortByName(input.sort, name),
      branches: [name === undefined ? [] : namePrefix(name)],
    },
    categoryOf,
  )
}

/** Returns the row of a category. Throws `category_not_found`. */
function getCategory(
  reader: Reader,
  { categoryId }: { categoryId: bigint },
): CategoryRow | Promise<CategoryRow> {
  return mapRead(reader.one(findCategory, { categoryId }), category => {
    if (!category) throw categoryNotFound(categoryId)
    return category
  })
}

/** Creates a category and returns it. */
export async function createCategory(
  tx: Tx,
  { body }: { body: NewCategory },
  context: Context,
): Promise<Category> {
  const { name, description } = body
  const row = await tx.one(insertCategory, {
    categoryId: await tx.nextId('category'),
    name,
    nameKey: nameKey(name),
    sortKey: sortKey(name),
    description: description ?? null,
    now: context.now,
  })
  if (!row) throw new Error('an INSERT returned no row')
  await recordEvent(tx, context, { type: 'petstore.category.created', ...aboutCategory(row) })
  return categoryOf(row)
}

/** Updates a category; `description: null` removes the description. Throws `validation_failed` for a different `id`. */
async function updateCategory(
  tx: Tx,
  { categoryId, body }: { categoryId: bigint; body: CategoryPatch },
  context: Context,
  before: CategoryRow,
): Promise<Category> {
  refuseOtherIds(body, { id: categoryId })
  const name = body.name ?? before.name
  const description = body.description === undefined ? before.description : body.description
  if (name === before.name && description === before.description) return categoryOf(before)
  const row = await tx.one(rewriteCategory, {
    categoryId,
    version: before.version,
    name,
    nameKey: nameKey(name),
    sortKey: sortKey(name),
    description,
    now: context.now,
  })
  if (!row) throw new Stale(`category ${categoryId}`)
  await recordEvent(tx, context, { type: 'petstore.category.updated', ...aboutCategory(row) })
  return categoryOf(row)
}

/** Deletes a category without pets. Throws `category_not_found`, `category_in_use`. */
export async function deleteCategory(
  tx: Tx,
  { categoryId }: { categoryId: bigint },
  context: Context,
  { version }: CategoryRow,
): Promise<undefined> {
  const removed = await tx.one(removeEmptyCategory, { categoryId, version })
  if (!removed) {
    const current = await getCategory(tx, { categoryId })
    if (current.version !== version) throw new Stale(`category ${categoryId}`)
    throw categoryInUse(categoryId)
  }
  const category = { ...removed, version: removed.version + 1n }
  await recordEvent(tx, context, { type: 'petstore.category.deleted', ...aboutCategory(category) })
  return undefined
}

/** Adds to the pet count of a category. Returns undefined if the category does not exist. */
export function addToCategory(
  tx: Tx,
  categoryId: bigint,
  pets = 1n,
): WithCurrency | undefined | Promise<WithCurrency | undefined> {
  return tx.one(countPetsIn, { categoryId, pets })
}

export async function removeFromCategory(tx: Tx, categoryId: bigint): Promise<void> {
  if ((await tx.run(countPetOut, { categoryId })) !== 1)
    throw new Error(`category ${categoryId} of a pet is missing`)
}

function aboutCategory(category: CategoryRow): EventSubject {
  const { id, version } = category
  return { subject: `categories/${id}`, subjectVersion: version, petId: null, data: categoryOf(category) }
}

/** Returns the resource for a row, with a description only if there is one. */
function categoryOf({ id, name, description }: CategoryRow): Category {
  return { id, name, ...(description !== null && { description }) }
}

export const categoryQueries: QueriesOf<typeof categories> = {
  listCategories,
  getCategory: (reader, input) => mapRead(getCategory(reader, input), categoryOf),
}

export const categoryCommands: CommandsOf<typeof categories> = {
  createCategory,
  updateCategory: onResource(getCategory, categoryOf, updateCategory),
  deleteCategory: onResource(getCategory, categoryOf, deleteCategory),
}
