import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import {
  newDatabase,
  startPostgresIn,
  startPostgresServer,
  VERSION_VARIABLE,
} from '../support/postgres-server.ts'
import { ROOT } from '../support/root.ts'
import { makePet } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

/** What may be missing at most: `archive_timeout` of the guide. */
const LOST_MS_MAX = 60_000
/** The version of PostgreSQL whose log the pgBackRest of Debian 12 knows. */
const MAJOR = '15'

/** Runs pgBackRest as the user of the server. Returns whether it succeeded; otherwise writes what it said. */
function pgBackRest(configuration: string, args: readonly string[]): void {
  const asServer =
    process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [...asServer, 'pgbackrest', `--config=${configuration}`, '--stanza=shop', ...args],
    {
      env: { PATH: process.env.PATH ?? '', PGPASSWORD: 'postgres', HOME: '/tmp' },
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  if (exitCode !== 0) throw new Error(`pgbackrest ${args.join(' ')}: ${stdout}${stderr}`)
}

/** The configuration as it is shipped, with other paths. */
function configurationFor(directory: string, port: string): string {
  const paths = ['lock', 'spool', 'log'].map(name => `${name}-path=${directory}/${name}\n`).join('')
  return readFileSync(join(ROOT, 'deploy/pgbackrest/pgbackrest.conf'), 'utf8')
    .replace('/mnt/backups/pgbackrest', `${directory}/repo`)
    .replace('[global]\n', `[global]\n${paths}log-level-file=off\n`)
    .replace(
      /pg1-path=.*/,
      `pg1-path=${directory}/data\npg1-port=${port}\npg1-socket-path=/tmp\npg1-user=postgres`,
    )
}

/** Places orders in a store for some seconds, with a backup in between. Returns those that were acknowledged. */
async function placeOrders(databaseUrl: string, backUp: () => void): Promise<{ id: bigint; atMs: number }[]> {
  await using store = await openTestStore('postgres', { databaseUrl })
  const { petId } = await makePet(store.client, { quantity: 100_000n })
  const journal: { id: bigint; atMs: number }[] = []
  const order = async (untilMs: number): Promise<void> => {
    while (Date.now() < untilMs) {
      const { data } = await store.client.placeOrder({ body: { petId } })
      journal.push({ id: data.id ?? 0n, atMs: Date.now() })
    }
  }
  await order(Date.now() + 2000)
  backUp()
  await order(Date.now() + 5000)
  return journal
}

/** Restores the database as of an instant, and starts a server on it. Returns the ids of its orders. */
async function restoredOrders(
  configuration: string,
  folder: string,
  database: string,
  atMs: number,
): Promise<Set<bigint>> {
  const restored = join(folder, 'restored')
  mkdirSync(restored)
  chmodSync(restored, 0o777)
  const target = new Date(atMs).toISOString().replace('T', ' ').replace('Z', '+00')
  const at = [`--pg1-path=${join(restored, 'data')}`, '--type=time', `--target=${target}`]
  pgBackRest(configuration, ['restore', ...at, '--target-action=promote'])
  const again = await startPostgresIn(restored, { settings: ['archive_mode=off'] })
  const pool = new SQL({ url: again.address + database, bigint: true, max: 1 })
  // Until it has reached the instant, the server only reads.
  await until('the recovery has ended', async () => {
    const [row] = await pool.unsafe<{ recovers: boolean }[]>('SELECT pg_is_in_recovery() AS recovers')
    return row?.recovers === false
  })
  const rows = await pool.unsafe<{ id: bigint }[]>('SELECT id FROM orders')
  await pool.close()
  await again.crash()
  return new Set(rows.map(({ id }) => id))
}

/**
 * Shows that a store on PostgreSQL with archived logs can be restored to an instant. Returns 1 if an order is missing
 * that was acknowledged a minute before it, or one is there that came after it.
 */
export async function checkPgBackRest(): Promise<number> {
  if (Bun.which('pgbackrest') === null) {
    process.stdout.write('pgbackrest: SKIPPED: pgbackrest is not installed\n')
    return 0
  }
  process.env[VERSION_VARIABLE] = MAJOR
  const folder = mkdtempSync(join(tmpdir(), 'petstore-pgbackrest-'))
  chmodSync(folder, 0o777)
  const configuration = join(folder, 'pgbackrest.conf')
  const archive = `archive_command=pgbackrest --config=${configuration} --stanza=shop archive-push %p`
  const server = await startPostgresServer(
    'wal_level=replica',
    'archive_mode=on',
    archive,
    'archive_timeout=60',
  )
  try {
    const { port } = new URL(server.address)
    for (const name of ['repo', 'lock', 'spool', 'log']) {
      mkdirSync(join(folder, name))
      chmodSync(join(folder, name), 0o777)
    }
    writeFileSync(
      configuration,
      configurationFor(folder, port).replace(`${folder}/data`, join(server.directory, 'data')),
    )
    pgBackRest(configuration, ['stanza-create'])
    const databaseUrl = await newDatabase(server.address)
    const journal = await placeOrders(databaseUrl, () => pgBackRest(configuration, ['backup']))
    await using admin = new SQL({ url: `${server.address}/postgres`, max: 1 })
    // A quiet database would wait for archive_timeout.
    await admin.unsafe('SELECT pg_switch_wal()')
    pgBackRest(configuration, ['check'])
    const atMs = (journal.at(-1)?.atMs ?? 0) - 2000
    const found = await restoredOrders(configuration, folder, new URL(databaseUrl).pathname, atMs)
    const missing = journal.filter(order => order.atMs <= atMs && !found.has(order.id))
    const later = journal.filter(order => order.atMs > atMs + 1000 && found.has(order.id))
    const lostMs = Math.max(0, ...missing.map(order => atMs - order.atMs))
    const isRight = lostMs <= LOST_MS_MAX && later.length === 0
    const result = isRight ? '' : 'FAILED: '
    process.stdout.write(
      `pgbackrest: ${result}restored to an instant with ${found.size} of ${journal.length} orders; ` +
        `${missing.length} of before it are missing (${lostMs} ms), ${later.length} of after it are there\n`,
    )
    return isRight ? 0 : 1
  } finally {
    delete process.env[VERSION_VARIABLE]
    await server.crash()
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) process.exit(await checkPgBackRest())
