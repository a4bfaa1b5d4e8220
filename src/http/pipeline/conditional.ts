import type { StoreError } from '../../contract/error.ts'
import { invalidEntityTags, invalidHeader } from '../../contract/refusals.ts'
import type { Conditions, EntityTags } from '../../shop/kernel/preconditions.ts'

const TAG = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y

/**
 * Returns the conditions in If-Match and If-None-Match (RFC 9110, section 13.1). An empty If-None-Match is no
 * condition, while an empty If-Match matches nothing. Throws `invalid_parameter` for an invalid list of tags.
 */
export function readConditions(headers: Headers): Conditions {
  const ifMatch = readTags('If-Match', headers)
  const ifNoneMatch = readTags('If-None-Match', headers)
  return { ...(ifMatch && { ifMatch }), ...(ifNoneMatch?.length && { ifNoneMatch }) }
}

/**
 * Throws `invalid_parameter` for a condition on a POST, because no representation exists yet to which it could apply.
 */
export function refuseConditions({ ifMatch, ifNoneMatch }: Conditions): void {
  if (ifMatch !== undefined) throw notForPost('If-Match')
  if (ifNoneMatch !== undefined) throw notForPost('If-None-Match')
}

function notForPost(name: string): StoreError {
  return invalidHeader(name, `${name} does not apply to a POST: leave it out.`)
}

/** Returns the tags in a header; undefined if there is no header. Throws `invalid_parameter` for an invalid list. */
function readTags(name: string, headers: Headers): EntityTags | undefined {
  const field = headers.get(name)
  if (field === null) return undefined
  const tags = parseTags(field)
  if (!tags) throw invalidEntityTags(name)
  return tags
}

/**
 * Returns the entity tags in the text of a header; undefined if the text is not a list of tags. Empty elements of the
 * list are ignored (RFC 9110, section 5.6.1.2).
 */
export function parseTags(field: string): EntityTags | undefined {
  if (field.trim() === '*') return '*'
  const tags: string[] = []
  for (TAG.lastIndex = 0; TAG.lastIndex < field.length; ) {
    const element = TAG.exec(field)
    if (!element) return undefined
    if (element[1] !== undefined) tags.push(element[1])
  }
  return tags
}
