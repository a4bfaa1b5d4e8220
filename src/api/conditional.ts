import { StoreError } from '../model/error.ts'
import type { Conditions, EntityTags } from '../shop/representation.ts'

const TAG = /\s*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y

/** Reads If-Match and If-None-Match (RFC 9110, section 13.1). Throws `invalid_parameter` for no list of tags. */
export function readConditions(headers: Headers): Conditions {
  const ifMatch = headers.get('if-match')
  const ifNoneMatch = headers.get('if-none-match')
  return {
    ...(ifMatch !== null && { ifMatch: readTags('If-Match', ifMatch) }),
    ...(ifNoneMatch !== null && { ifNoneMatch: readTags('If-None-Match', ifNoneMatch) }),
  }
}

function readTags(name: string, field: string): EntityTags {
  if (field.trim() === '*') return '*'
  const tags: string[] = []
  TAG.lastIndex = 0
  while (TAG.lastIndex < field.length) {
    const tag = TAG.exec(field)?.[1]
    if (tag === undefined) break
    tags.push(tag)
  }
  if (tags.length === 0 || TAG.lastIndex === 0) {
    const message = `${name} must be * or a list of entity tags, each in double quotes.`
    throw new StoreError('invalid_parameter', message, {
      errors: [{ in: 'header', name, code: 'invalid_format', message }],
    })
  }
  return tags
}
