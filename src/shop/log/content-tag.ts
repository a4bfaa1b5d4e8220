import { invalidCursor } from '../../contract/refusals.ts'
import { positionOfOtherContent } from './refusals.ts'

// After a reset, a store assigns the same ids and positions again. The tag shows from which content a cursor is.

/** A tagged position is the tag times this number, plus the position: at most 19 digits for tags up to 9,000,000. */
const POSITIONS_PER_TAG = 1_000_000_000_000n

/** Returns the position as clients of the feed and of the streams see it. */
export function taggedPosition(position: bigint, contentTag: bigint | undefined): bigint {
  return contentTag === undefined ? position : contentTag * POSITIONS_PER_TAG + position
}

/**
 * Returns the position that a client has sent, without its tag. A position without a tag, such as the `sequence` of an
 * event, is accepted. Throws `event_history_expired` for another tag.
 */
export function untaggedPosition(sent: bigint, contentTag: bigint | undefined): bigint {
  if (contentTag === undefined || sent < POSITIONS_PER_TAG) return sent
  if (sent / POSITIONS_PER_TAG !== contentTag) throw positionOfOtherContent()
  return sent % POSITIONS_PER_TAG
}

/** Returns the cursor of a list as clients see it. */
export function taggedCursor(cursor: string, contentTag: bigint | undefined): string {
  return contentTag === undefined ? cursor : `${cursor}-${contentTag}`
}

/** Returns the cursor that a client has sent, without its tag. Throws `invalid_cursor` for no tag or another tag. */
export function untaggedCursor(sent: string, contentTag: bigint | undefined): string {
  if (contentTag === undefined || sent === '') return sent
  const tag = `-${contentTag}`
  if (!sent.endsWith(tag) || sent === tag) throw invalidCursor()
  return sent.slice(0, -tag.length)
}
