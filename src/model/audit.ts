/** An event as it is kept: what the chain of hashes is made over. `data` is JSON text, `at` in the stored form. */
export interface EventRecord {
  readonly id: bigint
  readonly type: string
  readonly subject: string
  readonly subjectVersion: bigint
  readonly data: string
  /** The key that did it; null for the store itself. */
  readonly keyId: bigint | null
  readonly requestId: string
  readonly at: string
}

/** One link of the chain: the place of an event, and a hash over it and all that came before. */
export interface Link {
  readonly position: bigint
  readonly hash: string
}

/** What the first event is chained to. */
export const CHAIN_START: Link = { position: 0n, hash: '' }

/**
 * Chains an event to the one before: SHA-256, base64url, over the hash before and everything that is kept of the event.
 * Who changes, drops or adds a row has to change every link after it, and a link that was noted elsewhere tells.
 */
export function linkAfter(previous: Link, event: EventRecord): Link {
  const { id, type, subject, subjectVersion, data, keyId, requestId, at } = event
  const position = previous.position + 1n
  const content = [
    ...[previous.hash, `${position}`, `${id}`, type, subject, `${subjectVersion}`],
    ...[data, keyId === null ? null : `${keyId}`, requestId, at],
  ]
  return { position, hash: Bun.SHA256.hash(JSON.stringify(content), 'base64url') }
}
