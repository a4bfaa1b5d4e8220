import { z } from 'zod'

/**
 * Returns the schema of a text of `min` to `max` code points (not UTF-16 units), without U+0000. The JSON parser has
 * already rejected lone surrogates. The text is stored as it was sent.
 */
export function text(min: number, max: number) {
  return z
    .string()
    .superRefine((value, context) => {
      const length = codePointCount(value)
      if (length < min) context.addIssue({ code: 'too_small', origin: 'string', minimum: min, input: value })
      if (length > max) context.addIssue({ code: 'too_big', origin: 'string', maximum: max, input: value })
      if (value.includes('\0')) {
        context.addIssue({
          code: 'custom',
          message: 'must not contain U+0000',
          params: { field: 'invalid_format' },
        })
      }
    })
    .meta({ ...(min > 0 && { minLength: min }), maxLength: max, pattern: '^[^\\x00]*$' })
}

/** The maximum number of code points that a search key takes from a normalized name. NFKC can make a name longer. */
const KEY_CODE_POINTS_MAX = 200

/**
 * Returns the form in which names are sorted and searched: NFKC, then lower case. Each code point is lower-cased alone.
 * The lower case of a whole text depends on its end (a final sigma), so a prefix would not match.
 */
export function nameKey(name: string): string {
  let key = ''
  let count = 0
  for (const point of name.normalize('NFKC')) {
    if (count++ === KEY_CODE_POINTS_MAX) break
    key += point.toLowerCase()
  }
  return key
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

function codePointCount(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}
