import type { EventRecord } from '../new-event.ts'

/** One entry of the hash chain: the position of an event, and a hash over this event and all events before it. */
export interface ChainEntry {
  readonly position: bigint
  readonly hash: string
}

/** The entry before the first event. */
export const CHAIN_START: ChainEntry = { position: 0n, hash: '' }

/**
 * Returns the chain entry of an event: SHA-256, base64url, over the previous hash and all stored members of the event.
 * Changing, deleting or adding a row changes the hash of every later entry. A hash that was saved elsewhere reveals
 * this.
 */
export function nextChainEntry(previous: ChainEntry, event: EventRecord): ChainEntry {
  const { id, type, subject, subjectVersion, data, keyId, requestId, at, traceparent } = event
  const position = previous.position + 1n
  const content = [
    previous.hash,
    `${position}`,
    `${id}`,
    type,
    subject,
    `${subjectVersion}`,
    data,
    keyId === null ? null : `${keyId}`,
    requestId,
    at,
    // An event without a trace has the hash that it had before events had traces.
    ...(traceparent === null ? [] : [traceparent]),
  ]
  return { position, hash: Bun.SHA256.hash(JSON.stringify(content), 'base64url') }
}

/** Positions that no event has: a restored store skips those that may have been issued after its backup. */
export interface ChainGap {
  /** The last position before the gap. */
  readonly after: bigint
  /** The last position of the gap. */
  readonly to: bigint
  /** When the store was restored, in the stored form. */
  readonly at: string
}

/** Returns the chain entry that ends a gap: its hash covers the previous hash and the gap. */
export function chainEntryAfterGap(previous: ChainEntry, { after, to, at }: ChainGap): ChainEntry {
  const content = [previous.hash, 'gap', `${after}`, `${to}`, at]
  return { position: to, hash: Bun.SHA256.hash(JSON.stringify(content), 'base64url') }
}
