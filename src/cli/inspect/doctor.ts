import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { type Command, Option } from 'commander'
import manifest from '../../../package.json' with { type: 'json' }
import type { Config } from '../../config.ts'
import type { Reader } from '../../database/engine.ts'
import { SqliteConnection } from '../../database/sqlite/connection.ts'
import { isDirectoryLocked } from '../../database/sqlite/data-lock.ts'
import { databaseFile, refuseWrongFiles } from '../../database/sqlite/database-file.ts'
import { dynamicSql, sql } from '../../database/statement.ts'
import { arePagesBuilt } from '../../files/program-files.ts'
import { isSecretKeyOf } from '../../serving/first-start.ts'
import { readMetadata } from '../../shop/kernel/metadata.ts'
import { hasAdminKey } from '../../shop/keys/verbs.ts'
import { clockBehind } from '../../shop/log/newest-change.ts'
import { verifyAuditChain } from '../../shop/log/verification.ts'
import { findWrongKeys, findWrongTotals, invariants } from '../../shop/registry/invariants.ts'
import { hasEncryptedSecret } from '../../shop/webhooks/verbs.ts'
import { countText } from '../../values/count-text.ts'
import { parseInstantMs, storedInstant } from '../../values/instant.ts'
import { DAY_MS } from '../../values/time-zone.ts'
import { findRecords } from '../backup-files/last-backup.ts'
import { readOwnSecretKey, secretKeyPath } from '../keys/secret-key.ts'
import { readAddressFile } from '../store-access/address-file.ts'
import { adminKeyPath } from '../store-access/admin-key-file.ts'
import { openSnapshot } from '../store-access/snapshot.ts'
import { databaseVersion } from '../store-access/stopped-store.ts'
import {
  AS_OWNER,
  addPlaceOptions,
  hasDatabase,
  type PlaceOptions,
  storeConfigFrom,
} from '../store-access/store-config.ts'
import { CommandFailed, escapeControls, print, reasonOf } from '../terminal/terminal.ts'

/** The result of a check: a fact, a warning or a problem. A warning or problem names a remedy if there is one. */
type Finding = string | { readonly warning: string } | { readonly problem: string }

/** The name of what a check examines, and the check. If the check throws, the error is reported as a problem. */
type Check = readonly [subject: string, check: () => Promise<Finding> | Finding]

/** If the disk has fewer free bytes than this, the check of the directory warns. */
const FREE_BYTES_MIN = 500 * 1_048_576
const PROBLEMS_SHOWN = 5
/** The file that the units of deploy/ read. */
const ENVIRONMENT_FILE = '/etc/petstore.env'
const BACKUP_AGE_MAX_MS = 7 * DAY_MS

const firstKey = sql<{ since: string | null }>()('SELECT min(created_at) AS since FROM api_key')

const troubledWebhooks = sql<{ id: bigint }>()(
  `SELECT id FROM webhook WHERE failures > 0 OR disabled_reason IN ('gone', 'failing') ORDER BY id`,
)

const EXAMPLES = `
This command changes nothing, and the store can be running. The exit code is 1 if a check fails; warnings count only
with --strict. Run it with the environment of the service, for example with systemd-run.
The checks of a store with a million pets take about a minute.

Examples:
  petstore doctor
  petstore doctor --data /var/lib/petstore
  petstore doctor --output json --strict`

interface DoctorOptions extends PlaceOptions {
  readonly output: 'text' | 'json'
  readonly strict?: boolean
}

/** Adds the command `doctor`, which checks an installation and a store. */
export function addDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .description('check the installation, the database and the stock')
    .addOption(
      new Option('--output <format>', 'text, or one JSON object').choices(['text', 'json']).default('text'),
    )
    .option('--strict', 'fail if a check warns, too')
  addPlaceOptions(command).addHelpText('after', EXAMPLES).action(runDoctor)
}

async function runDoctor({ data, databaseUrl, output, strict }: DoctorOptions): Promise<void> {
  const config = storeConfigFrom({ data, databaseUrl })
  const done: CheckResult[] = []
  const run = async (checks: readonly Check[]): Promise<void> => {
    for await (const result of resultsOf(checks)) {
      done.push(result)
      if (output === 'text') await print(lineOf(result))
    }
  }
  const count = (level: CheckResult['level']): number => done.filter(result => result.level === level).length
  await run(installationChecks(config))
  if (count('problem') === 0) {
    if (config.databaseUrl !== undefined || hasDatabase(config.data)) await withStore(config, run)
    else await run([['store', () => ({ warning: noStoreIn(config) })]])
  }
  const [problems, warnings] = [count('problem'), count('warning')]
  if (output === 'json')
    await print(`${JSON.stringify({ problems, warnings, checks: done }, undefined, 2)}\n`)
  if (problems > 0) throw new CommandFailed(`${countText(problems, 'check')} failed.`)
  if (strict && warnings > 0) throw new CommandFailed(`${countText(warnings, 'check')} warned.`)
}

function noStoreIn({ data }: Config): string {
  return `there is none in ${data} yet; "petstore serve" creates it`
}

