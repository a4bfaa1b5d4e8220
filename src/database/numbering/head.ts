import { sql } from '../statement.ts'
import type { ChainEntry } from './chain.ts'

/** Reads the head of the hash chain: the position and the hash of its last entry. */
export const readHead = sql<ChainEntry>()(`SELECT position, hash FROM chain_end WHERE name = 'head'`)

/** Moves the head of the hash chain to a new last entry. */
export const moveHead = sql()(`UPDATE chain_end SET position = $position, hash = $hash WHERE name = 'head'`)

/** Returns the row of the head, which every store has. Throws an Error if it is missing. */
export function knownHead(head: ChainEntry | undefined): ChainEntry {
  if (!head) throw new Error('the table chain_end has no row for the head')
  return head
}
