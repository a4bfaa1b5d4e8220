import type { Random } from './random.ts'

/**
 * An ordinary text, and texts that have caused problems in programs. Each text is well-formed, and none contains
 * U+0000.
 */
const troublesomeTexts = [
  'Biscuit',
  'é',
  'e\u0301',
  'ß',
  'İ',
  'ﬃ',
  '漢字',
  'שלום',
  '\u202e',
  '👩‍👩‍👧‍👦',
  '🏳️‍🌈',
  '𝕏',
  '\u{10ffff}',
  '\u{1f9ff}',
  '\ufffd',
  '\uffff',
  '\ufeff',
  '\u2028',
  '\u00a0',
  '\u200b',
  '\ufdfa',
  '\u0001',
  '\u001f',
  '\u007f',
  '\u0085',
  '\t',
  '\r\n',
  ' ',
  '"',
  "'",
  '\\',
  '/',
  '%00',
  '%',
  '_',
  '+',
  '&',
  '=',
  '#',
  ';',
  '<b>',
  '&amp;',
  "'; DROP TABLE pet; --",
  '../..',
  '$1',
  'null',
  '0',
  '__proto__',
] as const

/** Returns a text of exactly this number of code points. */
export function randomText(random: Random, length: number): string {
  // A long text repeats one character. Some of these characters are outside the BMP, where the number of code points
  // and of UTF-16 units differ.
  if (length > 40) return random.pick(['a', '𝕏', '漢', '\u{10ffff}', ' ', "'"]).repeat(length)
  const points: string[] = []
  while (points.length < length) {
    points.push(
      ...(random.chance(0.5) ? random.pick(['Rex', 'Mia', 'Fluffy', 'a']) : random.pick(troublesomeTexts)),
    )
  }
  return points.slice(0, length).join('')
}

/** Valid instants (RFC 3339), from year 1 to year 9999: an ordinary one, and others that programs often mishandle. */
export const instants = [
  '2026-12-01T09:30:00Z',
  '2026-12-01T09:30:00.5Z',
  '2026-12-01T09:30:00.123456789Z',
  '2026-12-01T09:30:00+05:30',
  '2026-12-01T09:30:00-00:00',
  '2026-12-01t09:30:00z',
  '2024-02-29T23:59:59.999Z',
  '2000-02-29T00:00:00-12:00',
  '1969-12-31T23:59:59Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59+23:59',
] as const

/** Texts that are not valid instants: not RFC 3339, a time that does not exist, or outside of the years 1 to 9999. */
export const brokenInstants = [
  '',
  'tomorrow',
  '2026-12-01',
  '2026-12-01T09:30:00',
  '2026-12-01 09:30:00Z',
  '2026-12-01T09:30Z',
  '2026-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-12-00T00:00:00Z',
  '2026-12-01T24:00:00Z',
  '2026-12-01T09:60:00Z',
  '2026-12-31T23:59:60Z',
  '2026-12-01T09:30:00+24:00',
  '2026-12-01T09:30:00+0530',
  '2026-12-01T09:30:00.Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T23:59:59-00:01',
  '+02026-12-01T09:30:00Z',
  '10000-01-01T00:00:00Z',
  ' 2026-12-01T09:30:00Z',
  '2026-12-01T09:30:00Z\n',
  '１２026-12-01T09:30:00Z',
  '1764581400',
] as const