/** What a check found. */
interface CheckResult {
  readonly check: string
  readonly level: 'ok' | 'warning' | 'problem'
  readonly text: string
}

/** Runs checks one after another. One that throws found a problem. */
async function* resultsOf(checks: readonly Check[]): AsyncGenerator<CheckResult> {
  for (const [check, find] of checks) {
    let finding: Finding
    try {
      finding = await find()
    } catch (error) {
      finding = { problem: `${reasonOf(error)}.` }
    }
    if (typeof finding === 'string') yield { check, level: 'ok', text: finding }
    else if ('warning' in finding) yield { check, level: 'warning', text: finding.warning }
    else yield { check, level: 'problem', text: finding.problem }
  }
}

const marks = { ok: 'ok  ', warning: 'warn', problem: 'FAIL' } as const

/** Returns a result as a line for people. */
export function lineOf({ check, level, text }: CheckResult): string {
  return `${marks[level]}  ${check.padEnd(14)}  ${escapeControls(text)}\n`
}

function installationChecks(config: Config): Check[] {
  const needed = manifest.dependencies.bun
  const ofDirectory: Check[] = [
    ['directory', () => checkDirectory(config)],
    ['files', () => checkFiles(config)],
  ]
  return [
    [
      'runtime',
      () =>
        Bun.version === needed
          ? `Bun ${Bun.version}`
          : { warning: `Bun ${Bun.version}; petstore ${manifest.version} is tested with ${needed}` },
    ],
    [
      'pages',
      () =>
        arePagesBuilt()
          ? 'the docs page and the console are built'
          : { warning: 'the docs page, the guides or the console is not built: run "npm ci" once' },
    ],
    ['environment', checkEnvironmentFile],
    ...(config.databaseUrl === undefined ? ofDirectory : []),
    ['database', () => checkVersion(config)],
  ]
}

function checkDirectory({ data }: Config): Finding {
  if (!hasDatabase(data)) return `no store in ${data}`
  const files = [databaseFile(data), `${databaseFile(data)}-wal`, secretKeyPath(data), adminKeyPath(data)]
  const unreadable = files.find(file => existsSync(file) && !isReadable(file))
  if (unreadable !== undefined) return { problem: `this user cannot read ${unreadable}. ${AS_OWNER}` }
  const mode = statSync(databaseFile(data)).mode & 0o077
  const { bavail, bsize } = statfsSync(data)
  const freeMib = Math.floor((bavail * bsize) / 1_048_576)
  if (mode !== 0) return { warning: `other users can access ${databaseFile(data)}: run chmod 600 on it` }
  if (bavail * bsize < FREE_BYTES_MIN) return { warning: `only ${freeMib} MiB of disk are free` }
  const address = readAddressFile(data)
  return `${data}, ${freeMib} MiB free, ${address ? `served at ${address}` : 'not served'}`
}

/** Checks that the files of a data directory belong together. A running store keeps them together. */
function checkFiles({ data }: Config): Finding {
  if (isDirectoryLocked(data)) return 'in use by a running store'
  refuseWrongFiles(data)
  return hasDatabase(data) ? 'the database and its log belong together' : 'none yet'
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}

async function checkVersion(config: Config): Promise<Finding> {
  if (config.databaseUrl === undefined && !hasDatabase(config.data)) return 'none yet'
  const { version, known } = await databaseVersion(config)
  const name = config.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL'
  if (version === known) return `${name}, at version ${version}`
  return { problem: `${name}, at version ${version} of ${known}: run "petstore migrate", or start the store` }
}

async function withStore(config: Config, run: (checks: readonly Check[]) => Promise<void>): Promise<void> {
  await using snapshot = await openSnapshot(config)
  await run(storeChecks(snapshot.reader, config))
}

function storeChecks(reader: Reader, config: Config): Check[] {
  return [
    ...contentChecks(reader, config),
    ['admin key', () => checkAdminKey(reader)],
    ['webhooks', () => checkWebhooks(reader)],
    ['clock', () => checkClock(reader)],
    ['backup', () => checkBackup(reader, config)],
  ]
}

function contentChecks(reader: Reader, config: Config): Check[] {
  return [
    ['file', () => checkFile(config)],
    ['stock', () => checkStock(reader)],
    ['totals', () => checkTotals(reader)],
    ['names', () => checkNames(reader)],
    ['audit log', () => checkAudit(reader)],
    ['secret key', () => checkSecretKey(reader, config)],
  ]
}

/** Checks what a backup must bring back: every page, row and total, the audit log, and the key of the secrets. */
export async function checkContent(config: Config): Promise<CheckResult[]> {
  await using snapshot = await openSnapshot(config)
  return await Array.fromAsync(resultsOf(contentChecks(snapshot.reader, config)))
}

