import type { Client, Pet } from '../../client/petstore-client.ts'
import { t } from '../words/sentences.tsx'
import { nameText } from './name-text.ts'

interface CategoryOfPet {
  readonly id: bigint | undefined
  readonly name: string
}

/** The category of each pet, by the id of the pet. A pet that was deleted has none. */
export type CategoriesOfPets = ReadonlyMap<bigint, CategoryOfPet>

const PAGE_MAX = 100

/** Reads the names of the categories of some pets. */
export async function readCategoriesOf(client: Client, pets: readonly Pet[]): Promise<CategoriesOfPets> {
  const names = new Map<bigint, string>()
  if (pets.length > 0)
    for await (const { id, name } of client.listCategories({ limit: PAGE_MAX }))
      names.set(id, nameText(name, id))
  return new Map(
    pets.map(({ id, categoryId }) => [
      id,
      { id: categoryId, name: names.get(categoryId) ?? t('Category {id}', { id: String(categoryId) }) },
    ]),
  )
}
