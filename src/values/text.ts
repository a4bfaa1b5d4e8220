/** The maximum number of code points of a key that is made from a name. NFKC can make a name longer. */
const KEY_CODE_POINTS_MAX = 200

/**
 * Returns the form in which the start of a name is searched: NFKC, then lower case. Each code point is lower-cased
 * alone. The lower case of a whole text depends on its end (a final sigma), so a prefix would not match.
 */
export function nameKey(name: string): string {
  let key = ''
  for (const point of firstPoints(name.normalize('NFKC'), KEY_CODE_POINTS_MAX)) key += point.toLowerCase()
  return key
}

/**
 * Returns the key by which names are sorted: the folded name, so that Ä is beside A. Names that differ only in marks or
 * in the form of a letter follow each other in the order of `nameKey`: A comes before Ä.
 */
export function sortKey(name: string): string {
  const folded = foldedForm(name)
  const key = nameKey(name)
  // The separator sorts before every printable character, so a name comes before the longer names that it starts.
  return firstPoints(folded === key ? key : `${folded}\u0001${key}`, KEY_CODE_POINTS_MAX)
}

const ASCII = /^[\0-\x7f]*$/

/**
 * Marks that do not make another letter for a search: accents of Latin, Greek and Cyrillic, points of Hebrew, vowel
 * signs of Arabic, and characters that only change how text is drawn. The sound marks of kana and the vowel signs of
 * Indic scripts and of Thai stay: without them, it would be another word.
 */
const IGNORED =
  /[[\p{M}&&[\p{sc=Inherited}\p{sc=Cyrillic}\p{sc=Hebrew}\p{sc=Arabic}]]--[\u3099\u309a]]|[\u00ad\u0640\u200c\u200d]/gv

/** Letters that Unicode does not decompose, and what people type for them. */
const FOLDED_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  // Turkish has two letters i, whose upper case differs: I is folded as a Latin i, so both are.
  ı: 'i',
  // The letters that look like an apostrophe, as in Hawaiian, separate words as it does.
  ʻ: "'",
  ʼ: "'",
  // The sigma at the end of a Greek word.
  ς: 'σ',
}

/**
 * Returns a text without case and accents, so that `kathe` and Käthe are the same. The start of a text, up to a whole
 * character, is the start of its folded form.
 */
export function foldedForm(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  let folded = ''
  for (const point of text.normalize('NFKD').replaceAll(IGNORED, '')) {
    const lower = point.toLowerCase()
    folded += FOLDED_LETTERS[lower] ?? lower
  }
  // NFC puts the syllables of Hangul and the letters of kana together again, so no half of one is found.
  return folded.normalize('NFC')
}

/** Returns the start of a text of at most `count` code points. */
export function firstPoints(text: string, count: number): string {
  return text.length <= count ? text : [...text].slice(0, count).join('')
}

/**
 * Returns the smallest text above every text that begins with `prefix`, in code point order; undefined if there is no
 * such text.
 */
export function prefixEnd(prefix: string): string | undefined {
  const points = [...prefix]
  while (points.length > 0) {
    const last = points.pop()?.codePointAt(0) ?? 0
    if (last < 0x10ffff) return points.join('') + String.fromCodePoint(last === 0xd7ff ? 0xe000 : last + 1)
  }
  return undefined
}
