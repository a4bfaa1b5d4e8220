import { firstPoints, foldedForm } from './text.ts'

/** The maximum number of code points of a word. An index has a limit for the bytes of an entry. */
const WORD_CODE_POINTS_MAX = 60
const WORD = /[\p{L}\p{M}\p{N}]+|[\p{So}%_\\]/gu
/** Katakana with a letter of hiragana 96 code points before it. */
const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g
/** An apostrophe inside a name, which many leave out. */
const APOSTROPHE = /(?<=[\p{L}\p{M}])['\u2018\u2019](?=\p{L})/gu

/**
 * Returns the distinct words of a text, folded, and with hiragana for katakana: runs of letters, marks and digits, and
 * each symbol such as an emoji or `%`. A script without spaces, such as Japanese or Thai, has one word for each run
 * between punctuation.
 */
export function wordsOf(text: string): string[] {
  return wordsIn(foldedForm(text))
}

function wordsIn(folded: string): string[] {
  const words = folded.match(WORD) ?? []
  return [
    ...new Set(words.map(word => firstPoints(word.replaceAll(KATAKANA, hiraganaFor), WORD_CODE_POINTS_MAX))),
  ]
}

function hiraganaFor(katakana: string): string {
  return String.fromCharCode(katakana.charCodeAt(0) - 0x60)
}

/** Returns the words by which a name is found: also those without their apostrophe, so O'Brien is obrien. */
export function nameWordsOf(name: string): string[] {
  const folded = foldedForm(name)
  const joined = folded.replaceAll(APOSTROPHE, '')
  return joined === folded ? wordsIn(folded) : [...new Set([...wordsIn(folded), ...wordsIn(joined)])]
}

/** Returns whether each of some folded texts starts a word of a text, in one of its spellings. */
export function startsWords(text: string, starts: readonly string[]): boolean {
  const words = spelledWordsOf(text)
  return starts.every(start => words.some(word => word.startsWith(start)))
}

/** Letters that are also written as two. */
const SPELLED_LETTERS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' }
const SPELLED_LETTER = /[äöüøå]/gi
/** The second letter of a spelling. The folded form of the word lacks it. */
const SPELLING_END = /(?<=[aou])e|(?<=a)a/

/** Returns the distinct words of a name, with those that have two spellings in both: Bär is `bar` and `baer`. */
export function spelledWordsOf(name: string): string[] {
  const words = nameWordsOf(name)
  const composed = name.normalize('NFC')
  const spelled = composed.replaceAll(
    SPELLED_LETTER,
    letter => SPELLED_LETTERS[letter.toLowerCase()] ?? letter,
  )
  return spelled === composed ? words : [...new Set([...words, ...nameWordsOf(spelled)])]
}

/** Returns the parts of a text that every folded word has which contains the text in one of its spellings. */
export function partsInBothSpellings(text: string): string[] {
  return [...new Set(text.split(SPELLING_END))].filter(part => part !== '')
}

/** Returns whether a word of a name contains a text. The second letter of a spelling alone is not in the name. */
export function hasInside(name: string, text: string): boolean {
  const parts = partsInBothSpellings(text)
  return (
    spelledWordsOf(name).some(word => word.includes(text)) &&
    nameWordsOf(name).some(word => parts.every(part => word.includes(part)))
  )
}
