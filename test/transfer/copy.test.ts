import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { sqliteMigrations } from '../../src/database/migrations/migrations.ts'
import { parseDatabaseUrl } from '../../src/database/postgres/database-url.ts'
import { migratePostgres } from '../../src/database/postgres/migrations.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import {
  CopyMismatch,
  type CopyProgress,
  type CopySource,
  type CopyTarget,
  copyStore,
} from '../../src/transfer/copy.ts'
import { openPostgresTarget } from '../../src/transfer/postgres-copy.ts'
import { openSqliteSource, openSqliteTarget } from '../../src/transfer/sqlite-copy.ts'
import { storeTables } from '../../src/transfer/tables.ts'
import { type Loss, lossyTarget } from '../controls/lossy-copy.ts'
import { importCategories, useShop } from '../support/busy-shop.ts'
import { makeClient } from '../support/client.ts'
import { type CopyPlace, interruptedCopy, isUntouched, newCopyPlace, placeOf } from '../support/copy-place.ts'
import { type EngineName, testedEngines } from '../support/engines.ts'
import { openPostgresProxy } from '../support/postgres-proxy.ts'
import { type ProcessResult, run, type ServerProcess } from '../support/process.ts'
import { openReceiver, type Receiver, reply } from '../support/receiver.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'
import { contentOf } from '../support/store-content.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'

/**
 * Text that a faulty copy may change: quotes, a backslash, a tab, a composed and a decomposed letter, a character
 * outside the BMP, and characters with a meaning in SQL and in patterns.
 */
const ODD_TEXT = `"O'Neil" \\ 100% $1 \u00e9 e\u0301 \u{1f415} \ttab`
const INT64_MAX = 9_223_372_036_854_775_807n

type Place = Pick<CopyPlace, 'name' | 'directory' | 'database'>

const otherEngine = (engine: EngineName): EngineName => (engine === 'sqlite' ? 'postgres' : 'sqlite')

async function copy(from: Place, to: Place): Promise<ProcessResult> {
  return run(['copy', '--from', from.name, '--to', to.name])
}

/** What the clients of a busy store have received. */
interface Clients {
  readonly key: string
  readonly secret: string
  readonly order: { readonly body: string; readonly id: string }
  /** The path of a second page, and the body of that page. */
  readonly nextPage: string
  readonly nextPageBody: string
}

const ORDER = { method: 'POST', body: '{"petId":1,"quantity":1}' }

