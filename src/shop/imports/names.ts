import type { Reader } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { hasOneForm, matchName, nameForm } from '../../values/same-name.ts'
import { nameKey } from '../../values/text.ts'

/** The maximum number of categories that one name may mean. */
const NAMED_MAX = 20
/** The maximum number of names in one category that differ only in case or Unicode form. */
const VARIANTS_MAX = 1000

// Names with one key may differ in case and Unicode form; `matchName` decides. The exact name comes first.
const findNamed = sql<NamedCategory>()(`
  SELECT id, name FROM category WHERE name_key = $nameKey
  ORDER BY CASE WHEN name = $name THEN 0 ELSE 1 END, id LIMIT ${NAMED_MAX}`)

// The statuses make this a search of the index over category, status and name.
const findPetNamed = sql<{ id: bigint }>()(`
  SELECT id FROM pet WHERE category_id = $categoryId AND status IN ('available', 'pending', 'sold')
    AND name_key = $nameKey AND name = $name LIMIT 2`)

const findPetVariants = sql<{ name: string; first: bigint; last: bigint }>()(`
  SELECT name, min(id) AS first, max(id) AS last FROM pet
  WHERE category_id = $categoryId AND status IN ('available', 'pending', 'sold')
    AND name_key = $nameKey AND name <> $name GROUP BY name LIMIT ${VARIANTS_MAX}`)

/** The id of the category that a name means, or why there is no such id; `new` if the import itself creates it. */
export type KnownCategory = bigint | 'none' | 'several' | 'new'

interface NamedCategory {
  readonly id: bigint
  readonly name: string
}

interface NameHolder {
  readonly name: string
  readonly id: bigint | 'new'
}

/** Looks up the categories that the rows name. The store is asked once for each spelling. */
export class CategoryNames {
  readonly #reader: Reader
  readonly #stored = new Map<string, readonly NamedCategory[]>()
  /** The categories of this import, by the key of their name. */
  readonly #added = new Map<string, NameHolder[]>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /**
   * Returns the category with this name, in any Unicode form. Unless `withCase`, a name that differs in case is found,
   * too, if only one category has it.
   */
  async find(name: string, { withCase }: { readonly withCase: boolean }): Promise<KnownCategory> {
    const stored = this.#stored.get(name) ?? (await categoriesNamed(this.#reader, name))
    this.#stored.set(name, stored)
    const found = matchName(name, this.#merged(name, stored), { withCase })
    return typeof found === 'string' ? found : found.item.id
  }

  /** Adds a category that this import creates: `new` until it has an id. */
  add(name: string, id: bigint | 'new'): void {
    const key = nameKey(name)
    const others = (this.#added.get(key) ?? []).filter(other => other.name !== name)
    this.#added.set(key, [...others, { name, id }])
  }

  #merged(name: string, stored: readonly NamedCategory[]): readonly NameHolder[] {
    const added = this.#added.get(nameKey(name))
    if (!added) return stored
    // A spelling that was looked up after its category was created is in both.
    return [...stored.filter(({ id }) => !added.some(other => other.id === id)), ...added]
  }
}

export function categoriesNamed(reader: Reader, name: string): Promise<NamedCategory[]> | NamedCategory[] {
  return reader.many(findNamed, { nameKey: nameKey(name), name })
}

/** Returns the ids of pets of a category with this name, in any Unicode form: at least two if there are several. */
export async function petsNamed(reader: Reader, categoryId: bigint, name: string): Promise<bigint[]> {
  const key = nameKey(name)
  const exact = await reader.many(findPetNamed, { categoryId, nameKey: key, name })
  if (exact.length > 0 || hasOneForm(name)) return exact.map(({ id }) => id)
  const variants = await reader.many(findPetVariants, { categoryId, nameKey: key, name })
  const same = variants.filter(variant => nameForm(variant.name) === nameForm(name))
  return [...new Set(same.flatMap(({ first, last }) => [first, last]))]
}
