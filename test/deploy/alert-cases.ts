import { Database } from 'bun:sqlite'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { SQL } from 'bun'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { openPostgresProxy } from '../support/postgres-proxy.ts'
import { newMigratedDatabase } from '../support/postgres-server.ts'
import { run, type ServerProcess } from '../support/process.ts'
import { deadPort, openReceiver } from '../support/receiver.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { makePet } from '../support/shop.ts'
import { openTestStore, type TestStore } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'

const MIB = 1024 ** 2
const DAY_MS = 86_400_000

/** A store, how it gets a fault, and the alerts that must fire then. */
export interface Case extends AsyncDisposable {
  readonly base: string
  readonly alerts: readonly string[]
  readonly fault: () => Promise<unknown>
}

function ofStore(
  store: AsyncDisposable & { readonly base: string },
  alerts: string,
  fault: Case['fault'],
  ...others: AsyncDisposable[]
): Case {
  return {
    base: store.base,
    alerts: alerts.split(' '),
    fault,
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]()
      for (const other of others) await other[Symbol.asyncDispose]()
    },
  }
}

interface RunningStore {
  readonly place: StoreDirectory
  readonly server: ServerProcess
  readonly command: (...args: string[]) => Promise<unknown>
}

/** Returns a store of a process of its own that has a backup. `prepare` comes before its start. */
export async function ofProcess(
  alert: string,
  fault: (store: RunningStore) => Promise<unknown>,
  {
    hasBackup = true,
    prepare = (_: string): unknown => undefined,
    release = (_: string): unknown => undefined,
  } = {},
): Promise<Case> {
  const place = await newStoreDirectory('sqlite')
  prepare(place.directory)
  const server = await place.start()
  const command = (...args: string[]) => run([...args, '--data', place.directory], place.env)
  await makePet(place.client(server))
  if (hasBackup) await command('backup', '--to', join(place.directory, 'backup'))
  return {
    base: server.base,
    alerts: [alert],
    fault: () => fault({ place, server, command }),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await release(place.directory)
      await place[Symbol.asyncDispose]()
    },
  }
}

/** Opens a store for each fault. Needs the server of PostgreSQL. */
export async function openCases(): Promise<Case[]> {
  const databases = [await newMigratedDatabase(), await newMigratedDatabase()]
  const proxy = await openPostgresProxy(databases[0] ?? '')
  const cut = await openTestStore('postgres', {
    databaseUrl: databases[0] ?? '',
    routeOf: url => proxy.urlOf(url),
  })
  const migrated = await openTestStore('postgres', { databaseUrl: databases[1] ?? '' })
  const full = await openTestStore('sqlite', { pagesMax: 100 })
  const oneAttempt = { retryDelaysMs: [], giveUpAfterMs: 0 }
  const losing = await openTestStore('sqlite', { delivery: oneAttempt })
  const untrusted = await openTestStore('sqlite')
  const receiver = await openReceiver(undefined, { tls: true })
  let aheadMs = 3_600_000
  const behind = await openTestStore('sqlite', { clock: () => Date.now() + aheadMs })
  await behind.client.createCategory({ body: { name: 'Of the future' } })
  aheadMs = 0
  const toReceiver = async (store: TestStore, url: string): Promise<void> => {
    const { data } = await store.client.createWebhook({ body: { url } })
    await store.client.sendTestEvent({ webhookId: data.id })
  }
  const fill = async (): Promise<void> => {
    for (let index = 0; index < 400; index++)
      await full.send('POST', '/categories', {
        body: JSON.stringify({ name: `${index} ${'x'.repeat(150)}` }),
      })
  }
  return [
    await ofProcess('PetstoreDown', ({ server }) => server.kill('SIGKILL')),
    await ofProcess('PetstoreBackupOverdue', async () => {}, { hasBackup: false }),
    await ofProcess('PetstoreAuditLogDamaged', async ({ place, command }) => {
      await place.database(`UPDATE event SET data = '{}' WHERE position = 1`)
      await command('audit', 'verify')
    }),
    ...(await casesOfMachine()),
    ...(await casesOfSlowDatabase()),
    ofStore(cut, 'PetstoreNotReady', async () => proxy.freeze(), proxy),
    ofStore(migrated, 'PetstoreNotReady', () =>
      migrated.database('INSERT INTO migration SELECT max(version) + 1 FROM migration'),
    ),
    ofStore(full, 'PetstoreDiskFull PetstoreServerErrors', fill),
    ofStore(losing, 'PetstoreWebhookDeliveryLost', async () =>
      toReceiver(losing, `http://127.0.0.1:${await deadPort()}`),
    ),
    ofStore(untrusted, 'PetstoreWebhooksFailing', () => toReceiver(untrusted, receiver.base), receiver),
    ofStore(behind, 'PetstoreClockApart', async () => {}),
    ...(await casesOfClients()),
  ]
}

