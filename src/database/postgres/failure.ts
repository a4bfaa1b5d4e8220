import { SQL } from 'bun'
import { Stale } from '../engine.ts'

/**
 * What an error of a statement means for the work that it ended:
 * - `conflict`: another transaction was in the way. The work may succeed if it runs again.
 * - `duplicate`: another transaction inserted the same key first. The work may find its row when it runs again.
 * - `locked`: a row stayed locked for too long.
 * - `slow`: the server ended a statement that took too long.
 * - `lost`: the connection is gone, no connection can be opened, or the server lacks a resource such as memory.
 * - `crowded`: the server has no connection left for the store.
 * - `full`: the server has no space left.
 * - `denied`: the server refuses the user, the password or the database, or the user lacks a privilege.
 * - `migrated`: a table or a column is missing, because another version of the program has changed the tables.
 * - `broken`: the server reports damaged data, an error of its disk, or a limit of its own.
 * - `standby`: the server accepts no writes, because another server is the primary.
 */
export type DatabaseFailure =
  | 'conflict'
  | 'duplicate'
  | 'locked'
  | 'slow'
  | 'lost'
  | 'crowded'
  | 'full'
  | 'denied'
  | 'broken'
  | 'migrated'
  | 'standby'

// The codes are those of PostgreSQL, appendix A. A code that is missing here has the meaning of its class.
const failures: Readonly<Record<string, DatabaseFailure>> = {
  '23505': 'duplicate',
  '40001': 'conflict',
  '40P01': 'conflict',
  '55P03': 'locked',
  '57014': 'slow',
  // Another statement of the transaction has failed.
  '25P02': 'conflict',
  // The session was idle in a transaction for too long.
  '25P03': 'lost',
  '53100': 'full',
  '53300': 'crowded',
  // A limit of the configuration, such as temp_file_limit.
  '53400': 'broken',
  '28000': 'denied',
  '28P01': 'denied',
  '3D000': 'denied',
  '42501': 'denied',
  '42P01': 'migrated',
  '42703': 'migrated',
  '25006': 'standby',
}

/** The failures of the classes of codes: connection, resources, limits, intervention, system, internal. */
const classes: Readonly<Record<string, DatabaseFailure>> = {
  '08': 'lost',
  '53': 'lost',
  '54': 'broken',
  '57': 'lost',
  '58': 'broken',
  XX: 'broken',
}

/** Returns what an error means; undefined for a refusal of the store and for a bug, which would only happen again. */
export function failureOf(error: unknown): DatabaseFailure | undefined {
  if (error instanceof Stale) return 'conflict'
  if (!(error instanceof SQL.PostgresError)) return undefined
  if (error.code !== 'ERR_POSTGRES_SERVER_ERROR') return isConnectionCode(error.code) ? 'lost' : undefined
  const state = sqlState(error)
  return failures[state] ?? classes[state.slice(0, 2)]
}

function isConnectionCode(code: string): boolean {
  return /^ERR_POSTGRES_(CONNECTION|IDLE_TIMEOUT|LIFETIME_TIMEOUT)/.test(code)
}

/** Returns whether a pooler between the store and PostgreSQL refused a setting of a session. */
export function isRefusedSetting(error: unknown): boolean {
  return sqlState(error) === '08P01' && error instanceof Error && error.message.includes('startup parameter')
}

/** Returns whether a connection failed: the host does not exist, does not respond, refuses it, or has closed it. */
export function isUnreachable(error: unknown): error is Error {
  return error instanceof SQL.PostgresError && isConnectionCode(error.code)
}

export function isTlsMissing(error: unknown): boolean {
  return error instanceof SQL.PostgresError && error.code === 'ERR_POSTGRES_TLS_NOT_AVAILABLE'
}

/** Returns the SQLSTATE of an error of the server, or an empty text. */
export function sqlState(error: unknown): string {
  return error instanceof SQL.PostgresError ? (error.errno ?? '') : ''
}
