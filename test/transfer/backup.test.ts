import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sqliteMigrations } from '../../src/database/migrations/migrations.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { draftEnd } from '../../src/files/draft.ts'
import { restoreSqlite } from '../../src/transfer/sqlite-restore.ts'
import { storeTables } from '../../src/transfer/tables.ts'
import { importCategories } from '../support/busy-shop.ts'
import { makeClient } from '../support/client.ts'
import { type CopyPlace, newCopyPlace, placeOf } from '../support/copy-place.ts'
import { testedEngines } from '../support/engines.ts'
import { childEnvironment, command, type ProcessResult, run, type ServerProcess } from '../support/process.ts'
import { waitForPositions } from '../support/received-events.ts'
import { openReceiver, type Receiver, reply } from '../support/receiver.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'

/** The number of positions that a restore skips. */
const SKIPPED = 1_000_000n

async function backup(place: StoreDirectory, to: string, ...more: string[]): Promise<ProcessResult> {
  return run(['backup', '--to', to, '--data', place.directory, ...more], place.env)
}

async function restore(from: string, to: Pick<CopyPlace, 'name'>): Promise<ProcessResult> {
  return run(['restore', '--from', from, '--to', to.name])
}

/** The largest ids and the last position that a store has issued. */
interface Issued {
  readonly category: bigint
  readonly order: bigint
  readonly event: bigint
  readonly position: bigint
}

async function issuedBy({ database }: Pick<CopyPlace, 'database'>): Promise<Issued> {
  const [row] = await database(`SELECT (SELECT max(id) FROM category) AS category,
    (SELECT max(id) FROM orders) AS "order", (SELECT max(id) FROM event) AS event,
    (SELECT max(position) FROM event) AS position`)
  const value = (name: string): bigint => BigInt(String(row?.[name]))
  return {
    category: value('category'),
    order: value('order'),
    event: value('event'),
    position: value('position'),
  }
}

/** Uses a restored store, and returns the names of the values that the lost store had issued before. */
async function issuedAgain(place: CopyPlace, lost: Issued, file?: string): Promise<string[]> {
  await using server = await place.serve(file)
  const client = makeClient({ base: server.base, key: ADMIN_KEY })
  const { data: category } = await client.createCategory({ body: { name: 'After the restore' } })
  const { data: order } = await client.placeOrder({ body: { petId: 1n } })
  await waitForPositions(place)
  const now = await issuedBy(place)
  await server.kill('SIGTERM')
  const values = { ...now, category: category.id, order: order.id ?? 0n }
  return (['category', 'order', 'event', 'position'] as const).filter(name => values[name] <= lost[name])
}

/** A backup of a store in use, the orders placed before the backup, and what the store had issued when it ended. */
interface BackedUp {
  readonly directory: string
  readonly secretKeyFile: string
  readonly ordersBefore: readonly bigint[]
  readonly lost: Issued
}

/** Uses a store, makes a backup while the store is in use, and ends the store. */
async function backUpInUse(place: StoreDirectory, receiver: Receiver, to: string): Promise<BackedUp> {
  await using server = await place.start()
  const client = place.client(server)
  await client.createCategory({ body: { name: 'Everything' } })
  await client.createPet({ body: { name: 'Rex', categoryId: 1n } })
  await client.setInventory({ petId: 1n, body: { quantity: 1_000_000n } })
  await client.createWebhook({
    body: { url: `${receiver.base}/`, types: ['petstore.category.created'] },
  })
  const orders: bigint[] = []
  let isOver = false
  const buy = async (): Promise<void> => {
    while (!isOver) orders.push((await client.placeOrder({ body: { petId: 1n } })).data.id ?? 0n)
  }
  const buying = Promise.all([buy(), buy(), buy()])
  // If the test fails before it waits for the buyers, their errors must not hide the reason.
  buying.catch(() => {})
  await until('orders were placed', () => orders.length > 20)
  const ordersBefore = [...orders]
  const made = await backup(place, to, '--with-secret-key')
  expect([made.exitCode, made.errors]).toEqual([0, expect.stringMatching(/^Backed up [\d.]+ MiB to /m)])
  const count = orders.length
  await until('orders were placed after the backup', () => orders.length > count + 20)
  isOver = true
  await buying
  await client.createCategory({ body: { name: 'Lost' } })
  await waitForPositions(place)
  const lost = await issuedBy(placeOf(place))
  await server.kill('SIGKILL')
  return { directory: to, secretKeyFile: join(to, 'secret-key'), ordersBefore, lost }
}

