import { invalidEntityTags, invalidHeader } from '../contract/refusals.ts'
import type { StoreError } from '../model/error.ts'
import type { Conditions, EntityTags } from '../shop/preconditions.ts'

const TAG = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y

/** The conditions of a request without If-Match and If-None-Match. */
const UNCONDITIONAL: Conditions = {}

/**
 * Returns the conditions in If-Match and If-None-Match (RFC 9110, section 13.1). Throws `invalid_parameter` for an
 * invalid list of tags.
 */
export function readConditions(headers: Headers): Conditions {
  const ifMatch = headers.get('if-match')
  const ifNoneMatch = headers.get('if-none-match')
  if (ifMatch === null && ifNoneMatch === null) return UNCONDITIONAL
  return {
    ...(ifMatch !== null && { ifMatch: readTags('If-Match', ifMatch) }),
    ...(ifNoneMatch !== null && { ifNoneMatch: readTags('If-None-Match', ifNoneMatch) }),
  }
}

/** Returns whether a request had neither If-Match nor If-None-Match. */
export function isUnconditional(conditions: Conditions): boolean {
  return conditions === UNCONDITIONAL
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

/**
 * Returns the entity tags of a list. Empty elements are ignored (RFC 9110, section 5.6.1.2). Throws `invalid_parameter`
 * for an invalid list.
 */
function readTags(name: string, field: string): EntityTags {
  if (field.trim() === '*') return '*'
  const tags: string[] = []
  for (TAG.lastIndex = 0; TAG.lastIndex < field.length; ) {
    const element = TAG.exec(field)
    if (!element) throw invalidEntityTags(name)
    if (element[1] !== undefined) tags.push(element[1])
  }
  if (tags.length === 0) throw invalidEntityTags(name)
  return tags
}
