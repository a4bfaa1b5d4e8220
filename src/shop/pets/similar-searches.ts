import type { Page } from '../../contract/operation.ts'
import type { Reader } from '../../database/engine.ts'
import { sql } from '../../database/statement.ts'
import { wordsOf } from '../../values/search-words.ts'
import { editsBetween } from '../../values/similar-name.ts'
import { prefixEnd } from '../../values/text.ts'
import type { SimilarSearch } from './schema.ts'

const SUGGESTIONS_MAX = 3
/** The maximum number of words that one look reads, and of different words of about the same length in them. */
const WORDS_READ_MAX = 20_000
const WORDS_COMPARED_MAX = 10_000
/** Two words that differ by two edits differ by at most two letters. */
const LENGTH_DIFFERENCE_MAX = 2n
/** Sorts after every word. */
const AFTER_ANY = '\u{10ffff}'

const findStart = sql<{ word: string }>()(
  'SELECT word FROM pet_word WHERE word >= $start AND word < $end ORDER BY word, pet_id LIMIT 1',
)

const selectWords = sql<{ word: string }>()(`
  SELECT DISTINCT word FROM (
    SELECT word FROM pet_word WHERE word >= $start AND word < $end ORDER BY word, pet_id LIMIT ${WORDS_READ_MAX}
  ) AS looked WHERE length(word) BETWEEN $shortest AND $longest LIMIT ${WORDS_COMPARED_MAX}`)

const findName = sql<{ name: string }>()(`
  SELECT name FROM pet WHERE id = (SELECT pet_id FROM pet_word WHERE word = $word ORDER BY pet_id LIMIT 1)`)

/**
 * Returns searches for a text that finds no pet: the text with the first of its words that no word of a name starts
 * with, replaced by a similar word of a name.
 */
export async function listSimilarSearches(
  reader: Reader,
  { search }: { readonly search: string },
): Promise<Page<SimilarSearch>> {
  const words = wordsOf(search)
  for (const [index, word] of words.entries()) {
    // A number that differs by a digit is another one.
    if (!/\p{L}/u.test(word)) continue
    if (await reader.one(findStart, { start: word, end: prefixEnd(word) ?? AFTER_ANY })) continue
    const items: SimilarSearch[] = []
    for (const similar of await nearestWords(reader, word))
      items.push({ search: words.with(index, await spelling(reader, similar)).join(' ') })
    if (items.length > 0) return { items }
  }
  return { items: [] }
}

/**
 * Returns the words of names with the fewest edits. The first look is at the words with the same first letter, where
 * most of them are; the next at those with its second letter, then at all, as far as a look goes.
 */
async function nearestWords(reader: Reader, word: string): Promise<string[]> {
  const [first = '', second = ''] = word
  const length = BigInt([...word].length)
  const looks = [...new Set([first, second, ''])].map(start => ({
    start,
    end: prefixEnd(start) ?? AFTER_ANY,
    shortest: length - LENGTH_DIFFERENCE_MAX,
    longest: length + LENGTH_DIFFERENCE_MAX,
  }))
  for (const look of looks) {
    const near = (await reader.many(selectWords, { ...look })).flatMap(({ word: other }) => {
      const edits = editsBetween(word, other)
      return edits === undefined ? [] : [{ other, edits }]
    })
    const nearest = near.toSorted((one, two) => one.edits - two.edits || (one.other < two.other ? -1 : 1))
    if (nearest.length > 0) return nearest.slice(0, SUGGESTIONS_MAX).map(({ other }) => other)
  }
  return []
}

/** Returns the spelling that a folded word has in the name of a pet. */
async function spelling(reader: Reader, word: string): Promise<string> {
  const { name = '' } = (await reader.one(findName, { word })) ?? {}
  return name.split(/[^\p{L}\p{M}\p{N}]+/u).find(part => wordsOf(part).includes(word)) ?? word
}