async function send(server: ServerProcess, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(server.base + path, { headers: { Authorization: `Bearer ${ADMIN_KEY}` } })
  return { status: response.status, text: await response.text() }
}

/**
 * Checks what the clients of the lost store find in the restored one: their orders, a refusal of positions that are
 * lost, their webhook, and an intact audit log.
 */
async function checkRestored(place: CopyPlace, saved: BackedUp, receiver: Receiver): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(saved.directory, 'manifest.json'), 'utf8'))
  const last = BigInt(manifest.head.position)
  await using server = await place.serve(saved.secretKeyFile)
  const client = makeClient({ base: server.base, key: ADMIN_KEY })
  for (const orderId of saved.ordersBefore) expect((await client.getOrder({ orderId })).data.id).toBe(orderId)
  await client.createCategory({ body: { name: 'After the restore' } })
  await waitForPositions(place)
  expect(await send(server, `/events?after=${last + 5n}`)).toEqual({
    status: 410,
    text: expect.stringContaining(
      `The store was restored from a backup: the events from position ${last + 1n} to ${last + SKIPPED} are lost. ` +
        `Continue with after=${last} and re-read anything you cached.`,
    ),
  })
  const page = await send(server, `/events?after=${last}&type=petstore.category.created`)
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('After the restore')])
  const behind = await send(server, `/events?after=${last + SKIPPED}&type=petstore.category.created`)
  expect(behind.text).toBe(page.text)
  const stream = await send(server, `/events/stream?after=${last + 5n}`)
  expect(stream.status).toBe(410)
  // The first page of the audit log is not empty, although there is a gap before the newest entries.
  expect((await send(server, '/audit?limit=5')).text.match(/"position"/g)?.length ?? 0).toBeGreaterThan(0)
  await until('the webhook continues', () =>
    receiver.received.some(({ body }) => body.toString().includes('After the restore')),
  )
  await server.kill('SIGTERM')
  const where = place.name === place.directory ? '--data' : '--database-url'
  const audit = await run(['audit', 'verify', where, place.name])
  expect([audit.exitCode, audit.errors]).toEqual([
    0,
    expect.stringContaining(
      `The positions ${last + 1n} to ${last + SKIPPED} have no entries: the store was restored`,
    ),
  ])
}

onEveryEngine(engine => {
  test('a store that is restored from a live backup never reissues an id or a position of the lost store', async () => {
    await using receiver = await openReceiver(() => reply(204))
    await using place = await newStoreDirectory(engine)
    using backups = await newCopyPlace('sqlite')
    const saved = await backUpInUse(place, receiver, join(dirname(backups.directory), 'monday', 'noon'))
    expect(readdirSync(dirname(saved.directory))).toEqual(['noon'])
    for (const target of testedEngines) {
      using restored = await newCopyPlace(target)
      const { exitCode, errors } = await restore(saved.directory, restored)
      expect([exitCode, errors]).toEqual([0, expect.stringMatching(/^Restored the store of 20/m)])
      expect(readdirSync(dirname(saved.directory))).toEqual(['noon'])
      await checkRestored(restored, saved, receiver)
      expect(await issuedAgain(restored, saved.lost, saved.secretKeyFile)).toEqual([])
    }
  })
})

/** Makes a small store, stops it, and backs it up. Returns the store and the directory of the backup. */
async function makeSmallBackup(): Promise<{ place: StoreDirectory; directory: string } & AsyncDisposable> {
  const place = await newStoreDirectory('sqlite')
  await place.use(client => importCategories(client, 5))
  const directory = join(place.directory, 'backup')
  const { exitCode, errors } = await backup(place, directory, '--with-secret-key')
  expect([exitCode, errors]).toEqual([0, expect.not.stringContaining('keep a copy')])
  return { place, directory, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() }
}

test('only the owner can read a backup, and its manifest has the sizes and hashes of the files', async () => {
  await using saved = await makeSmallBackup()
  const modes = readdirSync(saved.directory).map(name => [
    name,
    statSync(join(saved.directory, name)).mode & 0o777,
  ])
  expect(modes.sort()).toEqual([
    ['manifest.json', 0o600],
    ['petstore.db', 0o600],
    ['secret-key', 0o600],
  ])
  const { files, format, engine } = JSON.parse(readFileSync(join(saved.directory, 'manifest.json'), 'utf8'))
  const described = (name: string): object => {
    const bytes = readFileSync(join(saved.directory, name))
    return { bytes: bytes.length, sha256: new Bun.SHA256().update(bytes).digest('hex') }
  }
  expect({ files, format, engine }).toEqual({
    format: 1,
    engine: 'sqlite',
    files: { 'petstore.db': described('petstore.db'), 'secret-key': described('secret-key') },
  })
})