async function placeOrder(base: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`${base}/store/orders`, {
    ...ORDER,
    headers: {
      Authorization: `Bearer ${ADMIN_KEY}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': '"the-order"',
    },
  })
  return { status: response.status, body: await response.text() }
}

/** Makes orders (also cancelled ones), a key, webhooks with attempts, a stored reply and an import in progress. */
async function useBusily(place: StoreDirectory, receiver: Receiver): Promise<Clients> {
  await using server = await place.start()
  const client = place.client(server)
  const { data: webhook } = await client.createWebhook({
    body: { url: `${receiver.base}/good`, description: ODD_TEXT, types: ['petstore.category.created'] },
  })
  await client.createWebhook({ body: { url: `${receiver.base}/failing` } })
  await useShop(client, 4, 300, 1)
  const { data: created } = await client.createKey({ body: { name: ODD_TEXT, scopes: ['orders:read'] } })
  await client.createCategory({ body: { name: 'Odd', description: ODD_TEXT } })
  const order = await placeOrder(server.base)
  await client.stageImport({
    importId: 5n,
    body: { categories: [{ line: 1n, name: 'Staged', description: ODD_TEXT }], pets: [] },
  })
  const page = await fetch(`${server.base}/pets?limit=5`)
  const [, next = ''] = /<[^>]*(\/pets\?[^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? []
  const nextPageBody = await (await fetch(server.base + next)).text()
  await until(
    'both webhooks were called',
    () => callsOf(receiver, '/good') > 0 && callsOf(receiver, '/failing') > 0,
  )
  await waitForDeliveries(place, receiver)
  await server.kill('SIGTERM')
  return {
    key: created.key,
    secret: webhook.secret,
    order: { body: order.body, id: /"id":(\d+)/.exec(order.body)?.[1] ?? '' },
    nextPage: next,
    nextPageBody,
  }
}

function callsOf({ received }: Receiver, path: string): number {
  return received.filter(request => request.path === path).length
}

/** Resolves when the good webhook has received all events of its type. */
async function waitForDeliveries({ database }: Place | StoreDirectory, receiver: Receiver): Promise<void> {
  const [row] = await database(`SELECT count(*) AS count FROM event WHERE type = 'petstore.category.created'`)
  await until('the good webhook received its events', () => callsOf(receiver, '/good') >= Number(row?.count))
}

/** Checks that a copied store continues where its source stopped. */
async function checkContinued(
  place: CopyPlace,
  secretKeyFile: string,
  clients: Clients,
  receiver: Receiver,
): Promise<void> {
  const [last] = await place.database(
    'SELECT (SELECT max(id) FROM category) AS category, (SELECT max(position) FROM event) AS position',
  )
  await using server: ServerProcess = await place.serve(secretKeyFile)
  const client = makeClient({ base: server.base, key: ADMIN_KEY })
  expect(await placeOrder(server.base)).toEqual({ status: 201, body: clients.order.body })
  expect(await (await fetch(server.base + clients.nextPage)).text()).toBe(clients.nextPageBody)
  const old = await makeClient({ base: server.base, key: clients.key }).getOrder({
    orderId: BigInt(clients.order.id),
  })
  expect(old.status).toBe(200)
  const { data: made } = await client.createCategory({ body: { name: 'After the copy' } })
  expect(made.id).toBeGreaterThan(BigInt(String(last?.category)))
  const from = BigInt(String(last?.position))
  await until('the event has its position', async () => {
    const rows = await place.database(`SELECT position FROM event WHERE position > ${from} ORDER BY position`)
    return rows.length > 0 && rows.every(({ position }, index) => position === from + BigInt(index) + 1n)
  })
  const isAfterCopy = (text: string): boolean => text.includes('After the copy')
  await until('the delivery arrives', () =>
    receiver.received.some(({ body }) => isAfterCopy(body.toString())),
  )
  const delivery = receiver.received.find(
    ({ path, body }) => path === '/good' && isAfterCopy(body.toString()),
  )
  new Webhook(clients.secret).verify(delivery?.body.toString() ?? '', { ...delivery?.headers })
  const { data: loaded } = await client.loadImportSlice({
    importId: 5n,
    body: { begins: true, rows: 500n },
  })
  expect(loaded.categoriesCreated).toBe(1n)
  await server.kill('SIGTERM')
}

onEveryEngine(engine => {
  test.skipIf(!testedEngines.includes('postgres'))(
    'a copy has every row, even after a copy to the other engine and back, and a store continues on the copy',
    async () => {
      await using receiver = await openReceiver(({ path }) => reply(path === '/failing' ? 500 : 204))
      await using place = await newStoreDirectory(engine)
      const clients = await useBusily(place, receiver)
      const source = placeOf(place)
      await source.database(`UPDATE pet SET version = ${INT64_MAX} WHERE id = 2 RETURNING 1`)
      using there = await newCopyPlace(otherEngine(engine))
      using back = await newCopyPlace(engine)
      using same = await newCopyPlace(engine)
      const content = await contentOf(source)
      for (const name of ['attempt', 'delivery', 'reply', 'staged_row', 'api_key', 'orders', 'metadata']) {
        expect([name, content[name]?.length]).not.toEqual([name, 0])
      }
      for (const [from, to] of [
        [source, there],
        [there, back],
        [source, same],
      ] as const) {
        const { exitCode, errors } = await copy(from, to)
        expect([exitCode, errors]).toEqual([
          0,
          expect.stringMatching(/^Copied \d+ rows of \d+ tables from /m),
        ])
        expect(await contentOf(to)).toEqual(content)
      }
      if (engine === 'sqlite') {
        const file = databaseFile(same.directory)
        expect(statSync(file).mode & 0o777).toBe(0o600)
        expect(readFileSync(join(same.directory, 'secret-key'))).toEqual(
          readFileSync(join(source.directory, 'secret-key')),
        )
        const query = 'SELECT name, sql FROM sqlite_master ORDER BY name'
        expect(await back.database(query)).toEqual(await source.database(query))
      }
      const file = place.env.PETSTORE_SECRET_KEY_FILE ?? join(place.directory, 'secret-key')
      await checkContinued(there, file, clients, receiver)
      const where = there.name === there.directory ? '--data' : '--database-url'
      const audit = await run(['audit', 'verify', where, there.name])
      expect([audit.exitCode, audit.errors.includes('Keep the anchor')]).toEqual([0, true])
    },
  )

  test('a copy that is interrupted leaves its target untouched, and a second copy succeeds', async () => {
    await using place = await newStoreDirectory('sqlite')
    await place.use(client => importCategories(client, 8000))
    const source = placeOf(place)
    using target = await newCopyPlace(engine)
    await using proxy = await openPostgresProxy(
      engine === 'postgres' ? target.name : 'postgres://127.0.0.1:1',
    )
    const killed = await interruptedCopy(source.name, target.name, child => child.kill('SIGKILL'))
    expect([killed.exitCode, killed.errors.includes('Copied')]).toEqual([137, false])
    await until('nothing was copied', () => isUntouched(target))
    const stopped = await interruptedCopy(source.name, target.name, child => child.kill('SIGINT'))
    expect([stopped.exitCode, stopped.errors.trim().split('\n').at(-1)]).toEqual([
      130,
      'Interrupted. Nothing was copied; you can copy again.',
    ])
    await until('nothing was copied', () => isUntouched(target))
    if (engine === 'postgres') {
      const cut = await interruptedCopy(source.name, proxy.urlOf(target.name), () => proxy.down())
      expect([cut.exitCode, cut.errors]).toEqual([1, expect.stringContaining('Nothing was copied')])
      await until('nothing was copied', () => isUntouched(target))
    } else expect(readdirSync(target.directory).some(name => name.endsWith('-draft'))).toBe(false)
    expect((await copy(source, target)).exitCode).toBe(0)
    expect(await contentOf(target)).toEqual(await contentOf(source))
  })

  test('a copy refuses a target with rows and leaves it unchanged, but accepts empty tables of a store', async () => {
    await using place = await newStoreDirectory('sqlite')
    await place.use()
    const source = placeOf(place)
    using target = await newCopyPlace(engine)
    await migrate(target)
    await target.database(`INSERT INTO metadata (name, value) VALUES ('any', 'any') RETURNING 1`)
    const before = await contentOf(target)
    const { exitCode, errors } = await copy(source, target)
    expect([exitCode, errors.trim()]).toEqual([
      1,
      `The target ${shownName(target)} must be empty and unused. Its table metadata has rows. Nothing was copied.`,
    ])
    expect(await contentOf(target)).toEqual(before)
    await target.database('DELETE FROM metadata RETURNING 1')
    expect((await copy(source, target)).exitCode).toBe(0)
    expect(await contentOf(target)).toEqual(await contentOf(source))
  })

  test('a copy has no code that hands over a key of its source', async () => {
    await using place = await newStoreDirectory('sqlite')
    await place.use()
    const source = placeOf(place)
    using target = await newCopyPlace(engine)
    const code = `('any', 'any', '2999-01-01T00:00:00.000Z')`
    await source.database(`INSERT INTO handover (hash, encrypted_key, expires_at) VALUES ${code} RETURNING 1`)
    expect((await copy(source, target)).exitCode).toBe(0)
    expect(await target.database('SELECT * FROM handover')).toEqual([])
  })

  test('a copy that is interrupted after its last row was copied or verified leaves its target untouched', async () => {
    using source = await newCopyPlace('sqlite')
    await migrate(source)
    using target = await newCopyPlace(engine)
    mkdirSync(target.directory)
    const last = storeTables().at(-1)?.name
    for (const step of ['copied', 'verified']) {
      const stopping = new AbortController()
      const onTable: CopyProgress['onTable'] = (reported, table) => {
        if (reported === step && table === last) stopping.abort(new Error('stopped by the test'))
      }
      const copied = copyWith(source.directory, target, { onTable }, stopping.signal)
      expect([step, await copied.catch(String)]).toEqual([step, 'Error: stopped by the test'])
      expect([step, await isUntouched(target)]).toEqual([step, true])
    }
  })

  test('control: a copy that drops or changes a row is detected, and leaves its target untouched', async () => {
    await using place = await newStoreDirectory('sqlite')
    await place.use(client => importCategories(client, 20))
    for (const [table, loss] of [
      ['category', 'drops a row'],
      ['event', 'changes a text'],
      ['counter', 'changes an integer'],
      ['chain_end', 'changes a text'],
    ] satisfies [string, Loss][]) {
      using target = await newCopyPlace(engine)
      mkdirSync(target.directory)
      expect(await copyLossily(place.directory, target, table, loss)).toContain(`table ${table} `)
      expect([loss, await isUntouched(target)]).toEqual([loss, true])
    }
  })
})

/** Copies from a data directory in this process. */
async function copyWith(
  from: string,
  to: Place,
  reporting: Partial<CopyProgress>,
  signal: AbortSignal,
  wrap: (target: CopyTarget) => CopyTarget = target => target,
): Promise<void> {
  const tables = storeTables()
  await using source: CopySource = openSqliteSource(from)
  await using target: CopyTarget =
    to.name === to.directory
      ? await openSqliteTarget(to.directory, tables)
      : await openPostgresTarget(parseDatabaseUrl(to.name), tables)
  const progress = { onCounted: () => {}, onRows: () => {}, onTable: () => {}, ...reporting }
  await copyStore(source, wrap(target), tables, { progress, signal })
}

/** Copies with a broken target, and returns the message of the mismatch. */
async function copyLossily(from: string, to: Place, table: string, loss: Loss): Promise<string> {
  const { signal } = new AbortController()
  try {
    await copyWith(from, to, {}, signal, target => lossyTarget(target, table, loss))
  } catch (error) {
    if (error instanceof CopyMismatch) return error.message
    throw error
  }
  return 'no mismatch'
}

/** Creates the tables of a new store. */
async function migrate({ name, directory }: Place): Promise<void> {
  if (name !== directory) {
    const [host] = parseDatabaseUrl(name).hosts
    if (host) await migratePostgres(host)
    return
  }
  mkdirSync(directory)
  using database = new Database(databaseFile(directory), { create: true })
  database.run('PRAGMA journal_mode = WAL')
  for (const script of sqliteMigrations.scripts) database.run(script)
  database.run(`PRAGMA user_version = ${sqliteMigrations.version}`)
}

/** Returns the name of a place in messages: a URL without user and password. */
function shownName({ name }: Place): string {
  return name.slice(name.lastIndexOf('@') + 1)
}

test('a copy to a directory has the secret key of its source, and a copy that fails leaves none', async () => {
  using source = await newCopyPlace('sqlite')
  using copied = await newCopyPlace('sqlite')
  using failed = await newCopyPlace('sqlite')
  await migrate(source)
  writeFileSync(join(source.directory, 'secret-key'), 'the key\n')
  expect((await copy(source, copied)).exitCode).toBe(0)
  expect(readFileSync(join(copied.directory, 'secret-key'), 'utf8')).toBe('the key\n')
  {
    using database = new Database(databaseFile(source.directory))
    database.run('PRAGMA ignore_check_constraints = ON')
    database.run(`INSERT INTO category (id, name, name_key, pet_count, version, created_at, updated_at)
      VALUES (1, 'Wrong', 'wrong', -1, 1, '2026-11-22T00:00:00.000Z', '2026-11-22T00:00:00.000Z')`)
  }
  const { exitCode, errors } = await copy(source, failed)
  expect([exitCode, errors]).toEqual([1, expect.stringContaining('Nothing was copied')])
  expect(readdirSync(failed.directory).filter(name => !['lock', 'petstore.db.lock'].includes(name))).toEqual(
    [],
  )
})

test('a running store on SQLite is refused as a source and as a target', async () => {
  await using place = await newStoreDirectory('sqlite')
  await using server = await place.start()
  using target = await newCopyPlace('sqlite')
  const inUse = `The data directory ${place.directory} is in use by another petstore process.`
  const sentence = `${inUse} Stop it first, then copy.`
  const { exitCode, errors } = await copy(placeOf(place), target)
  expect([exitCode, errors.trim()]).toEqual([1, sentence])
  expect(existsSync(target.directory)).toBe(false)
  using other = await newCopyPlace('sqlite')
  await migrate(other)
  expect((await copy(other, placeOf(place))).errors.trim()).toBe(sentence)
  await server.kill('SIGTERM')
})

describe.skipIf(!testedEngines.includes('postgres'))('a copy from or to PostgreSQL:', () => {
  test('a running store is copied as of one moment, while it is used', async () => {
    await using place = await newStoreDirectory('postgres')
    await using server = await place.start()
    const client = place.client(server)
    const source = placeOf(place)
    using target = await newCopyPlace('sqlite')
    let isOver = false
    const writer = (async () => {
      for (let index = 0; !isOver; index++) await client.createCategory({ body: { name: `C ${index}` } })
    })()
    const { exitCode, errors } = await copy(source, target)
    isOver = true
    await writer
    expect([exitCode, errors]).toEqual([0, expect.stringContaining('later changes are not copied')])
    expect(errors).not.toContain('postgres:postgres')
    const [row] = await target.database(`
      SELECT (SELECT count(*) FROM category) AS categories,
        (SELECT count(*) FROM event WHERE type = 'petstore.category.created') AS events`)
    expect(row?.categories).toBe(row?.events ?? -1n)
    expect((await run(['audit', 'verify', '--data', target.directory])).exitCode).toBe(0)
    await server.kill('SIGTERM')
  })

  test('a copy that loses the response to its commit says how to check whether the commit took effect', async () => {
    using source = await newCopyPlace('sqlite')
    await migrate(source)
    using target = await newCopyPlace('postgres')
    await using proxy = await openPostgresProxy(target.name)
    const { promise: committing, resolve } = Promise.withResolvers<void>()
    proxy.onQuery(text => {
      if (text === 'COMMIT') {
        // The server gets the COMMIT, but its response does not get through.
        proxy.freeze()
        resolve()
      }
      return text
    })
    const copied = run(['copy', '--from', source.name, '--to', proxy.urlOf(target.name)])
    await committing
    await until('the copy is committed', async () => !(await isUntouched(target)))
    proxy.down()
    const { exitCode, errors } = await copied
    expect([exitCode, errors.trim().split('\n').at(-1)]).toEqual([
      1,
      expect.stringMatching(/^The connection was lost during the commit\. Check whether .* has rows before/),
    ])
    expect(await contentOf(target)).toEqual(await contentOf(source))
  })

  test('events without a position are numbered in a copy, on both engines', async () => {
    using source = await newCopyPlace('postgres')
    await migrate(source)
    const event = (id: string, subjectVersion: string): string =>
      JSON.stringify([
        {
          id,
          type: 't',
          subject: 'pets/1',
          subjectVersion,
          data: '{}',
          keyId: null,
          requestId: 'r',
          at: '2026-11-21T09:30:00.000Z',
          traceparent: null,
          petId: '1',
        },
      ])
    await source.database(`
        INSERT INTO event_batch (id, events, totals) VALUES (700, '${event('1', '2')}', '{"units/onHand":3}'),
          (701, '${event('2', '1')}', '{"units/onHand":4}')`)
    for (const engine of ['sqlite', 'postgres'] as const) {
      using target = await newCopyPlace(engine)
      expect((await copy(source, target)).exitCode).toBe(0)
      expect(await target.database('SELECT id, position FROM event ORDER BY position')).toEqual([
        { id: 2n, position: 1n },
        { id: 1n, position: 2n },
      ])
      expect(await target.database('SELECT id FROM event_batch')).toEqual([])
      expect(await target.database(`SELECT value FROM total WHERE name = 'units/onHand'`)).toEqual([
        { value: 7n },
      ])
      const { exitCode, output } = await run(['audit', 'verify'], {
        PETSTORE_DATA: target.directory,
        ...(engine === 'postgres' && { DATABASE_URL: target.name }),
      })
      expect([exitCode, output]).toEqual([0, expect.stringContaining('2 entries, 1 to 2, are intact')])
    }
  })

  test('a source database that cannot be copied is refused with a reason without its password', async () => {
    using empty = await newCopyPlace('postgres')
    const url = new URL(empty.name)
    using sqlite = await newCopyPlace('sqlite')
    const refusals: [string, string][] = [
      [empty.name, `The store at ${shownName(empty)} cannot be copied. The database has no store.`],
      [
        empty.name.replace(':postgres@', ':wr0ng-p4ss@'),
        `The database at ${shownName(empty)} cannot be opened: password authentication failed for user "postgres".`,
      ],
      [
        `postgres://u:wr0ng-p4ss@127.0.0.1:1/shop`,
        'The database at 127.0.0.1:1/shop cannot be opened: PostgreSQL cannot be reached at 127.0.0.1:1 (failed to connect).',
      ],
      [
        `${url.origin}${url.pathname}`
          .replace('null', `postgres://u:wr0ng-p4ss@${url.host}`)
          .replace(/\/[^/]*$/, '/none'),
        expect.stringMatching(/^The database at .*\/none cannot be opened: /),
      ],
    ]
    for (const [from, sentence] of refusals) {
      const { exitCode, errors } = await run(['copy', '--from', from, '--to', sqlite.directory])
      expect([exitCode, errors.trim()]).toEqual([1, sentence])
      expect(errors).not.toContain('wr0ng-p4ss')
    }
    expect(existsSync(sqlite.directory)).toBe(false)
    const file = join(dirname(sqlite.directory), 'password')
    writeFileSync(file, 'postgres')
    const args = ['copy', '--from', empty.name.replace(':postgres@', '@'), '--to', sqlite.directory]
    const { errors } = await run(args, { PETSTORE_DATABASE_PASSWORD_FILE: file })
    expect(errors).toContain('The database has no store.')
  })
})

