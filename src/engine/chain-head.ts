import type { ChainEntry } from '../model/audit-chain.ts'
import { sql } from './statement.ts'

/** Reads the last entry of the hash chain. */
export const readHead = sql<ChainEntry>()(`SELECT position, hash FROM chain_end WHERE name = 'head'`)

/** Moves the end of the hash chain. */
export const moveHead = sql()(`UPDATE chain_end SET position = $position, hash = $hash WHERE name = 'head'`)
