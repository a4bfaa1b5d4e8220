import { contract } from '../contract/contract.ts'
import type { Input, Page } from '../contract/operation.ts'
import type { Reader } from '../engine/engine.ts'
import type { Category } from '../model/category.ts'
import type { InventoryItem } from '../model/inventory.ts'
import { type Pet, PetStatus } from '../model/pet.ts'
import { sortExcludedByFilter } from '../model/refusals.ts'
import { nameKey, prefixEnd } from '../model/text.ts'
import { categoryColumns, categoryOf } from './categories.ts'
import { type Condition, compares, equals, isIn, listPage, padded } from './lists.ts'
import { petColumns, petOf } from './pet-row.ts'
import { inventoryItem } from './stock.ts'

type Sort = { readonly column: string; readonly descending: boolean }

/** The maximum number of ids in one request. It is also the default limit, so that one page contains them all. */
const IDS_MAX = contract.listPets.query.id.most
const ID_SIZES = [1, IDS_MAX]
const STATUS_SIZES = [1, PetStatus.options.length]

/** Lists pets by any combination of filters. Each combination is an index scan: see the indexes of the table. */
export async function listPets(reader: Reader, input: Input<typeof contract.listPets>): Promise<Page<Pet>> {
  const { id, status, categoryId, name } = input
  const sort = sortBy(input.sort, { name: 'name_key' }, name === undefined ? undefined : 'name')
  const prefix = name === undefined ? [] : namePrefix(name)
  const page = await listPage(
    reader,
    {
      list: 'listPets',
      table: 'pet',
      columns: petColumns,
      input,
      ...(id && { limitDefault: IDS_MAX }),
      filters: { id, status, categoryId, name },
      sort,
      branches: id
        ? [
            [
              isIn('id', padded(distinct(id), ID_SIZES)),
              anyStatus(status),
              ...(categoryId ? [isIn('category_id', padded(distinct(categoryId), [20]))] : []),
              ...prefix,
            ],
          ]
        : petBranches(status, categoryId, prefix),
    },
    petOf,
  )
  return id?.length === 1 && page.items.length === 1 ? { ...page, single: true } : page
}

/** Lists categories. */
export async function listCategories(
  reader: Reader,
  input: Input<typeof contract.listCategories>,
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
      sort: sortBy(input.sort, { name: 'name_key' }, name === undefined ? undefined : 'name'),
      branches: [name === undefined ? [] : namePrefix(name)],
    },
    categoryOf,
  )
}

/** Lists inventory items. A pet and its inventory item are the same row. */
export async function listInventory(
  reader: Reader,
  input: Input<typeof contract.listInventory>,
): Promise<Page<InventoryItem>> {
  const { petId, status, quantityAtMost } = input
  const sort = sortBy(
    input.sort,
    { quantity: 'quantity' },
    quantityAtMost === undefined ? undefined : 'quantity',
  )
  const atMost = quantityAtMost === undefined ? [] : [compares('quantity', '<=', quantityAtMost)]
  const statuses = status ?? (sort.column === 'quantity' ? PetStatus.options : undefined)
  const page = await listPage(
    reader,
    {
      list: 'listInventory',
      table: 'pet',
      columns: petColumns,
      input,
      ...(petId && { limitDefault: IDS_MAX }),
      filters: { petId, status, quantityAtMost },
      sort,
      branches: petId
        ? [[isIn('id', padded(distinct(petId), ID_SIZES)), anyStatus(status), ...atMost]]
        : statuses
          ? padded(distinct(statuses), STATUS_SIZES).map(value => [equals('status', value), ...atMost])
          : [[]],
    },
    inventoryItem,
  )
  return petId?.length === 1 && page.items.length === 1 ? { ...page, single: true } : page
}

/** Returns the requested order. With a filter on a range of a column, a list can only be sorted by that column. */
export function sortBy(
  asked: string | undefined,
  columns: Readonly<Record<string, string>>,
  ranged: string | undefined,
): Sort {
  const name = asked ?? ranged ?? 'id'
  const descending = name.startsWith('-')
  const bare = descending ? name.slice(1) : name
  if (ranged !== undefined && bare !== ranged) {
    throw sortExcludedByFilter(ranged)
  }
  return { column: columns[bare] ?? 'id', descending }
}

/** Returns a branch for each status, category, or pair of both. Each is the leading part of an index. */
function petBranches(
  status: readonly PetStatus[] | undefined,
  categoryId: readonly bigint[] | undefined,
  prefix: readonly Condition[],
): Condition[][] {
  const statuses = padded(distinct(status ?? PetStatus.options), STATUS_SIZES)
  if (!categoryId) return status ? statuses.map(one => [equals('status', one), ...prefix]) : [[...prefix]]
  return padded(distinct(categoryId)).flatMap(category =>
    statuses.map(one => [equals('category_id', category), equals('status', one), ...prefix]),
  )
}

function namePrefix(name: string): Condition[] {
  const from = nameKey(name)
  const to = prefixEnd(from)
  return [compares('name_key', '>=', from), ...(to === undefined ? [] : [compares('name_key', '<', to)])]
}

function anyStatus(status: readonly PetStatus[] | undefined): Condition {
  return isIn('status', padded(distinct(status ?? PetStatus.options), STATUS_SIZES))
}

export function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
