import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { ensureAdminKey, type KeyFile, resetAdminKey } from '../../src/serving/first-start.ts'
import { openEngine, type StoreEngine } from '../../src/serving/open.ts'
import { findCaller } from '../../src/shop/keys/verbs.ts'
import { makeClient } from '../support/client.ts'
import type { EngineName } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { onPostgres, type ProcessResult, run, type ServerProcess, startProcess } from '../support/process.ts'
import { ADMIN_KEY, codeOf, onEveryEngine, openTestStore } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'

const directory = testFolder()

/** The files and settings of a new store. */
interface NewStore {
  readonly data: string
  readonly keyFile: string
  readonly args: string[]
  readonly env: Record<string, string>
  readonly databaseUrl: string | undefined
}

let count = 0
async function newStore(engine: EngineName): Promise<NewStore> {
  const data = join(directory, `data-${++count}`)
  const databaseUrl = engine === 'postgres' ? await newDatabase() : undefined
  const env = databaseUrl === undefined ? {} : onPostgres(databaseUrl)
  return { data, keyFile: join(data, 'admin-key'), args: ['--no-demo', '--data', data], env, databaseUrl }
}

function start({ args, env }: NewStore): Promise<ServerProcess> {
  return startProcess(['serve', '--port', '0', ...args], env)
}

function reset({ data, databaseUrl }: NewStore, ...args: string[]): Promise<ProcessResult> {
  const url = databaseUrl === undefined ? [] : ['--database-url', databaseUrl]
  return run(['keys', 'reset-admin', '--data', data, ...url, ...args])
}

function keyIn({ keyFile }: NewStore): string {
  return readFileSync(keyFile, 'utf8').trim()
}

/** Revokes every key of a stopped store, as versions that did not protect the last admin key allowed. */
async function revokeAllKeys({ data, databaseUrl }: NewStore): Promise<void> {
  const revocation = 'UPDATE api_key SET revoked_at = created_at'
  if (databaseUrl === undefined) {
    using file = new Database(databaseFile(data))
    file.run(revocation)
    return
  }
  await using pool = new SQL({ url: databaseUrl, max: 1 })
  await pool.unsafe(revocation)
}

/** Returns the number of keys that a caller with this key sees, or the refusal. */
async function keysSeenBy(server: ServerProcess, key: string): Promise<number | string> {
  const client = makeClient({ base: server.base, key })
  return client.listKeys({}).then(
    ({ data }) => data.items.length,
    () => codeOf(client.listKeys({})),
  )
}

onEveryEngine(engine => {
  test('a start names the file of the admin key only if the key in it is valid in this store', async () => {
    const store = await newStore(engine)
    const greeting = async (variables: Record<string, string> = {}): Promise<string> => {
      await using server = await start({ ...store, env: { ...store.env, ...variables } })
      await server.kill('SIGTERM')
      return server.messages()
    }
    expect(await greeting()).toContain(`admin key       in ${store.keyFile}\n`)
    const key = keyIn(store)
    writeFileSync(store.keyFile, `${ADMIN_KEY}\n`)
    const other = `admin key       not in ${store.keyFile}: the key there is no valid key of this store\n`
    expect(await greeting()).toContain(other)
    expect(keyIn(store)).toBe(ADMIN_KEY)
    writeFileSync(store.keyFile, `${key}\n`)
    expect(await greeting()).toContain(`admin key       in ${store.keyFile}\n`)
    // As after a restore.
    rmSync(store.keyFile)
    expect(await greeting()).toContain('admin key       none here; "petstore keys reset-admin" makes one\n')
    const given = await greeting({ PETSTORE_ADMIN_KEY: ADMIN_KEY })
    expect(given).toContain('admin key       from PETSTORE_ADMIN_KEY\n')
  })

  test('a first start whose port is in use changes nothing, and the next start creates an admin key', async () => {
    const store = await newStore(engine)
    const taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
    const { errors, exitCode } = await run(['serve', '--port', `${taken.port}`, ...store.args], store.env)
    await taken.stop(true)
    expect([exitCode, existsSync(store.data)]).toEqual([1, false])
    expect(errors).toContain('is in use')
    await using server = await start(store)
    expect(server.messages()).toContain(store.keyFile)
    expect(await keysSeenBy(server, keyIn(store))).toBe(1)
  })

  test('a first start that cannot write the key file reports that and commits no key', async () => {
    const store = await newStore(engine)
    mkdirSync(store.keyFile, { recursive: true })
    const failed = await run(['serve', '--port', '0', ...store.args], store.env)
    expect(failed.exitCode).toBe(1)
    expect(failed.errors).toStartWith(
      `The admin key cannot be written to ${store.keyFile}, so none was created`,
    )
    expect(failed.errors.trim().split('\n')).toHaveLength(1)
    rmSync(store.keyFile, { recursive: true })
    await using server = await start(store)
    expect(await keysSeenBy(server, keyIn(store))).toBe(1)
  })

  test('the next start keeps the key of a start that ended between the key file and the commit', async () => {
    const store = await newStore(engine)
    mkdirSync(store.data)
    writeFileSync(store.keyFile, `${ADMIN_KEY}\n`)
    await using server = await start(store)
    expect(keyIn(store)).toBe(ADMIN_KEY)
    expect(statSync(store.keyFile).mode & 0o777).toBe(0o600)
    expect(await keysSeenBy(server, ADMIN_KEY)).toBe(1)
  })

  test('a start does not make a revoked key valid again, although the key file still contains it', async () => {
    const store = await newStore(engine)
    let first = ''
    {
      await using server = await start(store)
      first = keyIn(store)
      await server.kill('SIGTERM')
    }
    await revokeAllKeys(store)
    await using server = await start(store)
    expect(keyIn(store)).not.toBe(first)
    expect(await keysSeenBy(server, keyIn(store))).toBe(1)
    expect(await keysSeenBy(server, first)).toBe('401 invalid_token')
  })

  test('keys reset-admin creates an admin key for a stopped store; only --revoke-others revokes others', async () => {
    const store = await newStore(engine)
    let first = ''
    let till = ''
    {
      await using server = await start(store)
      first = keyIn(store)
      const client = makeClient({ base: server.base, key: first })
      till = (await client.createKey({ body: { name: 'till', scopes: ['keys:manage'] } })).data.key
      await server.kill('SIGTERM')
    }
    const done = await reset(store)
    expect([done.exitCode, done.output, done.errors]).toEqual([
      0,
      '',
      `The new admin key is in ${store.keyFile}.\n`,
    ])
    expect(statSync(store.keyFile).mode & 0o777).toBe(0o600)
    {
      await using server = await start(store)
      for (const key of [keyIn(store), first, till]) expect(await keysSeenBy(server, key)).toBe(3)
      await server.kill('SIGTERM')
    }
    const second = keyIn(store)
    expect((await reset(store, '--revoke-others')).exitCode).toBe(0)
    await using server = await start(store)
    const all = [keyIn(store), till, first, second]
    const seen = []
    for (const key of all) seen.push(await keysSeenBy(server, key))
    expect(seen).toEqual([2, 2, '401 invalid_token', '401 invalid_token'])
  })

  test('after a first start that failed at any step, the next start leaves a valid admin key in the file', async () => {
    expect(await stepsThatLoseTheKey(engine)).toEqual([])
  })
})

