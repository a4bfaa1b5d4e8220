import { nameWordsOf } from '../../values/search-words.ts'
import { firstPoints, foldedForm } from '../../values/text.ts'
import type { MigrationStep } from '../migrate.ts'
import { sql } from '../statement.ts'

const PETS_PER_PAGE = 1000
/** How often a line is shown, in pets. */
const PETS_PER_LINE = 100_000n

const readNames = sql<{ id: bigint; name: string }>()(
  `SELECT id, name FROM pet WHERE id > $after ORDER BY id LIMIT ${PETS_PER_PAGE}`,
)
const insertWord = sql()(
  'INSERT INTO pet_word (word, pet_id) VALUES ($word, $petId) ON CONFLICT (word, pet_id) DO NOTHING',
)
const deleteWord = sql()('DELETE FROM pet_word WHERE word = $word AND pet_id = $petId')

/** Returns the words that a name had before this migration. */
function earlierWordsOf(name: string): string[] {
  const words = foldedForm(name).match(/[\p{L}\p{M}\p{N}]+|\p{So}/gu) ?? []
  return [...new Set(words.map(word => firstPoints(word, 60)))]
}

/** Writes the words of the names that have other ones than before. */
export const writeWords: MigrationStep = async (tx, onProgress) => {
  let count = 0n
  for (let after: bigint | undefined = 0n; after !== undefined; ) {
    const pets: readonly { id: bigint; name: string }[] = await tx.many(readNames, { after })
    for (const { id: petId, name } of pets) {
      const [before, now] = [earlierWordsOf(name), nameWordsOf(name)]
      for (const word of before) if (!now.includes(word)) await tx.run(deleteWord, { word, petId })
      for (const word of now) if (!before.includes(word)) await tx.run(insertWord, { word, petId })
      if (++count % PETS_PER_LINE === 0n) onProgress(`Migrating: the words of ${count} pets`)
    }
    after = pets.at(-1)?.id
  }
}
