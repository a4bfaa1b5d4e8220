import { Database } from 'bun:sqlite'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '../support/client.ts'
import { run, runToEnd } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { makePet } from '../support/shop.ts'
import { newStoreDirectory } from '../support/store-directory.ts'

const LOAD_MS = 40_000
const INSTANTS = 20
/** What may be missing at most: what was acknowledged less than this before the instant of a restore. */
const LOST_MS_MAX = 60_000

/** An order that the store has acknowledged. */
interface Acknowledged {
  readonly id: bigint
  readonly atMs: number
}

/** Places orders one after another, until `isOver`. Returns those that were acknowledged. */
async function placeOrders(
  client: Client,
  isOver: () => boolean,
): Promise<{ journal: Acknowledged[]; slowestMs: number }> {
  const { petId } = await makePet(client, { quantity: 1_000_000n })
  const journal: Acknowledged[] = []
  let slowestMs = 0
  while (!isOver()) {
    const startedMs = performance.now()
    const { data } = await client.placeOrder({ body: { petId } })
    slowestMs = Math.max(slowestMs, performance.now() - startedMs)
    journal.push({ id: data.id ?? 0n, atMs: Date.now() })
  }
  return { journal, slowestMs }
}

/** The configuration as it is shipped, with other paths. */
function configurationFor(data: string, replica: string): string {
  return readFileSync(join(ROOT, 'deploy/litestream/litestream.yml'), 'utf8')
    .replace('/var/lib/petstore', data)
    .replace('/mnt/backups/petstore', replica)
}

/** Restores a store as of an instant, or as late as possible. Returns the ids of its orders. */
async function restoredOrders(
  configuration: string,
  data: string,
  to: string,
  atMs?: number,
): Promise<Set<bigint>> {
  const file = `${to}.db`
  const instant = atMs === undefined ? [] : ['-timestamp', new Date(atMs).toISOString()]
  const shipped = await runToEnd(
    ['litestream', 'restore', '-config', configuration, ...instant, '-o', file, join(data, 'petstore.db')],
    { PATH: process.env.PATH ?? '' },
  )
  if (shipped.exitCode !== 0) throw new Error(`litestream restore: ${shipped.errors}`)
  const restored = await run(['restore', '--from-litestream', file, '--to', to])
  if (restored.exitCode !== 0) throw new Error(restored.errors)
  const audit = await run(['audit', 'verify', '--data', to])
  if (audit.exitCode !== 0) throw new Error(audit.errors)
  const mode = statSync(join(to, 'petstore.db')).mode & 0o777
  if (mode !== 0o600) throw new Error(`the restored database has the mode ${mode.toString(8)}`)
  using database = new Database(join(to, 'petstore.db'), { safeIntegers: true, readonly: true })
  const tables = database.query<{ n: bigint }, []>(
    `SELECT count(*) AS n FROM sqlite_master WHERE name LIKE '%litestream%'`,
  )
  if (tables.get()?.n !== 0n) throw new Error('tables of Litestream are left')
  return new Set(
    database
      .query<{ id: bigint }, []>('SELECT id FROM orders')
      .all()
      .map(({ id }) => id),
  )
}

/**
 * Shows that a store which Litestream ships can be restored to any instant: orders are placed, both programs are
 * killed, and 20 restores are compared with what was acknowledged. Returns the number of restores that lack something.
 */
export async function checkLitestream(): Promise<number> {
  if (Bun.which('litestream') === null) {
    process.stdout.write('litestream: SKIPPED: litestream is not installed\n')
    return 0
  }
  await using place = await newStoreDirectory('sqlite')
  const scratch = mkdtempSync(join(tmpdir(), 'petstore-litestream-'))
  const configuration = join(scratch, 'litestream.yml')
  mkdirSync(join(scratch, 'replica'))
  writeFileSync(configuration, configurationFor(place.directory, join(scratch, 'replica')))
  try {
    await using server = await place.start()
    const shipping = Bun.spawn(['litestream', 'replicate', '-config', configuration], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const startMs = Date.now()
    await Bun.sleep(3000)
    const { journal, slowestMs } = await placeOrders(
      place.client(server),
      () => Date.now() - startMs > LOAD_MS,
    )
    await server.kill('SIGKILL')
    shipping.kill('SIGKILL')
    await shipping.exited
    let failed = 0
    let lostMs = 0
    const [first, last] = [journal[0]?.atMs ?? 0, journal.at(-1)?.atMs ?? 0]
    for (let index = 0; index < INSTANTS; index++) {
      const atMs = first + 5000 + Math.floor(Math.random() * (last - first - 5000))
      const found = await restoredOrders(configuration, place.directory, join(scratch, `at-${index}`), atMs)
      const missing = journal.filter(order => order.atMs <= atMs && !found.has(order.id))
      const later = journal.filter(order => order.atMs > atMs + 5000 && found.has(order.id))
      const oldestMs = Math.max(0, ...missing.map(order => atMs - order.atMs))
      lostMs = Math.max(lostMs, oldestMs)
      if (oldestMs > LOST_MS_MAX || later.length > 0) failed++
    }
    const found = await restoredOrders(configuration, place.directory, join(scratch, 'last'))
    const lost = journal.filter(({ id }) => !found.has(id))
    const lostAtKillMs = lost.length === 0 ? 0 : last - (lost[0]?.atMs ?? last)
    const result = failed === 0 ? '' : `FAILED ${failed}: `
    process.stdout.write(
      `litestream: ${result}${INSTANTS} instants, at most ${lostMs} ms before the instant missing; after kill -9 of ` +
        `both, ${lost.length} of ${journal.length} orders of the last ${lostAtKillMs} ms; ` +
        `slowest order ${slowestMs.toFixed(0)} ms\n`,
    )
    return failed
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

if (import.meta.main) process.exit((await checkLitestream()) === 0 ? 0 : 1)