test('backup refuses a directory with files, and uses an empty directory', async () => {
  await using saved = await makeSmallBackup()
  const used = await backup(saved.place, saved.directory)
  expect([used.exitCode, used.errors]).toEqual([
    1,
    expect.stringContaining(`${saved.directory} is not empty: specify a new directory with --to`),
  ])
  const file = join(saved.directory, 'manifest.json')
  const notDirectory = await backup(saved.place, file)
  expect([notDirectory.exitCode, notDirectory.errors]).toEqual([1, expect.stringContaining('cannot be used')])
  const empty = join(saved.place.directory, 'empty')
  mkdirSync(empty)
  const link = join(saved.place.directory, 'link')
  symlinkSync(empty, link)
  expect((await backup(saved.place, link)).exitCode).toBe(0)
  expect(readdirSync(empty).sort()).toEqual(['manifest.json', 'petstore.db'])
})

test('restore refuses a backup with a damaged or replaced file, and a backup of another format', async () => {
  await using saved = await makeSmallBackup()
  const broken = join(saved.place.directory, 'broken')
  const manifest = join(broken, 'manifest.json')
  const database = join(broken, 'petstore.db')
  const change = (from: string | RegExp, to: string): void =>
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(from, to))
  const damages: [() => void, string][] = [
    [() => appendFileSync(database, 'x'), 'is damaged: petstore.db is not the file that was backed up'],
    [() => flipByte(database), 'is damaged: petstore.db is not the file that was backed up'],
    [() => flipByte(join(broken, 'secret-key')), 'is damaged: secret-key is not the file that was backed up'],
    [
      () => change(/"bytes": \d+/, '"bytes": 3'),
      'is damaged: petstore.db is not the file that was backed up',
    ],
    [() => change(/"position": "\d+"/, '"position": "3"'), 'not with event 3 as its manifest says'],
    [() => replaceWithPipe(database), 'petstore.db cannot be read: it is not a file'],
    [() => replaceWithPipe(manifest), 'cannot be read: it is not a file'],
    [() => change('"format": 1', '"format": 2'), 'has a format that this petstore does not know'],
    [() => change(/"sha256": "[^"]*"/, '"sha256": 7'), 'is damaged: files.petstore.db.sha256 is not valid'],
    [() => writeFileSync(manifest, '{'), 'cannot be read'],
    [() => writeFileSync(manifest, 'x'.repeat(70_000)), 'cannot be read: it has 70000 bytes'],
    [() => change('"petstore.db"', '"../petstore.db"'), 'is damaged'],
  ]
  for (const [damage, message] of damages) {
    using target = await newCopyPlace('sqlite')
    rmSync(broken, { recursive: true, force: true })
    cpSync(saved.directory, broken, { recursive: true, force: true })
    damage()
    const { exitCode, errors } = await restore(broken, target)
    expect([message, exitCode, errors]).toEqual([message, 1, expect.stringContaining(message)])
    expect([message, existsSync(join(target.directory, 'petstore.db'))]).toEqual([message, false])
  }
})

test('a backup without the secret key says which file to keep, and a restore says what is still missing', async () => {
  await using saved = await makeSmallBackup()
  const { place, directory } = saved
  const withoutKey = join(place.directory, 'without-key')
  const { errors: warning } = await backup(place, withoutKey)
  expect(warning).toEndWith(
    `keep a copy of ${join(place.directory, 'secret-key')}, or use --with-secret-key.\n`,
  )
  for (const [from, files] of [
    [directory, ['admin-key']],
    [withoutKey, []],
  ] as const) {
    using target = await newCopyPlace('sqlite')
    mkdirSync(target.directory)
    for (const file of files) copyFileSync(join(directory, 'secret-key'), join(target.directory, file))
    const { errors } = await restore(from, target)
    const isMissing = from === withoutKey
    expect([from, errors.includes('copy its secret key to'), errors.includes('reset-admin')]).toEqual([
      from,
      isMissing,
      isMissing,
    ])
  }
})