test('keys reset-admin refuses a running store', async () => {
  const store = await newStore('sqlite')
  await using server = await start(store)
  const first = keyIn(store)
  const refused = await reset(store)
  expect([refused.exitCode, refused.errors.trim()]).toEqual([
    1,
    `The data directory ${store.data} is in use by another petstore process. Stop it first, then reset the key.`,
  ])
  expect(keyIn(store)).toBe(first)
  expect(await keysSeenBy(server, first)).toBe(1)
})

/**
 * Returns the steps at which a failure of the first start loses the admin key. The key is lost if the key file contains
 * no valid admin key even after the next start.
 */
async function stepsThatLoseTheKey(engine: EngineName): Promise<string[]> {
  const lost: string[] = []
  for (const step of ['file', 'commit'] as const) {
    const { data, databaseUrl } = await newStore(engine)
    const opened = await openEngine({ databaseUrl, directory: data, log: silent, onFatal: () => {} })
    try {
      let kept: string | undefined
      const file: KeyFile = { read: () => kept, write: key => (kept = key) }
      const fail = (): never => {
        throw new Error('the process ended here')
      }
      const failing: StoreEngine = step === 'commit' ? { ...opened, execute: fail } : opened
      await ensureAdminKey(failing, step === 'file' ? { ...file, write: fail } : file, Date.now).catch(
        () => {},
      )
      await ensureAdminKey(opened, file, Date.now)
      if (!(await isAdmin(opened, kept))) lost.push(step)
    } finally {
      await opened.close()
    }
  }
  return lost
}

async function isAdmin(engine: StoreEngine, key = ''): Promise<boolean> {
  const now = new Date().toISOString()
  const caller = await engine.readShort(reader => findCaller(reader, key, now)).catch(() => undefined)
  return caller?.scopes.includes('admin') ?? false
}

const silent = { access: () => {}, info: () => {}, error: () => {} }

onEveryEngine(engine => {
  test('a start adds an admin key only if no admin key is valid, even one that expires later', async () => {
    await using store = await openTestStore(engine)
    const expiresAt = '2100-01-01T00:00:00.000Z'
    const { data: visitor } = await store.client.createKey({
      body: { name: 'visitor', scopes: ['admin'], expiresAt },
    })
    await store.client.createKey({ body: { name: 'till', scopes: ['keys:manage'] } })
    // As versions that did not protect the last admin key without an expiry allowed.
    await store.database(`UPDATE api_key SET revoked_at = created_at WHERE id <> ${visitor.id} RETURNING id`)
    const written: string[] = []
    const file: KeyFile = { read: () => undefined, write: key => void written.push(key) }
    const startAt = (instant: string) => ensureAdminKey(store.engine, file, () => Date.parse(instant))
    expect(await startAt('2026-12-01T00:00:00Z')).toBe(false)
    expect(await startAt('2099-12-31T23:59:59.999Z')).toBe(false)
    expect(written).toEqual([])
    expect(await startAt(expiresAt)).toBe(true)
    expect(await startAt(expiresAt)).toBe(false)
    expect(written).toHaveLength(1)
  })

  test('a reset that cannot write the key file creates no admin key and revokes none', async () => {
    await using store = await openTestStore(engine)
    const keys = async () =>
      (await store.client.listKeys({})).data.items.map(({ id, scopes }) => [id, scopes])
    const before = await keys()
    const file: KeyFile = {
      read: () => undefined,
      write: () => {
        throw new Error('the disk is full')
      },
    }
    expect(await resetAdminKey(store.engine, file, true, Date.now).catch(String)).toContain(
      'the disk is full',
    )
    expect(await keys()).toEqual(before)
  })
})
