import type { Page } from '../../contract/operation.ts'
import { excludedByFilter } from '../../contract/refusals.ts'
import type { Reader, Tx } from '../../database/engine.ts'
import { dynamicSql, type Place, type Statement, sql } from '../../database/statement.ts'
import { INT64_MAX } from '../../values/int64.ts'
import { hasInside, nameWordsOf, partsInBothSpellings, wordsOf } from '../../values/search-words.ts'
import { prefixEnd } from '../../values/text.ts'
import {
  type CursorList,
  LIMIT_DEFAULT,
  type ListQuery,
  readCursor,
  type SortKeys,
  writeCursor,
} from '../kernel/paging.ts'
import { petColumns, type StoredPet } from '../stock/rows.ts'
import { findByBarcode } from './barcodes.ts'

/** The maximum number of words that one page reads. A search for words that no pet has together stops after them. */
const PROBES_MAX = 500
/** The number of words that one statement looks into, and the maximum number of such statements of a page. */
const WORDS_PER_SLICE = 20_000
const SLICES_MAX = 5
/** Stands before a word in the places of the words that contain a text. No word has it. */
const INSIDE = ' '

const insertWord = sql()('INSERT INTO pet_word (word, pet_id) VALUES ($word, $petId)')
const deleteWord = sql()('DELETE FROM pet_word WHERE word = $word AND pet_id = $petId')

/** A word, and the pet whose name has it. Inside words, `INSIDE` stands before the word. */
interface Probe extends StoredPet {
  readonly word: string
}

/** A range of words that is read for a search. */
interface Range {
  readonly after: SortKeys
  /** Returns the statement that reads the next probes. Without it, the page ends here. */
  readonly select?: (after: SortKeys, limit: number) => Statement<Probe>
  readonly finds: (probe: Probe) => boolean
}

