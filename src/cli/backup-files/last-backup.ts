import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Reader } from '../../database/engine.ts'
import { writeWholeFile } from '../../files/private-file.ts'
import { runSystemCommand } from '../../serving/system-command.ts'
import { readMetadata } from '../../shop/kernel/metadata.ts'
import { LAST_BACKUP } from '../../transfer/sqlite-restore.ts'
import { parseInstantMs } from '../../values/instant.ts'
import { openStopped } from '../store-access/stopped-store.ts'

const LAST_AUDIT_CHECK = 'last-audit-check'
const LAST_DRILL = 'last-drill'
const RECORDS = [LAST_BACKUP, LAST_AUDIT_CHECK, LAST_DRILL] as const

/** What a store knows of its last backup, or of the last check of its whole audit log. */
export interface CheckRecord {
  /** When it began, as RFC 3339 text in UTC. */
  readonly at: string
  /** Whether the audit log was intact; undefined if the record does not say. */
  readonly isAuditIntact?: boolean
}

/**
 * Records when the last backup of a store began. On SQLite, the record is a file of the data directory: only the
 * process that serves the store may write to the database, and a command at night has no key for it.
 */
export async function recordBackup(config: Config, record: Required<CheckRecord>): Promise<void> {
  await write(config, LAST_BACKUP, record)
}

/** Records a check of the audit log that is not part of a backup. */
export async function recordAuditCheck(config: Config, record: Required<CheckRecord>): Promise<void> {
  await write(config, LAST_AUDIT_CHECK, record)
}

/** Records that a backup was restored into a scratch directory, and checked. */
export async function recordDrill(config: Config, record: Required<CheckRecord>): Promise<void> {
  await write(config, LAST_DRILL, record)
}

async function write(
  config: Config,
  name: (typeof RECORDS)[number],
  { at, isAuditIntact }: Required<CheckRecord>,
): Promise<void> {
  const value = `${at} ${isAuditIntact ? 'intact' : 'damaged'}`
  if (config.databaseUrl === undefined) {
    writeWholeFile(join(config.data, name), `${value}\n`, { replace: true })
    return
  }
  await using store = await openStopped(config)
  const { engine } = store
  await runSystemCommand(engine, 'replaceMetadata', { name, value }, engine.clock)
}

/** Deletes the records of the store that was in a data directory. */
export function forgetBackups(directory: string): void {
  for (const name of RECORDS) rmSync(join(directory, name), { force: true })
}

/**
 * Returns the last backup of a store, and the last check of its audit log, which a backup is too. A restore records its
 * backup.
 */
export async function findRecords(
  reader: Reader,
  { databaseUrl, data }: Config,
): Promise<Readonly<Record<'backup' | 'auditCheck' | 'drill', CheckRecord | undefined>>> {
  const found = async (name: (typeof RECORDS)[number]): Promise<CheckRecord[]> => {
    const texts = [await readMetadata(reader, name), databaseUrl === undefined ? readFile(data, name) : '']
    return texts.flatMap(text => recordIn(text ?? ''))
  }
  const backups = await found(LAST_BACKUP)
  const checks = [...backups, ...(await found(LAST_AUDIT_CHECK))]
  return {
    backup: newest(backups),
    drill: newest(await found(LAST_DRILL)),
    auditCheck: newest(checks.filter(({ isAuditIntact }) => isAuditIntact !== undefined)),
  }
}

function newest(records: readonly CheckRecord[]): CheckRecord | undefined {
  return records.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1)
}

function recordIn(text: string): CheckRecord[] {
  const [at = '', result] = text.trim().split(' ')
  if (parseInstantMs(at) === undefined) return []
  return [{ at, ...(result !== undefined && { isAuditIntact: result === 'intact' }) }]
}

function readFile(directory: string, name: string): string {
  try {
    return readFileSync(join(directory, name), 'utf8')
  } catch {
    // A missing or unreadable record means that a backup is asked for, which is safe.
    return ''
  }
}