test('a backup removes the drafts of killed commands, and keeps other drafts and files', async () => {
  await using saved = await makeSmallBackup()
  const parent = join(saved.place.directory, 'backups')
  const dead = 999_999_999
  const running = `running${draftEnd(process.pid)}`
  mkdirSync(join(parent, running), { recursive: true })
  mkdirSync(join(parent, `killed${draftEnd(dead)}`))
  writeFileSync(join(parent, `killed${draftEnd(dead)}`, 'petstore.db'), 'x')
  writeFileSync(join(parent, `pets.csv${draftEnd(dead)}`), 'name')
  // On another host, the same process may run: its draft is abandoned after a day.
  const [fresh, old] = [`monday.${dead}-other.petstore-draft`, `sunday.${dead}-other.petstore-draft`]
  for (const name of [fresh, old]) mkdirSync(join(parent, name))
  utimesSync(join(parent, old), 0, Date.now() / 1000 - 86_401)
  // Those of other programs.
  mkdirSync(join(parent, `empty.${dead}.partial`))
  writeFileSync(join(parent, `pets.csv.${dead}.partial`), 'name')
  // The secret key of the settings is the one that the store uses, whatever the data directory has.
  const keyFile = join(saved.place.directory, 'key-of-the-settings')
  const key = `${Buffer.alloc(32, 9).toString('base64')}\n`
  writeFileSync(keyFile, key)
  const args = [
    'backup',
    '--to',
    join(parent, 'monday'),
    '--data',
    saved.place.directory,
    '--with-secret-key',
  ]
  const made = await run(args, { ...saved.place.env, PETSTORE_SECRET_KEY_FILE: keyFile })
  expect([made.exitCode, readdirSync(parent).sort()]).toEqual([
    0,
    [`empty.${dead}.partial`, 'monday', fresh, `pets.csv.${dead}.partial`, running],
  ])
  expect(readFileSync(join(parent, 'monday', 'secret-key'), 'utf8')).toBe(key)
})

test('a store whose audit log was changed is backed up, with an exit code of its own, and restored', async () => {
  await using saved = await makeSmallBackup()
  {
    using database = new Database(databaseFile(saved.place.directory))
    database.run(`UPDATE event SET request_id = 'another' WHERE position = 3`)
  }
  const target = join(saved.place.directory, 'damaged')
  const made = await backup(saved.place, target)
  expect([made.exitCode, made.errors]).toEqual([4, expect.stringContaining('Entry 3')])
  using restored = await newCopyPlace('sqlite')
  expect((await restore(target, restored)).exitCode).toBe(0)
})

test('a restore that fails when it publishes the store leaves a secret key only if it was there before', async () => {
  await using saved = await makeSmallBackup()
  const key = readFileSync(join(saved.directory, 'secret-key'), 'utf8')
  for (const before of [undefined, key]) {
    using target = await newCopyPlace('sqlite')
    // A directory in place of a file of SQLite cannot be deleted.
    mkdirSync(join(target.directory, 'petstore.db-shm'), { recursive: true })
    const keyFile = join(target.directory, 'secret-key')
    if (before !== undefined) writeFileSync(keyFile, before)
    const { exitCode, errors } = await restore(saved.directory, target)
    expect([exitCode, errors]).toEqual([1, expect.stringContaining('Nothing was restored.')])
    expect(existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : undefined).toBe(before)
    expect(existsSync(databaseFile(target.directory))).toBe(false)
  }
})

test.skipIf(!testedEngines.includes('postgres'))(
  'a restore to PostgreSQL leaves no copy of the store in the temporary directory, and checks the last event',
  async () => {
    await using saved = await makeSmallBackup()
    const temporary = join(saved.place.directory, 'temporary')
    mkdirSync(temporary)
    using target = await newCopyPlace('postgres')
    const manifest = join(saved.directory, 'manifest.json')
    const text = readFileSync(manifest, 'utf8')
    const restoreAt = () =>
      run(['restore', '--from', saved.directory, '--to', target.name], { TMPDIR: temporary })
    writeFileSync(manifest, text.replace(/"position": "\d+"/, '"position": "3"'))
    const refused = await restoreAt()
    expect([refused.exitCode, refused.errors]).toEqual([1, expect.stringContaining('and not with event 3')])
    writeFileSync(manifest, text)
    expect((await restoreAt()).exitCode).toBe(0)
    expect(readdirSync(temporary).filter(name => name.startsWith('petstore'))).toEqual([])
  },
)

