import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { databaseFile } from '../../database/sqlite/database-file.ts'
import { syncFile } from '../../files/private-file.ts'
import { pause } from '../../serving/sweeping.ts'
import { backupSqlite } from '../../transfer/sqlite-backup.ts'
import { formatInstantMs } from '../../values/instant.ts'
import type { Log } from '../../values/log.ts'
import { clocksIn, DAY_MS } from '../../values/time-zone.ts'
import { reasonOf } from '../terminal/terminal.ts'
import { DATABASE_FILE, MANIFEST_FILE, readManifest, verifyBackup } from './backup-manifest.ts'
import { recordBackup } from './last-backup.ts'
import { makeBackup } from './make-backup.ts'

/** The hour of the shop at which a backup is due. */
const HOUR = '03:00'
const FIRST_CHECK_MS = 2000
const CHECK_EVERY_MS = 60_000
/** The delay after a backup that failed, such as on a full disk. */
const RETRY_MS = 15 * 60_000
/** How many days, weeks and months keep a backup: the last one of each that has any. */
const KEPT = { day: 7, week: 4, month: 12 } as const

const NAME = /^petstore-([0-9a-f]{8})-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z$/

export interface NightlyOptions {
  readonly config: Config
  /** The directory of the backups; it must exist, because a directory of a disk that is not mounted does not. */
  readonly directory: string
  /** Tells the backups of this store from those of another one in the same directory: 8 hexadecimal digits. */
  readonly storeId: string
  readonly log: Log
  /** The time in milliseconds since 1970. */
  readonly clock?: () => number
  readonly firstCheckMs?: number
  readonly checkEveryMs?: number
}

/** How many backups had each result since the start. */
export interface BackupCounts {
  saved: number
  /** Saved, but the audit log of the store was changed. */
  damaged: number
  failed: number
}

/**
 * Makes a backup of a store on SQLite each night, and soon after the start if that of the last night is missing. Reads
 * it again, and deletes the old ones that the schedule does not keep. `stop` gives up a backup that is being made.
 */
export function startNightlyBackups(options: NightlyOptions): {
  readonly counts: Readonly<BackupCounts>
  stop(): Promise<void>
} {
  const { directory, storeId, log, clock = Date.now, config } = options
  const { firstCheckMs = FIRST_CHECK_MS, checkEveryMs = CHECK_EVERY_MS } = options
  const counts: BackupCounts = { saved: 0, damaged: 0, failed: 0 }
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async (): Promise<void> => {
    for (let waitMs = firstCheckMs; await pause(waitMs, signal); ) {
      waitMs = checkEveryMs
      if (!isDue(backupsIn(directory, storeId), clock(), config.timeZone)) continue
      try {
        counts[await makeOne(options, clock(), signal)]++
      } catch (error) {
        if (signal.aborted) return
        counts.failed++
        log.error({ directory, error: reasonOf(error) }, 'the backup of the night failed')
        waitMs = RETRY_MS
      }
    }
  }
  const running = run()
  return {
    counts,
    stop: async () => {
      stopping.abort(new Error('the store stops'))
      await running
    },
  }
}

async function makeOne(
  { config, directory, storeId, log }: NightlyOptions,
  nowMs: number,
  signal: AbortSignal,
): Promise<'saved' | 'damaged'> {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${directory} is not a directory: is its disk mounted?`)
  const to = join(directory, nameOf(storeId, nowMs))
  const { at, bytes, auditProblem } = await makeBackup({
    to,
    signal,
    copyDatabase: async draft => {
      const task = { from: databaseFile(config.data), to: join(draft, DATABASE_FILE) }
      const facts = await backupSqlite(task, { signal, onBytes: () => {} })
      syncFile(task.to)
      return { facts, engine: 'sqlite' }
    },
    // One that was not read whole is none, so no good one is deleted for it.
    verify: draft => verifyBackup(draft, readManifest(draft), { signal, onBytes: () => {} }),
  })
  await recordBackup(config, { at, isAuditIntact: auditProblem === undefined }).catch(error =>
    log.error({ backup: to, error: reasonOf(error) }, 'the console will not know of a backup'),
  )
  // The older ones have the audit log before its change.
  const old = auditProblem === undefined ? deletable(backupsIn(directory, storeId), config.timeZone) : []
  let deleted = 0
  for (const { name } of old) {
    try {
      rmSync(join(directory, name), { recursive: true, force: true })
      deleted++
    } catch (error) {
      log.error({ backup: join(directory, name), error: reasonOf(error) }, 'an old backup cannot be deleted')
    }
  }
  log.info({ backup: to, bytes, deleted }, 'the backup of the night was made')
  if (auditProblem === undefined) return 'saved'
  log.error({ backup: to, error: auditProblem }, 'the audit log of the store was changed')
  return 'damaged'
}

/** A backup of this schedule. Other files of the directory are left alone. */
interface NightlyBackup {
  readonly name: string
  readonly atMs: number
}

/** Returns the id of the store that made a backup of a night; undefined for another name. */
export function storeIdIn(name: string): string | undefined {
  return NAME.exec(name)?.[1]
}

function nameOf(storeId: string, ms: number): string {
  return `petstore-${storeId}-${formatInstantMs(ms - (ms % 1000)).replaceAll(':', '-')}`
}

function backupsIn(directory: string, storeId: string): NightlyBackup[] {
  try {
    return readdirSync(directory).flatMap(name => {
      const [, id, day, hour, minute, second] = NAME.exec(name) ?? []
      const isOwn = id === storeId && existsSync(join(directory, name, MANIFEST_FILE))
      return isOwn ? [{ name, atMs: Date.parse(`${day}T${hour}:${minute}:${second}Z`) }] : []
    })
  } catch {
    // The attempt to make a backup says what is wrong.
    return []
  }
}

/** Returns whether the last night has no backup. One that is dated later than now says nothing. */
export function isDue(backups: readonly NightlyBackup[], nowMs: number, timeZone: string): boolean {
  const { localTime, instantOf } = clocksIn(timeZone)
  const nightOf = (ms: number): number => instantOf(`${localTime(ms).slice(0, 10)}T${HOUR}`)
  const tonight = nightOf(nowMs)
  const dueAtMs = tonight <= nowMs ? tonight : nightOf(tonight - DAY_MS)
  return !backups.some(({ atMs }) => atMs >= dueAtMs && atMs <= nowMs)
}

/** Returns the backups that are not the last one of a day, a week or a month which keeps one. */
export function deletable(backups: readonly NightlyBackup[], timeZone: string): NightlyBackup[] {
  const { localTime } = clocksIn(timeZone)
  const newestFirst = backups.toSorted((a, b) => b.atMs - a.atMs)
  const kept = new Set<NightlyBackup>()
  const periods = {
    day: (ms: number) => localTime(ms).slice(0, 10),
    // Weeks begin on Monday, and 1970 began on a Thursday.
    week: (ms: number) => Math.floor((Date.parse(`${localTime(ms).slice(0, 10)}Z`) / DAY_MS + 3) / 7),
    month: (ms: number) => localTime(ms).slice(0, 7),
  }
  for (const [period, nameIn] of Object.entries(periods)) {
    const seen = new Set<string | number>()
    for (const backup of newestFirst) {
      const name = nameIn(backup.atMs)
      // Safe: the keys of `periods` are those of KEPT.
      if (seen.has(name) || seen.size >= KEPT[period as keyof typeof KEPT]) continue
      seen.add(name)
      kept.add(backup)
    }
  }
  return newestFirst.filter(backup => !kept.has(backup))
}