test('sources and targets that cannot be used are refused with a reason', async () => {
  using source = await newCopyPlace('sqlite')
  using target = await newCopyPlace('sqlite')
  await migrate(source)
  const { directory } = source
  const parent = dirname(target.directory)
  const refusals: [string[], number, string][] = [
    [['--from', directory], 2, 'Specify --from and --to.'],
    [
      ['--from', directory, '--to', `${directory}/../data`],
      2,
      '--from and --to are the same place: specify another target.',
    ],
    [
      ['--from', join(parent, 'none'), '--to', target.name],
      1,
      `There is no store in ${join(parent, 'none')}: specify its directory with --from.`,
    ],
    [
      ['--from', 'mysql://u:pw@host/x', '--to', target.name],
      2,
      '--from: it must be a directory, or a URL such as postgres://user:password@host:5432/name.',
    ],
    [
      ['--from', directory, '--to', 'postgres://u:p@w@host:99999/x'],
      2,
      '--to: it has no valid host; in a password, characters such as / and @ must be percent-encoded.',
    ],
  ]
  for (const [args, exitCode, sentence] of refusals) {
    const ran = await run(['copy', ...args])
    expect([ran.exitCode, ran.errors.trim()]).toEqual([exitCode, sentence])
  }
  writeFileSync(join(directory, 'secret-key'), 'one')
  mkdirSync(target.directory)
  writeFileSync(join(target.directory, 'secret-key'), 'another')
  expect((await copy(source, target)).errors).toContain(
    `away first: it differs from the key in ${join(directory, 'secret-key')}. Nothing was copied.`,
  )
  expect(existsSync(databaseFile(target.directory))).toBe(false)
})