/** Runs a command of the system. Returns whether it succeeded. */
function runs(...line: string[]): boolean {
  return Bun.spawnSync(line, { stdio: ['ignore', 'ignore', 'ignore'] }).success
}

/** Creates categories until the log of the store is large, while another program reads the database. */
async function growLog({ place, server }: RunningStore): Promise<void> {
  using reader = new Database(databaseFile(place.directory), { readonly: true })
  reader.run('BEGIN')
  reader.query('SELECT count(*) FROM event').get()
  const client = place.client(server)
  const log = Bun.file(`${databaseFile(place.directory)}-wal`)
  for (let name = 0; (await log.stat()).size < 140 * MIB; name += 500)
    await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        client.createCategory({ body: { name: `${name + index} ${'x'.repeat(150)}` } }),
      ),
    )
  // The alert needs the log to stay this large.
  await Bun.sleep(10_000)
}

async function casesOfMachine(): Promise<Case[]> {
  const sockets: Socket[] = []
  const openFiles = async ({ server }: RunningStore): Promise<void> => {
    runs('prlimit', '--pid', `${server.pid}`, '--nofile=250:250')
    for (let index = 0; index < 210; index++)
      sockets.push(connect(Number(new URL(server.base).port), '127.0.0.1'))
  }
  const stutter = async ({ server }: RunningStore): Promise<void> => {
    for (let second = 0; second < 15; second++) {
      server.signal('SIGSTOP')
      await Bun.sleep(700)
      server.signal('SIGCONT')
      await Bun.sleep(300)
    }
  }
  const drillLongAgo = async ({ place, command }: RunningStore): Promise<void> => {
    await command('drill', '--from', join(place.directory, 'backup'))
    const file = join(place.directory, 'last-drill')
    const longAgo = new Date(Date.now() - 41 * DAY_MS).toISOString()
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\S+/, longAgo))
  }
  return [
    await ofProcess('PetstoreLogGrows', growLog),
    await ofProcess('PetstoreOpenFiles', openFiles, { release: () => sockets.map(one => one.destroy()) }),
    await ofProcess('PetstoreBusy', stutter),
    await ofProcess('PetstoreDrillOverdue', drillLongAgo),
    ...(await casesOfSmallDisks()),
  ]
}

/** The alerts whose cases need a disk of their own. */
export const SMALL_DISK_ALERTS = ['PetstoreDiskAlmostFull', 'PetstoreBackupFailed']

