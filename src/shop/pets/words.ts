import type { Page } from '../../contract/operation.ts'
import { excludedByFilter } from '../../contract/refusals.ts'
import type { Reader, Tx } from '../../database/engine.ts'
import { dynamicSql, sql } from '../../database/statement.ts'
import { prefixEnd, wordsOf } from '../../values/text.ts'
import {
  type CursorList,
  LIMIT_DEFAULT,
  type ListQuery,
  readCursor,
  type SortKeys,
  writeCursor,
} from '../kernel/paging.ts'
import { petColumns, type StoredPet } from '../stock/rows.ts'

/** The maximum number of words that one page reads. A search for words that no pet has together stops after them. */
const PROBES_MAX = 500

const insertWord = sql()('INSERT INTO pet_word (word, pet_id) VALUES ($word, $petId)')
const deleteWord = sql()('DELETE FROM pet_word WHERE word = $word AND pet_id = $petId')

/** A word, and the pet whose name has it. */
interface Probe extends StoredPet {
  readonly word: string
}

/** Returns the statement that reads the next words with a start, in order, each with its pet. */
const selectProbes = (start: string, after: SortKeys | undefined, limit: number) =>
  dynamicSql<Probe>(place => {
    const from = after
      ? `(word, pet_id) > (${place(after.sortKey)}, ${place(after.tieKey)})`
      : `word >= ${place(start)}`
    // Every start has such an end, because the last code point of Unicode is no letter.
    const to = `word < ${place(prefixEnd(start) ?? '')}`
    return `
      SELECT ${petColumns}, word FROM (
        SELECT word, pet_id FROM pet_word WHERE ${from} AND ${to} ORDER BY word, pet_id LIMIT ${place(BigInt(limit))}
      ) AS probe JOIN pet ON pet.id = probe.pet_id ORDER BY word, pet_id`
  })

/** Writes the words of a pet that gets, changes or loses its name. */
export function renameWords(
  tx: Tx,
  petId: bigint,
  { from, to }: { readonly from?: string; readonly to?: string },
): void {
  const before = from === undefined ? [] : wordsOf(from)
  const after = to === undefined ? [] : wordsOf(to)
  for (const word of before) if (!after.includes(word)) tx.write(deleteWord, { word, petId })
  for (const word of after) if (!before.includes(word)) tx.write(insertWord, { word, petId })
}

/** Throws `invalid_parameter` if a request has one of these parameters beside `search`. */
export function refuseBesideSearch<Name extends string>(
  input: Readonly<Partial<Record<Name, unknown>>>,
  names: readonly Name[],
): void {
  const given = names.find(name => input[name] !== undefined)
  if (given !== undefined) throw excludedByFilter(given, 'search')
}

interface Search extends Pick<CursorList, 'list' | 'filters'> {
  readonly input: ListQuery & { readonly search: string }
  /** Whether a pet passes the other filters of the list. */
  readonly accepts: (pet: StoredPet) => boolean
}

/**
 * Returns a page of the pets whose names have every word of a text, or a word that starts with it. The longest word of
 * the text is the start of a range of words, which is read in order; the program checks the rest. A pet has the place
 * of its first word in the range. The page is short if its bounded number of words is used up. Throws
 * `invalid_cursor`.
 */
export async function searchPets<Item>(
  reader: Reader,
  { list, input, filters, accepts }: Search,
  toItem: (pet: StoredPet) => Item,
): Promise<Page<Item>> {
  const cursors = {
    list,
    filters: { ...filters, search: input.search },
    sort: { column: 'word', descending: false },
  }
  let after = readCursor(cursors, input.cursor)
  const starts = wordsOf(input.search)
  const [longest] = starts.toSorted((one, other) => other.length - one.length)
  if (longest === undefined) return { items: [] }
  const limit = input.limit ?? LIMIT_DEFAULT
  const items: Item[] = []
  for (let left = PROBES_MAX; left > 0; ) {
    // Usually every word in the range is a match, so the first read is enough.
    const size = left === PROBES_MAX ? Math.min(limit + 1, left) : left
    const probes = await reader.many(selectProbes(longest, after, size))
    for (const probe of probes) {
      if (accepts(probe) && hasWords(probe, starts, longest)) {
        if (items.length === limit) return { items, next: after && writeCursor(cursors, after) }
        items.push(toItem(probe))
      }
      after = { sortKey: probe.word, tieKey: probe.id }
    }
    if (probes.length < size) return { items }
    left -= size
  }
  return { items, next: after && writeCursor(cursors, after) }
}

/** Returns whether a name has every word, and none before the probed word that starts with `longest`. */
function hasWords({ name, word }: Probe, starts: readonly string[], longest: string): boolean {
  const words = wordsOf(name)
  return (
    starts.every(start => words.some(one => one.startsWith(start))) &&
    words.filter(one => one.startsWith(longest)).every(one => one === word || isBefore(word, one))
  )
}

/** Returns whether a word comes before another in the order of both databases, which is that of the code points. */
function isBefore(word: string, other: string): boolean {
  return Buffer.compare(Buffer.from(word), Buffer.from(other)) < 0
}
