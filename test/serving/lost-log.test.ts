import { Database } from 'bun:sqlite'
import { beforeAll, expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { refuseWrongFiles } from '../../src/database/sqlite/database-file.ts'
import { openSqlite } from '../../src/database/sqlite/engine.ts'
import { readRecord, writeRecord } from '../../src/database/sqlite/run-record.ts'
import { type Command, systemCommand } from '../../src/shop/registry/commands.ts'
import { replyForms } from '../../src/shop/registry/run.ts'
import { storedInstant } from '../../src/values/instant.ts'
import { makeClient } from '../support/client.ts'
import { run, startProcess } from '../support/process.ts'
import { makePet } from '../support/shop.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const root = testFolder()

const env = { PETSTORE_ADMIN_KEY: ADMIN_KEY, PETSTORE_LOG_LEVEL: 'info' }
const start = (data: string, ...flags: string[]) =>
  startProcess(['serve', '--data', data, '--port', '0', '--no-demo', ...flags], env)

/** The bytes of a file of the store in `killed`: undefined if the file is deleted. */
type Bytes = Uint8Array | undefined

const killed = join(root, 'killed')
const logs: Record<string, Bytes> = {}
const records: Record<string, Bytes> = {}

/** Returns the bytes of the log and of the record of a data directory. */
const filesOf = (data: string): [log: Uint8Array, record: Uint8Array] => [
  readFileSync(join(data, 'petstore.db-wal')),
  readFileSync(join(data, 'petstore.db-run')),
]

/** Starts a store, adds pets one by one, calls `halfway` between, and kills it. */
async function killAfterPets(data: string, halfway: () => void = () => {}): Promise<void> {
  await using server = await start(data)
  const client = makeClient({ base: server.base, key: ADMIN_KEY })
  for (let count = 0; count < 3; count++) await makePet(client)
  halfway()
  for (let count = 0; count < 5; count++) await makePet(client)
  await server.kill('SIGKILL')
}

beforeAll(async () => {
  const other = join(root, 'other')
  await killAfterPets(other)
  const [otherLog, otherRecord] = filesOf(other)
  await killAfterPets(killed)
  const [earlier] = filesOf(killed)
  let [older, olderRecord] = filesOf(killed)
  await killAfterPets(killed, () => {
    ;[older, olderRecord] = filesOf(killed)
  })
  const [log, record] = filesOf(killed)
  const cut = log.subarray(0, Math.floor(log.length * 0.9))
  Object.assign(logs, { there: log, deleted: undefined, emptied: Buffer.alloc(0) })
  Object.assign(logs, { cut, older, 'of an earlier run': earlier, 'of another store': otherLog })
  const torn = record.subarray(0, 20)
  Object.assign(records, { there: record, missing: undefined, older: olderRecord })
  Object.assign(records, { 'of another store': otherRecord, torn })
})

let count = 0
/** Returns a copy of the killed store with another log and another record. */
function copyWith(log: Bytes, record: Bytes): string {
  const data = join(root, `copy-${++count}`)
  cpSync(killed, data, { recursive: true })
  rmSync(join(data, 'petstore.db-shm'), { force: true })
  for (const [name, bytes] of [
    ['petstore.db-wal', log],
    ['petstore.db-run', record],
  ] as const) {
    if (bytes) writeFileSync(join(data, name), bytes)
    else rmSync(join(data, name))
  }
  return data
}

/** Returns why a start refuses the files of a directory. */
function refusalOf(data: string): string {
  try {
    refuseWrongFiles(data)
    return 'opens'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const LOST = 'is missing or empty: events'
const SHORT = 'is older or shorter than it was: events'
const FOREIGN = 'belongs to another database, or is older'
const UNKNOWN = 'was not stopped, and'
const REPLACED = 'was replaced'

test('a start refuses each log that lacks commits, whatever the record says, and names what to do', () => {
  const outcomes = {
    //                      record: there, missing, older, of another store, torn
    there: ['opens', UNKNOWN, 'opens', REPLACED, UNKNOWN],
    deleted: [LOST, UNKNOWN, LOST, REPLACED, UNKNOWN],
    emptied: [LOST, UNKNOWN, LOST, REPLACED, UNKNOWN],
    // A log and a record of one earlier moment agree. Nothing in the database file shows that there was more.
    cut: [SHORT, UNKNOWN, 'opens', REPLACED, UNKNOWN],
    older: [SHORT, UNKNOWN, 'opens', REPLACED, UNKNOWN],
    'of an earlier run': [FOREIGN, UNKNOWN, FOREIGN, REPLACED, UNKNOWN],
    'of another store': [FOREIGN, UNKNOWN, FOREIGN, REPLACED, UNKNOWN],
  }
  for (const [log, expected] of Object.entries(outcomes)) {
    for (const [index, record] of ['there', 'missing', 'older', 'of another store', 'torn'].entries()) {
      const data = copyWith(logs[log], records[record])
      const bytes = readFileSync(join(data, 'petstore.db'))
      const refusal = refusalOf(data)
      expect([log, record, refusal]).toEqual([log, record, expect.stringContaining(expected[index] ?? '')])
      if (refusal !== 'opens')
        expect(refusal).toContain('Put back petstore.db, petstore.db-wal and petstore.db-run')
      expect(readFileSync(join(data, 'petstore.db')).equals(bytes)).toBeTrue()
    }
  }
})

test('control: with a record that no commit writes, a start does not notice that the log is lost', () => {
  const data = copyWith(undefined, records.there)
  const { numbers = [] } = readRecord(join(data, 'petstore.db')) ?? {}
  writeRecord(join(data, 'petstore.db'), { numbers, position: 0n })
  expect(refusalOf(data)).toBe('opens')
})

test('every command refuses a store without its log, and a start with --accept-loss goes on once', async () => {
  const data = copyWith(logs['of an earlier run'], records.there)
  for (const args of [
    ['serve', '--port', '0', '--no-demo'],
    ['doctor'],
    ['backup', '--to', join(root, 'backup')],
    ['export', 'pets'],
    ['copy', '--from', data, '--to', join(root, 'copied')],
    ['keys', 'list'],
  ]) {
    const place = args[0] === 'copy' ? [] : ['--data', data]
    const { exitCode, errors, output } = await run([...args, ...place], env)
    expect([args[0], exitCode, errors + output]).toEqual([args[0] ?? '', 1, expect.stringContaining(FOREIGN)])
  }
  {
    // Without --no-demo, the shop of a person who lost everything would look like a new one.
    const flags = ['serve', '--data', data, '--port', '0', '--accept-loss']
    await using server = await startProcess(flags, env)
    await until('the loss is logged', () => server.logged().includes('the store goes on with what is there'))
    const { data: page } = await makeClient({ base: server.base }).listPets({})
    expect(page.items).toHaveLength(8)
    await server.kill('SIGTERM')
  }
  expect(readdirSync(data).filter(name => name.includes('-wal.unused-'))).toHaveLength(1)
  expect(refusalOf(data)).toBe('opens')
})

test('a killed store starts without a question, also after another program has moved its log', async () => {
  expect(refusalOf(copyWith(logs.there, records.there))).toBe('opens')
  const data = copyWith(logs.there, records.there)
  const other = new Database(join(data, 'petstore.db'))
  other.query('SELECT count(*) FROM pet').get()
  other.close()
  expect(existsSync(join(data, 'petstore.db-wal'))).toBeFalse()
  await using server = await start(data)
  expect((await makeClient({ base: server.base }).listPets({})).data.items).toHaveLength(16)
})

test('a store to which nobody writes moves its log into the database file, which then needs no log', async () => {
  const data = join(root, 'idle')
  const engine = await openSqlite<never, Command, never>({
    shared: replyForms,
    directory: data,
    writer: new URL('../../src/serving/sqlite-writer.ts', import.meta.url),
    reader: new URL('../../src/serving/sqlite-reader.ts', import.meta.url),
    onFatal: reason => expect(reason).toBe(''),
    idleMs: 20,
  })
  const context = {
    now: new Date().toISOString(),
    caller: { keyId: 1n, scopes: ['admin' as const] },
    requestId: 'test',
  }
  // A webhook has a lease, whose renewal is no change of the shop.
  const lease = { owner: 'test', until: context.now, freeBefore: context.now }
  const renewing = setInterval(
    () => void engine.execute(systemCommand('leaseWebhooks', lease, storedInstant(Date.now()), 'dispatcher')),
    10,
  )
  await engine.execute({ id: 'createCategory', input: { body: { name: 'Dogs' } }, context })
  const alone = join(root, 'alone')
  await until('the database file alone is the whole store', () => {
    rmSync(alone, { recursive: true, force: true })
    cpSync(data, alone, { recursive: true })
    for (const suffix of ['-wal', '-shm']) rmSync(join(alone, `petstore.db${suffix}`), { force: true })
    return refusalOf(alone) === 'opens'
  })
  // The log is cut after its pages are in the database file.
  await until('the log is small', () => statSync(join(data, 'petstore.db-wal')).size < 10_000)
  clearInterval(renewing)
  await engine.close()
})

test.skipIf(process.platform !== 'linux')(
  'a running store holds its lock on the database, so that no other program deletes the log when it ends',
  async () => {
    const data = join(root, 'locked')
    await using server = await start(data)
    await makePet(makeClient({ base: server.base, key: ADMIN_KEY }))
    // A process loses all its locks on a file when it closes any descriptor of it (POSIX, fcntl).
    const { ino } = statSync(join(data, 'petstore.db'))
    const locks = readFileSync('/proc/locks', 'utf8').split('\n')
    expect(locks.filter(line => line.includes(` ${server.pid} `) && line.includes(`:${ino} `))).not.toEqual(
      [],
    )
  },
)