/** The file of a backup that has one category, in a directory for a restored store. Disposing it deletes both. */
function makeBackupFile(): { file: string; directory: string } & Disposable {
  const parent = mkdtempSync(join(tmpdir(), 'petstore-restore-'))
  const [file, directory] = [join(parent, 'backup.db'), join(parent, 'data')]
  mkdirSync(directory)
  using database = new Database(file, { create: true })
  database.run('PRAGMA synchronous = OFF')
  for (const script of sqliteMigrations.scripts) database.run(script)
  database.run(`PRAGMA user_version = ${sqliteMigrations.version}`)
  database.run(`INSERT INTO category (id, name, name_key, pet_count, version, created_at, updated_at)
    VALUES (1, 'Saved', 'saved', 0, 1, '2026-11-22T00:00:00.000Z', '2026-11-22T00:00:00.000Z')`)
  return { file, directory, [Symbol.dispose]: () => rmSync(parent, { recursive: true }) }
}

async function restoreFile({ file, directory }: { file: string; directory: string }): Promise<void> {
  const at = new Date().toISOString()
  await using draft = await restoreSqlite(file, directory, {
    tables: storeTables(),
    at,
    head: undefined,
    madeAt: at,
  })
  draft.publish()
}

test('a backup of an unknown earlier version is refused, and nothing is restored', async () => {
  using saved = makeBackupFile()
  {
    using database = new Database(saved.file)
    database.run(`PRAGMA user_version = ${sqliteMigrations.baseVersion - 1}`)
  }
  await expect(restoreFile(saved)).rejects.toThrow('the audit log are not moved')
  expect(readdirSync(saved.directory)).toEqual([])
})

test('only the owner can read a restored store, whoever can read the backup', async () => {
  using saved = makeBackupFile()
  const restored = databaseFile(saved.directory)
  chmodSync(saved.file, 0o644)
  // A restore that was killed can leave a draft, too.
  writeFileSync(restored + draftEnd(999_999_999), '', { mode: 0o644 })
  await restoreFile(saved)
  const modes = readdirSync(saved.directory).map(name => [
    name,
    statSync(join(saved.directory, name)).mode & 0o777,
  ])
  expect(modes).toEqual([['petstore.db', 0o600]])
})

test('a restore does not use or keep the files that a restore left which was killed', async () => {
  using saved = makeBackupFile()
  const restored = databaseFile(saved.directory)
  const killed = `${restored}.killed`
  copyFileSync(saved.file, killed)
  {
    using database = new Database(killed)
    database.run('PRAGMA journal_mode = WAL')
    database.run(`UPDATE category SET name = 'Killed'`)
    for (const suffix of ['', '-wal', '-shm'])
      copyFileSync(killed + suffix, restored + draftEnd(999_999_999) + suffix)
  }
  for (const suffix of ['', '-wal', '-shm']) rmSync(killed + suffix, { force: true })
  await restoreFile(saved)
  using database = new Database(restored)
  expect(database.query('SELECT name FROM category').all()).toEqual([{ name: 'Saved' }])
  expect(readdirSync(saved.directory)).toEqual(['petstore.db'])
})

/** Replaces a file with a named pipe: a program that reads it without a check waits for ever. */
function replaceWithPipe(file: string): void {
  rmSync(file)
  Bun.spawnSync(['mkfifo', file])
}