/** Checks every page and index of a database file. PostgreSQL checks its own pages. */
function checkFile({ databaseUrl, data }: Config): Finding {
  if (databaseUrl !== undefined) return 'PostgreSQL checks its files itself'
  using connection = new SqliteConnection(databaseFile(data), { readonly: true })
  const rows = connection.database
    .query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${PROBLEMS_SHOWN})`)
    .all()
  const found = rows.map(row => row.integrity_check).join('; ')
  if (found === 'ok') return `every page of ${databaseFile(data)} is intact`
  return {
    problem: `${found}: stop the store, and try "petstore copy" to a new directory, or restore a backup`,
  }
}

async function checkStock(reader: Reader): Promise<Finding> {
  const broken: string[] = []
  for (const [name, { text }] of Object.entries(invariants)) {
    const found = await violations(reader, text)
    if (found.length > 0) broken.push(`not true: ${name} (ids ${found.join(', ')})`)
  }
  if (broken.length > 0) return { problem: broken.join('; ') }
  return `${Object.keys(invariants).length} invariants hold for every pet, order and category`
}

async function violations(reader: Reader, text: string): Promise<readonly (bigint | string)[]> {
  const rows = await reader.many(
    dynamicSql<{ id: bigint | string }>(() => `SELECT id FROM (${text}) AS found LIMIT ${PROBLEMS_SHOWN}`),
  )
  return rows.map(({ id }) => id)
}

async function checkTotals(reader: Reader): Promise<Finding> {
  const wrong = await findWrongTotals(reader)
  if (wrong.length === 0) return 'the totals of the summary are the sums of the rows'
  return { problem: `wrong totals: ${wrong.slice(0, PROBLEMS_SHOWN).join(', ')}` }
}

async function checkNames(reader: Reader): Promise<Finding> {
  const wrong = await findWrongKeys(reader)
  if (wrong.length === 0) return 'the words and sort keys are those of the names'
  return { problem: `wrong words or sort keys: ${wrong.slice(0, PROBLEMS_SHOWN).join(', ')}` }
}

async function checkAudit(reader: Reader): Promise<Finding> {
  const { problems, entries } = await verifyAuditChain(reader)
  if (problems.length > 0) return { problem: problems.slice(0, PROBLEMS_SHOWN).join(' ') }
  return `${countText(entries, 'entry is', 'entries are')} intact`
}

async function checkAdminKey(reader: Reader): Promise<Finding> {
  if (await hasAdminKey(reader, storedInstant(Date.now()))) return 'there is a valid one'
  return { warning: 'there is none: the next start creates one' }
}

async function checkSecretKey(reader: Reader, config: Config): Promise<Finding> {
  const checkValue = await readMetadata(reader, 'secret-key')
  if (checkValue === undefined) return 'not used yet'
  const key = readOwnSecretKey(config)
  if (key === undefined) {
    const missing = `${secretKeyPath(config.data)} is missing`
    // The store could not have started without its key.
    if (config.databaseUrl === undefined && isDirectoryLocked(config.data))
      return { warning: `${missing}: run this command with the environment of the running store` }
    return { problem: `${missing}: restore it from a backup` }
  }
  if (isSecretKeyOf(checkValue, key)) return 'it decrypts the webhook secrets'
  if (!(await hasEncryptedSecret(reader))) return 'not needed: there is no webhook'
  return { problem: 'it is not the key with which the webhook secrets were encrypted' }
}

async function checkWebhooks(reader: Reader): Promise<Finding> {
  const ids = (await reader.many(troubledWebhooks)).map(({ id }) => id)
  if (ids.length === 0) return 'none is failing'
  return { warning: `failing or disabled: ${ids.join(', ')} (see /webhooks/{id}/deliveries)` }
}

async function checkClock(reader: Reader): Promise<Finding> {
  const now = Date.now()
  const behind = await clockBehind(reader, now)
  return behind === undefined ? new Date(now).toISOString() : { warning: behind }
}

/** Warns like the dashboard: after a week, or if a store that is older than a day has no backup. */
async function checkBackup(reader: Reader, config: Config): Promise<Finding> {
  const { backups } = config
  if (backups !== undefined && config.databaseUrl === undefined && !existsSync(backups))
    return { warning: `${backups} (PETSTORE_BACKUPS) does not exist: is its disk mounted?` }
  const { backup } = await findRecords(reader, config)
  const since = backup?.at ?? (await reader.one(firstKey))?.since
  const ageMs = Date.now() - (parseInstantMs(since ?? '') ?? Date.now())
  if (backup === undefined)
    return ageMs > DAY_MS ? { warning: 'none is known: see "Back up" in docs/running.md' } : 'none yet'
  const text = `the last began at ${backup.at}`
  return ageMs > BACKUP_AGE_MAX_MS ? { warning: text } : text
}

/** Other users must not read the environment of the units in deploy/, which may have keys. */
function checkEnvironmentFile(): Finding {
  const status = statSync(ENVIRONMENT_FILE, { throwIfNoEntry: false })
  if (status === undefined) return 'no file of the service on this machine'
  if ((status.mode & 0o077) === 0) return `only its owner can read ${ENVIRONMENT_FILE}`
  return { warning: `other users can read ${ENVIRONMENT_FILE}: run chmod 600 on it` }
}
