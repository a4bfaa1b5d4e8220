import type { StorageState } from '../../database/engine.ts'
import type { WaitingWork } from '../../shop/registry/waiting-work.ts'

/** Why the readiness probe of a store fails. */
export const notReadyReasons = ['draining', 'database', 'schema'] as const
export type NotReadyReason = (typeof notReadyReasons)[number]

/** When a store was last backed up, and its audit log checked. Instants are in milliseconds since 1970. */
export interface StoreRecords {
  readonly lastBackupMs?: number | undefined
  readonly lastDrillMs?: number | undefined
  readonly lastAuditCheckMs?: number | undefined
  readonly isAuditLogIntact?: boolean | undefined
  /** The backups of the nights since the start, by result; undefined if the store makes none itself. */
  readonly nightlyBackups?: Readonly<Record<'saved' | 'damaged' | 'failed', number>> | undefined
}

/** Reads the state of a store for probes and metrics. */
export interface StoreStates {
  /** Returns why the readiness probe fails; undefined if the store is ready. */
  readonly notReady: () => Promise<NotReadyReason | undefined>
  readonly read: () => Promise<StoreState>
}

/** The state of a store when its metrics are read. What the database does not say now is undefined. */
export interface StoreState {
  readonly engine: 'sqlite' | 'postgres'
  readonly nowMs: number
  readonly notReady: NotReadyReason | undefined
  readonly storage: StorageState | undefined
  readonly waiting: WaitingWork | undefined
  /** Undefined for a store whose operator makes no backups, such as a sandbox. */
  readonly records: StoreRecords | undefined
  readonly clockAheadMs: number | undefined
}