function flipByte(file: string): void {
  const bytes = readFileSync(file)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

test('a restore refuses a store that has rows, a running one, and a directory with another secret key', async () => {
  await using saved = await makeSmallBackup()
  const { directory } = saved.place
  const used = await restore(saved.directory, { name: directory })
  expect([used.exitCode, used.errors]).toEqual([1, expect.stringContaining('must be empty and unused')])
  {
    await using server = await saved.place.start()
    const running = await restore(saved.directory, { name: directory })
    expect([running.exitCode, running.errors]).toEqual([1, expect.stringContaining('is in use by another')])
    await server.kill('SIGTERM')
  }
  using other = await newCopyPlace('sqlite')
  mkdirSync(other.directory)
  writeFileSync(join(other.directory, 'secret-key'), `${Buffer.alloc(32, 7).toString('base64')}\n`)
  const refused = await restore(saved.directory, other)
  expect([refused.exitCode, refused.errors]).toEqual([
    1,
    expect.stringContaining(
      `away first: it differs from the key in ${join(saved.directory, 'secret-key')}. Nothing was restored.`,
    ),
  ])
  expect(existsSync(join(other.directory, 'petstore.db'))).toBe(false)
  copyFileSync(join(saved.directory, 'secret-key'), join(other.directory, 'secret-key'))
  expect((await restore(saved.directory, other)).exitCode).toBe(0)
})

test('a backup whose directory gets the files of another one while it runs keeps them, and says so', async () => {
  await using saved = await makeSmallBackup()
  enlarge(saved.place)
  const parent = join(saved.place.directory, 'backups')
  const target = join(parent, 'same')
  mkdirSync(parent)
  const ended = backup(saved.place, target)
  await until('the backup runs', () => readdirSync(parent).length > 0)
  mkdirSync(target)
  writeFileSync(join(target, 'manifest.json'), '{}')
  const { exitCode, errors } = await ended
  expect([exitCode, errors.trim(), readdirSync(parent), readdirSync(target)]).toEqual([
    1,
    `Another program has written files to ${target}: they stay, and this backup was dropped.`,
    ['same'],
    ['manifest.json'],
  ])
})

/** Makes a database so large that something else can happen while it is copied. */
function enlarge({ directory }: StoreDirectory): void {
  using database = new Database(join(directory, 'petstore.db'))
  database.run(`INSERT INTO metadata (name, value)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
      SELECT 'filler ' || i, hex(zeroblob(500000)) FROM n`)
}

test('an interrupted backup leaves nothing, and an interrupted restore leaves no database', async () => {
  await using saved = await makeSmallBackup()
  enlarge(saved.place)
  const parent = join(saved.place.directory, 'backups')
  mkdirSync(parent)
  const target = join(parent, 'one')
  const stopped = await runInterrupted(['backup', '--to', target, '--data', saved.place.directory], () =>
    readdirSync(parent).some(name => existsSync(join(parent, name, 'petstore.db'))),
  )
  expect([stopped.exitCode, stopped.errors.trim(), readdirSync(parent)]).toEqual([
    130,
    `Interrupted. Nothing was left in ${target}.`,
    [],
  ])
  expect((await backup(saved.place, target)).exitCode).toBe(0)
  const place = join(parent, 'restored')
  const cut = await runInterrupted(
    ['restore', '--from', target, '--to', place],
    () => existsSync(place) && readdirSync(place).some(name => name.endsWith('.petstore-draft')),
  )
  expect([cut.exitCode, cut.errors.trim()]).toEqual([
    130,
    'Interrupted. Nothing was restored; you can restore again.',
  ])
  expect(readdirSync(place).filter(name => name.startsWith('petstore'))).toEqual([])
  expect((await restore(target, { name: place })).exitCode).toBe(0)
})

/** Runs a command, and sends it SIGINT as soon as `isTime` returns true. */
async function runInterrupted(
  args: readonly string[],
  isTime: () => boolean,
): Promise<{ exitCode: number; errors: string }> {
  const { line, env } = command(args)
  const child = Bun.spawn(line, {
    env: childEnvironment(env),
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  await until('the command writes its file', isTime)
  child.kill('SIGINT')
  const [errors, exitCode] = await Promise.all([new Response(child.stderr).text(), child.exited])
  return { exitCode, errors }
}

test('an audit log with a forged gap, or with a gap that was removed, does not verify', async () => {
  await using saved = await makeSmallBackup()
  using place = await newCopyPlace('sqlite')
  expect((await restore(saved.directory, place)).exitCode).toBe(0)
  const verify = async (): Promise<ProcessResult> => run(['audit', 'verify', '--data', place.directory])
  const [, anchor = ''] = /Anchor: (\S+)/.exec((await verify()).output) ?? []
  const anchored = await run(['audit', 'verify', '--data', place.directory, '--anchor', anchor])
  expect(anchored.exitCode).toBe(0)
  using database = new Database(join(place.directory, 'petstore.db'))
  const forgeries: [string, string, string][] = [
    [
      'UPDATE chain_gap SET to_position = to_position - 1',
      'UPDATE chain_gap SET to_position = to_position + 1',
      'missing',
    ],
    [
      'UPDATE chain_gap SET after_position = after_position - 1',
      'UPDATE chain_gap SET after_position = after_position + 1',
      'missing',
    ],
    [
      `UPDATE chain_gap SET at = replace(at, '2026', '2027')`,
      `UPDATE chain_gap SET at = replace(at, '2027', '2026')`,
      'does not match',
    ],
  ]
  for (const [forge, repair, message] of forgeries) {
    database.run(forge)
    const { exitCode, errors } = await verify()
    expect([forge, exitCode, errors]).toEqual([forge, 1, expect.stringContaining(message)])
    database.run(repair)
    expect((await verify()).exitCode).toBe(0)
  }
  database.run('DELETE FROM chain_gap')
  expect((await verify()).errors).toContain('are missing')
})