/** Writes the words of a pet that gets, changes or loses its name. */
export function renameWords(
  tx: Tx,
  petId: bigint,
  { from, to }: { readonly from?: string; readonly to?: string },
): void {
  const before = from === undefined ? [] : nameWordsOf(from)
  const after = to === undefined ? [] : nameWordsOf(to)
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

/** Returns the statement that reads the next words that meet some conditions, in order, each with its pet. */
const selectProbes = (word: string, conditions: readonly string[], limit: string) => `
  SELECT ${petColumns}, ${word} AS word FROM (
    SELECT word, pet_id FROM pet_word WHERE ${conditions.join(' AND ')} ORDER BY word, pet_id LIMIT ${limit}
  ) AS probe JOIN pet ON pet.id = probe.pet_id ORDER BY probe.word, pet_id`

const isAfter = (place: Place, { sortKey, tieKey }: SortKeys): string =>
  `(word, pet_id) > (${place(sortKey)}, ${place(tieKey)})`

/** Returns the statement that reads the next words with a start. */
const selectStarts = (start: string, after: SortKeys, limit: number) =>
  dynamicSql<Probe>(place => {
    // Every start has such an end, because the last code point of Unicode is in no word.
    const to = `word < ${place(prefixEnd(start) ?? '')}`
    return selectProbes('probe.word', [isAfter(place, after), to], place(BigInt(limit)))
  })

/** Returns the statement that reads the next pets of a word, which contains a text. */
const selectOfWord = (word: string, { tieKey }: SortKeys, limit: number) =>
  dynamicSql<Probe>(place =>
    selectProbes(
      `'${INSIDE}' || probe.word`,
      [`word = ${place(word)}`, `pet_id > ${place(tieKey)}`],
      place(BigInt(limit)),
    ),
  )

/** The words of one statement that looks into words. */
interface Slice {
  readonly parts: readonly string[]
  /** The words before and after the slice; without the last one, it goes to the end of the table. */
  readonly from: string
  readonly to: string | undefined
}

/** Returns the statement that reads the next words of a slice that have all parts. */
const selectInside = ({ parts, from, to }: Slice, after: SortKeys, limit: number) =>
  dynamicSql<Probe>(place => {
    // Comparing pairs costs as much as looking into words, so only the found ones are compared.
    const range = [`word > ${place(from)}`, ...(to === undefined ? [] : [`word < ${place(to)}`])]
    const places = parts.map(place)
    const isNext = isAfter(place, wordPlace(after))
    const last = place(BigInt(limit))
    const statement = (position: string): string =>
      selectProbes(
        `'${INSIDE}' || probe.word`,
        [...range, ...places.map(part => `${position}(word, ${part}) > 0`), isNext],
        last,
      )
    return [statement('instr'), statement('strpos')]
  })

/** Returns the statement that reads the word after the slice that follows a word; no row if the table ends before. */
const selectSliceEnd = (word: string) =>
  dynamicSql<{ word: string }>(
    place => `
      SELECT word FROM pet_word WHERE word > ${place(word)}
      ORDER BY word, pet_id LIMIT 1 OFFSET ${WORDS_PER_SLICE - 1}`,
  )

/** Returns the place in the table of a place among the words that contain a text. */
function wordPlace({ sortKey, tieKey }: SortKeys): SortKeys {
  return { sortKey: String(sortKey).slice(INSIDE.length), tieKey }
}

/**
 * Returns the ranges of a search from a place on: the words that start with the longest text, then slices of the whole
 * table. A pet has the place of its first word in them.
 */
async function* rangesOf(
  reader: Reader,
  texts: readonly string[],
  from: SortKeys | undefined,
): AsyncGenerator<Range> {
  const [longest] = texts.toSorted((one, other) => other.length - one.length)
  if (longest === undefined) return
  const startsWords = (name: string): boolean => {
    const words = nameWordsOf(name)
    return texts.every(text => words.some(word => word.startsWith(text)))
  }
  const isInside = from !== undefined && String(from.sortKey).startsWith(INSIDE)
  if (!isInside) {
    yield {
      after: from ?? { sortKey: longest, tieKey: 0n },
      select: (after, limit) => selectStarts(longest, after, limit),
      finds: probe => startsWords(probe.name) && isFirst(probe, word => word.startsWith(longest)),
    }
  }
  const parts = partsInBothSpellings(longest)
  const finds = (probe: Probe): boolean =>
    texts.every(text => hasInside(probe.name, text)) &&
    !startsWords(probe.name) &&
    isFirst(probe, word => parts.every(part => word.includes(part)))
  let after: SortKeys = isInside ? from : { sortKey: INSIDE, tieKey: 0n }
  for (let slice = 0; slice < SLICES_MAX; slice++) {
    const word = String(wordPlace(after).sortKey)
    if (parts.every(part => word.includes(part)))
      yield { after, select: (place, limit) => selectOfWord(word, place, limit), finds }
    const end = await reader.one(selectSliceEnd(word))
    const inside = { parts, from: word, to: end?.word }
    // The pets of the word itself have been read.
    const afterWord = { ...after, tieKey: INT64_MAX }
    yield { after: afterWord, select: (place, limit) => selectInside(inside, place, limit), finds }
    if (!end) return
    after = { sortKey: INSIDE + end.word, tieKey: 0n }
  }
  yield { after, finds }
}

/** Returns whether the word of a probe is the first of its pet in a range. */
function isFirst({ name, word }: Probe, isInRange: (word: string) => boolean): boolean {
  const probed = word.startsWith(INSIDE) ? word.slice(INSIDE.length) : word
  return nameWordsOf(name).every(other => !isInRange(other) || !isBefore(other, probed))
}

/**
 * Returns a page of the pets for a text: first the one with exactly this barcode, then those whose names have words
 * that start with every word of it, then those with words that contain them. Throws `invalid_cursor`.
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
  const texts = wordsOf(input.search)
  const limit = input.limit ?? LIMIT_DEFAULT
  const items: Item[] = []
  const scanned = await findByBarcode(reader, input.search.trim())
  if (scanned && !input.cursor && accepts(scanned)) items.push(toItem(scanned))
  let left = PROBES_MAX
  for await (const { after, select, finds } of rangesOf(reader, texts, readCursor(cursors, input.cursor))) {
    let place = after
    // Usually every word in the range is a match, so the first read is enough.
    for (let size = Math.min(limit + 1, left); ; size = left) {
      if (!select || left === 0) return { items, next: writeCursor(cursors, place) }
      const probes = await reader.many(select(place, size))
      for (const probe of probes) {
        if (probe.id !== scanned?.id && accepts(probe) && finds(probe)) {
          if (items.length === limit) return { items, next: writeCursor(cursors, place) }
          items.push(toItem(probe))
        }
        place = { sortKey: probe.word, tieKey: probe.id }
      }
      left -= probes.length
      if (probes.length < size) break
    }
  }
  return { items }
}

/** Returns whether a word comes before another in the order of both databases, which is that of the code points. */
function isBefore(word: string, other: string): boolean {
  return Buffer.compare(Buffer.from(word), Buffer.from(other)) < 0
}
