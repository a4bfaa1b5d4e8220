import { expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAddressFile } from '../../src/cli/store-access/address-file.ts'
import { lockDirectory } from '../../src/database/sqlite/data-lock.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { isKeyText } from '../../src/shop/keys/key-text.ts'
import { makeClient } from '../support/client.ts'
import { type EngineName, testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'
import {
  command,
  onPostgres,
  type ProcessResult,
  run,
  type ServerProcess,
  startProcess,
} from '../support/process.ts'
import { deadPort, openReceiver, reset } from '../support/receiver.ts'
import { codeOf, onEveryEngine } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { testFolder } from '../support/test-folder.ts'

const directory = testFolder()

/** A store, and functions that run commands on it. */
interface Shop {
  readonly data: string
  readonly env: Readonly<Record<string, string>>
  keys(...args: string[]): Promise<ProcessResult>
  audit(): Promise<{ type: string; subject: string; keyId: number | null }[]>
  serve(): Promise<ServerProcess>
}

let count = 0
/** Returns a store that was started once. */
async function newShop(engine: EngineName): Promise<Shop> {
  const data = join(directory, `data-${++count}`)
  const env = engine === 'postgres' ? onPostgres(await newDatabase()) : {}
  const serve = () => startProcess(['serve', '--port', '0', '--no-demo', '--data', data], env)
  const server = await serve()
  await server.kill('SIGTERM')
  return {
    data,
    env,
    serve,
    keys: (...args) => run(['keys', ...args, '--data', data], env),
    audit: async () => {
      const { output } = await run(['audit', 'export', '--data', data], env)
      return output
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    },
  }
}

const create = ['create', '--name', 'till 1', '--scope', 'orders:read', '--scope', 'orders:write']

/** Returns the cells of each row of the table that `keys list` prints. */
async function listed(shop: Shop): Promise<string[][]> {
  const { output } = await shop.keys('list')
  return output
    .trim()
    .split('\n')
    .slice(1)
    .map(line => line.split(/ {2,}/))
}

onEveryEngine(engine => {
  test('a stopped store needs no key to create, list and revoke keys, and the audit log has the changes', async () => {
    const shop = await newShop(engine)
    rmSync(join(shop.data, 'admin-key'))
    const created = await shop.keys(...create, '--expires', '30d')
    const key = created.output.trim()
    expect([created.exitCode, created.output, isKeyText(key)]).toEqual([0, `${key}\n`, true])
    const [, id = ''] =
      /^Created key (\d+), "till 1", with orders:read, orders:write\. It expires at 20/.exec(
        created.errors,
      ) ?? []
    expect(id).not.toBe('')
    const [admin, till] = await listed(shop)
    expect(admin?.slice(0, 3)).toEqual(['1', 'admin (first start)', 'admin'])
    expect(till?.slice(0, 4)).toEqual([id, 'till 1', 'orders:read,orders:write', key.slice(-4)])
    const days = (Date.parse(till?.[5] ?? '') - Date.parse(till?.[4] ?? '')) / 86_400_000
    expect(days).toBeCloseTo(30, 2)
    {
      await using server = await shop.serve()
      const client = makeClient({ base: server.base, key })
      expect((await client.getCurrentKey({})).data.name).toBe('till 1')
      await server.kill('SIGTERM')
    }
    const revoked = await shop.keys('revoke', id)
    expect([revoked.exitCode, revoked.errors]).toEqual([0, `Key ${id} was revoked.\n`])
    await using server = await shop.serve()
    expect(await codeOf(makeClient({ base: server.base, key }).getCurrentKey({}))).toBe('401 invalid_token')
    await server.kill('SIGTERM')
    const changes = (await shop.audit()).filter(({ subject }) => subject === `keys/${id}`)
    expect(changes.map(({ type, keyId }) => [type, keyId])).toEqual([
      ['petstore.key.created', null],
      ['petstore.key.revoked', null],
    ])
  })
})

test('keys list prints more keys than one page has, and keys revoke refuses an id that was revoked', async () => {
  const shop = await newShop('sqlite')
  {
    await using server = await shop.serve()
    const key = readFileSync(join(shop.data, 'admin-key'), 'utf8').trim()
    const client = makeClient({ base: server.base, key })
    for (let number = 0; number < 101; number++)
      await client.createKey({ body: { name: `key ${number}`, scopes: ['events:read'] } })
    await server.kill('SIGTERM')
  }
  const rows = await listed(shop)
  expect([rows.length, rows.at(-1)?.[1], new Set(rows.map(([id]) => id)).size]).toEqual([102, 'key 100', 102])
  const id = rows.at(-1)?.[0] ?? ''
  expect((await shop.keys('revoke', id)).errors).toBe(`Key ${id} was revoked.\n`)
  const again = await shop.keys('revoke', id)
  expect([again.exitCode, again.errors]).toEqual([
    1,
    `The store refused: Key ${id} does not exist or was revoked.\n`,
  ])
})

test('keys create says which key it has created if it cannot print the key', async () => {
  const shop = await newShop('sqlite')
  // A descriptor that is open only for reading cannot be written, like a full disk.
  const unwritable = openSync(import.meta.path, 'r')
  const args = ['keys', 'create', '--name', 'till', '--scope', 'orders:read', '--data', shop.data]
  const { line, env } = command(args)
  const child = Bun.spawn(line, {
    env: { ...env, ...shop.env },
    stdout: unwritable,
    stderr: 'pipe',
  })
  const errors = await new Response(child.stderr).text()
  closeSync(unwritable)
  expect([await child.exited, errors]).toEqual([
    1,
    expect.stringMatching(
      /Key (\d+) was created, but nobody can know it: revoke it with "petstore keys revoke \1"\.$/m,
    ),
  ])
})

test('keys revoke does not revoke the last admin key, whether the store is running or stopped', async () => {
  const shop = await newShop('sqlite')
  const refusal =
    'The store refused: Key 1 is the last admin key without an expiry. ' +
    'Create another one first, or replace it with "petstore keys reset-admin --revoke-others".\n'
  const stopped = await shop.keys('revoke', '1')
  expect([stopped.exitCode, stopped.errors]).toEqual([1, refusal])
  await using _server = await shop.serve()
  const running = await shop.keys('revoke', '1')
  expect([running.exitCode, running.errors]).toEqual([1, refusal])
  const created = await shop.keys('create', '--name', 'owner', '--scope', 'admin')
  expect((await shop.keys('revoke', '1', '--key', created.output.trim())).errors).toBe('Key 1 was revoked.\n')
})

test.skipIf(!testedEngines.includes('sqlite'))(
  'keys of a running store are managed over HTTP with its admin key',
  async () => {
    const shop = await newShop('sqlite')
    await using server = await shop.serve()
    const created = await shop.keys(...create)
    const key = created.output.trim()
    expect((await makeClient({ base: server.base, key }).getCurrentKey({})).data.name).toBe('till 1')
    expect((await listed(shop)).map(([id, name]) => [id, name])).toEqual([
      ['1', 'admin (first start)'],
      ['2', 'till 1'],
    ])
    const refused = await shop.keys('list', '--key', key)
    expect([refused.exitCode, refused.errors]).toEqual([
      1,
      expect.stringMatching(/^The store refused: .*keys:manage/),
    ])
    expect((await shop.keys('revoke', '2')).errors).toBe('Key 2 was revoked.\n')
    expect((await shop.keys('list', '--key', key)).errors).toContain('run "petstore keys reset-admin".')
    rmSync(join(shop.data, 'admin-key'))
    const without = await shop.keys('list')
    expect([without.exitCode, without.errors]).toEqual([
      2,
      'The store is running: specify a key with the scope keys:manage, with --key or PETSTORE_KEY.\n',
    ])
    await server.kill('SIGTERM')
    const changes = (await shop.audit()).filter(({ subject }) => subject === 'keys/2')
    expect(changes.map(({ type, keyId }) => [type, keyId])).toEqual([
      ['petstore.key.created', 1],
      ['petstore.key.revoked', 1],
    ])
  },
)

const wrong: [args: string[], says: string][] = [
  [
    ['create', '--name', 'x', '--scope', 'order:write'],
    'There is no scope order:write: did you mean orders:write?',
  ],
  [
    ['create', '--name', 'x', '--scope', 'root'],
    'There is no scope root: the scopes are pets:write, orders:read,',
  ],
  [['create', '--name', 'x'], 'Specify what the key is for with --name, and its permissions with --scope.'],
  [['create', '--name', '', '--scope', 'admin'], '--name must have 1 to 200 characters.'],
  [
    ['create', '--name', 'x', '--scope', 'admin', '--expires', 'soon'],
    '--expires must be a number of days (30d) or hours (36h), or an instant (2027-01-31T00:00:00Z).',
  ],
  [['revoke', 'till'], 'till is not the id of a key: "petstore keys list" shows the ids.'],
]
for (const [args, says] of wrong) {
  test(`petstore keys ${args.join(' ')} is refused, and the message says what is right`, async () => {
    const ended = await run(['keys', ...args, '--data', join(directory, 'none')])
    expect([ended.exitCode, ended.output, ended.errors.startsWith(says)]).toEqual([2, '', true])
  })
}

test('keys create refuses an expiry in the past', async () => {
  const shop = await newShop('sqlite')
  const past = await shop.keys(
    'create',
    '--name',
    'x',
    '--scope',
    'admin',
    '--expires',
    '2020-01-01T00:00:00Z',
  )
  expect([past.exitCode, past.errors]).toEqual([1, 'The store refused: expiresAt must be in the future.\n'])
})

test('a command ends with one message if the database is so damaged that the store cannot continue', async () => {
  await using place = await newStoreDirectory('sqlite')
  const categories = join(place.directory, 'categories.csv')
  writeFileSync(categories, 'name\nDogs\n')
  await run(['import', '--categories', categories, '--data', place.directory], place.env)
  const [{ rootpage = 0, size = 0 } = {}] = await place.database(
    `SELECT rootpage, page_size AS size FROM sqlite_master, pragma_page_size WHERE name = 'api_key'`,
  )
  const bytes = readFileSync(databaseFile(place.directory))
  bytes.fill('x', (Number(rootpage) - 1) * Number(size), Number(rootpage) * Number(size))
  writeFileSync(databaseFile(place.directory), bytes)
  for (const [args, reason] of [
    [['list'], 'reading the database failed: database disk image is malformed'],
    [create, 'database disk image is malformed'],
  ] as const) {
    const ended = await run(['keys', ...args, '--data', place.directory], place.env)
    expect(ended).toEqual({ exitCode: 1, output: '', errors: `The store cannot continue: ${reason}\n` })
  }
})

test('keys says that a running store does not respond if nothing listens at its address', async () => {
  await using place = await newStoreDirectory('sqlite')
  const file = join(place.directory, 'categories.csv')
  writeFileSync(file, 'name\nDogs\n')
  await run(['import', '--categories', file, '--data', place.directory], place.env)
  const lock = lockDirectory(place.directory)
  writeAddressFile(place.directory, `http://127.0.0.1:${await deadPort()}`)
  const ended = await run(['keys', ...create, '--data', place.directory], place.env)
  expect([ended.exitCode, ended.output, ended.errors]).toEqual([
    1,
    '',
    expect.stringMatching(/^The running store does not respond: [^\n]+\.\n$/),
  ])
  // A key that nobody knows may exist now.
  await using store = await openReceiver(() => reset)
  writeAddressFile(place.directory, store.base)
  const lost = await run(['keys', ...create, '--data', place.directory], place.env)
  lock.release()
  expect(lost.errors).toEndWith('It is unknown whether the change was made. "petstore keys list" shows it.\n')
})
