import { UnsupportedVersion } from '../database/migrate.ts'
import type { NotReadyReason, StoreRecords, StoreState, StoreStates } from '../http/observe/store-state.ts'
import { newestChangeAt } from '../shop/log/newest-change.ts'
import { readWaitingWork } from '../shop/registry/waiting-work.ts'
import { parseInstantMs } from '../values/instant.ts'
import { singleFlight } from '../values/single-flight.ts'
import type { StoreEngine } from './open.ts'

/** The longest time that a probe waits for the database. */
const PING_MS_MAX = 1500

interface StoreStateOptions {
  readonly engine: StoreEngine
  readonly clock: () => number
  readonly isDraining: () => boolean
  /** Absent for a store whose operator makes no backups. */
  readonly backups?: { records(): Promise<StoreRecords> }
}

export function storeStates({ engine, clock, isDraining, backups }: StoreStateOptions): StoreStates {
  // Concurrent probes share one query, because probes have no other limit.
  const ping = singleFlight(() => engine.ping())
  const notReady = async (): Promise<NotReadyReason | undefined> => {
    if (isDraining()) return 'draining'
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => late.reject(new Error('the database did not respond in time')),
      PING_MS_MAX,
    )
    try {
      await Promise.race([ping(), late.promise])
      return undefined
    } catch (error) {
      return error instanceof UnsupportedVersion ? 'schema' : 'database'
    } finally {
      clearTimeout(timer)
    }
  }
  const read = singleFlight(async (): Promise<StoreState> => {
    const reason = await notReady()
    const responds = reason === undefined || reason === 'draining'
    const nowMs = clock()
    // A database that fails from here on is one that does not respond: the next read of the metrics says so.
    const [storage, waiting, newestAt, records] = await Promise.all([
      engine.storageState(responds).catch(() => undefined),
      responds ? orUndefined(() => engine.readShort(readWaitingWork)) : undefined,
      responds ? orUndefined(() => engine.readShort(newestChangeAt)) : undefined,
      responds && backups ? orUndefined(() => backups.records()) : undefined,
    ])
    const clockAheadMs = storage?.clockAheadMs ?? behind(newestAt, nowMs)
    return { engine: engine.name, nowMs, notReady: reason, storage, waiting, records, clockAheadMs }
  })
  return { notReady, read }
}

/** Returns how far a clock is ahead of the newest change: a negative number, or 0 if the change is in the past. */
function behind(newestAt: string | null | undefined, nowMs: number): number | undefined {
  if (newestAt === undefined) return undefined
  return Math.min(0, nowMs - ((newestAt === null ? undefined : parseInstantMs(newestAt)) ?? nowMs))
}

async function orUndefined<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch {
    return undefined
  }
}
