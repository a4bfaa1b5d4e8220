/** The part of a stored event that the hash chain covers. `data` is JSON text; `at` is in the stored form. */
export interface EventRecord {
  readonly id: bigint
  readonly type: string
  readonly subject: string
  readonly subjectVersion: bigint
  readonly data: string
  /** The id of the key that made the change; null for the store itself. */
  readonly keyId: bigint | null
  readonly requestId: string
  readonly at: string
  /** The trace of the request that made the change; null if it named none. */
  readonly traceparent: string | null
}

/** An event as a verb records it, before it has a position. */
export interface NewEvent extends EventRecord {
  /** The pet that the event is about; null if it is about none. */
  readonly petId: bigint | null
}

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