/** Returns stores with a disk of 450 MiB, and with one of 64 KiB for their backups. */
async function casesOfSmallDisks(): Promise<Case[]> {
  if (!runs('unshare', '--mount', 'true')) return []
  const mount = (directory: string, size: string): boolean =>
    runs('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory)
  const backups = (directory: string): string => join(directory, 'backups')
  let restarted: ServerProcess | undefined
  const failBackup = async ({ place, server }: RunningStore): Promise<void> => {
    await server.kill('SIGTERM')
    restarted = await place.startWith(
      { ...place.env, PETSTORE_BACKUPS: backups(place.directory) },
      server.base,
    )
  }
  return [
    await ofProcess('PetstoreDiskAlmostFull', async () => {}, {
      prepare: directory => mount(directory, '450m'),
      release: directory => runs('umount', directory),
    }),
    await ofProcess('PetstoreBackupFailed', failBackup, {
      prepare: directory => {
        mkdirSync(backups(directory))
        mount(backups(directory), '64k')
      },
      release: async directory => {
        await restarted?.kill('SIGKILL')
        runs('umount', backups(directory))
      },
    }),
  ]
}

/** Returns stores whose database stops again and again, has a locked pet, and gives events no position. */
async function casesOfSlowDatabase(): Promise<Case[]> {
  const slowUrl = await newMigratedDatabase()
  const proxy = await openPostgresProxy(slowUrl)
  const slow = await openTestStore('postgres', { databaseUrl: slowUrl, routeOf: url => proxy.urlOf(url) })
  const stopAndGo = async (): Promise<void> => {
    for (let second = 0; second < 20; second++) {
      proxy.freeze()
      const read = Array.from({ length: 40 }, () => slow.client.listOrders({}))
      await Bun.sleep(800)
      proxy.thaw()
      await Promise.all(read)
    }
  }
  const lockHead = async ({ client }: TestStore, locks: SQL): Promise<void> => {
    await locks.unsafe('BEGIN; SELECT 1 FROM chain_end FOR UPDATE')
    for (let count = 0; count < 1200; count += 20)
      await Promise.all(Array.from({ length: 20 }, () => makePet(client)))
  }
  const lockPet = async ({ client }: TestStore, locks: SQL): Promise<void> => {
    const { petId } = await makePet(client, { quantity: 100n })
    await locks.unsafe(`BEGIN; SELECT 1 FROM pet WHERE id = ${petId} FOR UPDATE`)
    const orders = Array.from({ length: 40 }, () => client.placeOrder({ body: { petId, quantity: 1n } }))
    await Bun.sleep(2000)
    await locks.unsafe('ROLLBACK')
    await Promise.all(orders)
    await Bun.sleep(4000)
  }
  return [
    ofStore(slow, 'PetstoreSlow', stopAndGo, proxy),
    await ofLocks('PetstoreDatabaseWaits', lockPet),
    await ofLocks('PetstoreEventsNotNumbered', lockHead),
  ]
}

/** Returns a store on PostgreSQL, with a connection of somebody else for the fault. */
async function ofLocks(alert: string, fault: (store: TestStore, locks: SQL) => Promise<void>): Promise<Case> {
  const databaseUrl = await newMigratedDatabase()
  const store = await openTestStore('postgres', { databaseUrl })
  const locks = new SQL({ url: databaseUrl, max: 1 })
  return ofStore(store, alert, () => fault(store, locks), {
    [Symbol.asyncDispose]: () => locks.end({ timeout: 0 }),
  })
}

/** Sends requests at once, without a key, and reads the responses. */
async function send({ base }: { readonly base: string }, count: number, path: string): Promise<void> {
  await Promise.all(Array.from({ length: count }, async () => (await fetch(`${base}${path}`)).text()))
}

async function casesOfClients(): Promise<Case[]> {
  const open = await openTestStore('sqlite')
  const limited = await openTestStore('sqlite', { rateLimit: { requests: 100, seconds: 60 } })
  const old = await openTestStore('sqlite')
  const { petId } = await makePet(old.client)
  const host = await openSandboxHost({ limits: { sandboxes: 1 } })
  return [
    ofStore(open, 'PetstoreUnauthorized', () => send(open, 60, '/store/orders')),
    ofStore(limited, 'PetstoreRateLimited', () => send(limited, 200, '/categories')),
    ofStore(old, 'PetstoreDeprecatedRequests', () => send(old, 3, `/pets/${petId}`)),
    ofStore(host, 'PetstoreSandboxesFull', () => host.create()),
  ]
}
