import { z } from 'zod'

/**
 * Returns the schema of a text of `min` to `max` code points (not UTF-16 units), without U+0000. The JSON parser has
 * already rejected lone surrogates. The text is stored as it was sent. With `mayBeEmpty`, it can also be empty.
 */
export function text(min: number, max: number, { mayBeEmpty = false } = {}) {
  return z
    .string()
    .superRefine((value, context) => {
      const length = codePointCount(value)
      if (length < min && !(mayBeEmpty && length === 0))
        context.addIssue({ code: 'too_small', origin: 'string', minimum: min, input: value })
      if (length > max) context.addIssue({ code: 'too_big', origin: 'string', maximum: max, input: value })
      if (value.includes('\0')) {
        context.addIssue({
          code: 'custom',
          message: 'must not contain U+0000',
          params: { field: 'invalid_format' },
        })
      }
    })
    .meta({
      ...(min > 0 && !mayBeEmpty && { minLength: min }),
      maxLength: max,
      pattern: mayBeEmpty ? `^([^\\x00]{${min},})?$` : '^[^\\x00]*$',
    })
}

function codePointCount(value: string): number {
  let count = 0
  for (const _ of value) count++
  return count
}
