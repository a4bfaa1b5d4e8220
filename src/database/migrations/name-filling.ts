import { sortKey, wordsOf } from '../../values/text.ts'
import type { MigrationTx, OnProgress } from '../migrate.ts'
import { dynamicSql, sql } from '../statement.ts'

interface Named {
  readonly id: bigint
  readonly name: string
}

const ROWS_PER_BATCH = 1000
/** The number of pets between two lines of progress: a second or two. */
const PETS_PER_LINE = 50_000

const countPets = sql<{ pets: bigint }>()('SELECT count(*) AS pets FROM pet')

const readNames = (table: 'category' | 'pet', after: bigint) =>
  dynamicSql<Named>(
    place => `SELECT id, name FROM ${table} WHERE id > ${place(after)} ORDER BY id LIMIT ${ROWS_PER_BATCH}`,
  )

const writeSortKeys = (table: 'category' | 'pet', rows: readonly Named[]) =>
  dynamicSql(place => {
    const tuples = rows.map(
      ({ id, name }) => `(CAST(${place(id)} AS BIGINT), CAST(${place(sortKey(name))} AS TEXT))`,
    )
    return `WITH filled (id, sort_key) AS (VALUES ${tuples.join(', ')})
      UPDATE ${table} SET sort_key = filled.sort_key FROM filled WHERE ${table}.id = filled.id`
  })

type PetWord = readonly [word: string, petId: bigint]

const insertWords = (rows: readonly PetWord[]) =>
  dynamicSql(place => {
    const tuples = rows.map(([word, petId]) => `(${place(word)}, ${place(petId)})`)
    return `INSERT INTO pet_word (word, pet_id) VALUES ${tuples.join(', ')}`
  })

/** Writes the sort keys of categories and pets, and the words of pets, from their names. */
export async function fillNames(tx: MigrationTx, onProgress: OnProgress): Promise<void> {
  for await (const rows of namesIn(tx, 'category')) await tx.run(writeSortKeys('category', rows))
  const total = Number((await tx.one(countPets))?.pets ?? 0n)
  let done = 0
  // Every INSERT but the last has the same number of rows: each distinct text takes memory in a connection.
  let words: PetWord[] = []
  for await (const rows of namesIn(tx, 'pet')) {
    await tx.run(writeSortKeys('pet', rows))
    words.push(...rows.flatMap(({ id, name }) => wordsOf(name).map((word): PetWord => [word, id])))
    for (; words.length >= ROWS_PER_BATCH; words = words.slice(ROWS_PER_BATCH))
      await tx.run(insertWords(words.slice(0, ROWS_PER_BATCH)))
    done += rows.length
    if (done % PETS_PER_LINE > 0) continue
    onProgress(`Migrating: ${done.toLocaleString('en')} of ${total.toLocaleString('en')} pets`)
  }
  if (words.length > 0) await tx.run(insertWords(words))
}

async function* namesIn(tx: MigrationTx, table: 'category' | 'pet'): AsyncGenerator<readonly Named[]> {
  let after = 0n
  for (;;) {
    const rows = await tx.many(readNames(table, after))
    const last = rows.at(-1)
    if (!last) return
    yield rows
    after = last.id
    // SQLite answers without a wait: the process must stay able to stop, and to serve its other stores.
    await new Promise(setImmediate)
  }
}
