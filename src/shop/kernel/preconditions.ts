import { preconditionFailed } from '../../contract/refusals.ts'

/** Returns a strong validator (RFC 9110, section 8.8.3): it changes exactly when the bytes change. */
export function etagOf(body: string): string {
  return `"${hash(body)}"`
}

/** Returns a weak validator, for a page of a list. */
export function weakEtagOf(body: string): string {
  return `W/"${hash(body)}"`
}

/** The entity tags of If-Match or If-None-Match: a list, or `*`. */
export type EntityTags = '*' | readonly string[]

export interface Conditions {
  readonly ifMatch?: EntityTags
  readonly ifNoneMatch?: EntityTags
}

/**
 * Throws `precondition_failed`, with the current ETag, if a precondition of a write is false (RFC 9110, section
 * 13.2.2).
 */
export function checkConditions({ ifMatch, ifNoneMatch }: Conditions, body: () => string): void {
  if (ifMatch === undefined && ifNoneMatch === undefined) return
  const etag = etagOf(body())
  refuseUnlessMatches(ifMatch, etag)
  if (ifNoneMatch !== undefined && matchesWeakly(ifNoneMatch, etag)) throw preconditionFailed(etag)
}

/**
 * Throws `precondition_failed` if If-Match does not match. The weak tag of a list never matches. The weak form of a
 * strong tag does, although RFC 9110 asks for strong comparison: a proxy that compresses a response weakens its tag.
 */
export function refuseUnlessMatches(ifMatch: EntityTags | undefined, etag: string): void {
  if (ifMatch === undefined || ifMatch === '*') return
  if (etag.startsWith('W/') || !matchesWeakly(ifMatch, etag)) throw preconditionFailed(etag)
}

/** Returns whether If-None-Match contains a tag, by weak comparison: `W/` makes no difference. */
export function matchesWeakly(tags: EntityTags, etag: string): boolean {
  return tags === '*' || tags.some(tag => opaque(tag) === opaque(etag))
}

function opaque(tag: string): string {
  return tag.startsWith('W/') ? tag.slice(2) : tag
}

function hash(body: string): string {
  return Bun.SHA256.hash(body, 'base64url').slice(0, 22)
}
