import { expect, test } from 'bun:test'
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settleSecretKey } from '../../src/cli/keys/secret-key.ts'
import { configFrom } from '../../src/cli/store-access/store-config.ts'
import { adoptSecretKey, isSecretKeyRight } from '../../src/serving/first-start.ts'
import type { StoreEngine } from '../../src/serving/open.ts'
import { testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { run } from '../support/process.ts'
import { ADMIN_KEY, onEveryEngine, openTestStore } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { testFolder } from '../support/test-folder.ts'

const OTHER_KEY_MESSAGE =
  'The webhook secrets in this database were encrypted with a different key: start the store with that key. ' +
  'If "petstore rotate-secret-key" was interrupted, run it again.'
const NO_KEY_MESSAGE =
  'it must contain 32 random bytes in base64; "petstore new-secret-key FILE" creates one.'

const directory = testFolder()

/** Starts a server that must refuse to start, and returns its error output. */
async function refusalOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { exitCode, errors, output } = await run(['serve', '--port', '0', ...args], env)
  expect(exitCode).toBeGreaterThan(0)
  expect(output + errors).not.toContain('    at ')
  return errors.trim()
}

onEveryEngine(engine => {
  test('a store with a webhook refuses to start with another secret key', async () => {
    await using place = await newStoreDirectory(engine)
    const other = join(directory, `other-${engine}`)
    expect((await run(['new-secret-key', other])).exitCode).toBe(0)
    await place.use(client => client.createWebhook({ body: { url: 'http://127.0.0.1:9/' } }))
    const env = { ...place.env, PETSTORE_SECRET_KEY_FILE: other }
    expect(await refusalOf(place.args, env)).toBe(OTHER_KEY_MESSAGE)
    await using again = await place.start()
    expect((await place.client(again).listWebhooks({})).data.items).toHaveLength(1)
  })
})

test('without a configured key, a store creates a key that only its owner can read, and keeps the key', async () => {
  await using place = await newStoreDirectory('sqlite')
  const file = join(place.directory, 'secret-key')
  const keys: string[] = []
  for (let start = 0; start < 2; start++) {
    await using server = await place.start()
    keys.push(readFileSync(file, 'utf8'))
    await server.kill('SIGTERM')
  }
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(keys[0]).toMatch(/^[A-Za-z0-9+/]{43}=\n$/)
  expect(keys[1]).toBe(keys[0] ?? '')
  writeFileSync(file, 'no key\n')
  expect(await refusalOf(place.args, place.env)).toBe(`${file}: ${NO_KEY_MESSAGE}`)
})

test.skipIf(!testedEngines.includes('postgres'))(
  'a store on PostgreSQL refuses to start without a valid secret key',
  async () => {
    const env = { DATABASE_URL: await newDatabase(), PETSTORE_ADMIN_KEY: ADMIN_KEY }
    expect(await refusalOf(['--data', directory], env)).toBe(
      'With DATABASE_URL, PETSTORE_SECRET_KEY_FILE must name the file of the key that encrypts webhook secrets, the same for every process; "petstore new-secret-key FILE" creates one.',
    )
    const empty = join(directory, 'empty')
    writeFileSync(empty, '')
    const message = await refusalOf(['--data', directory], { ...env, PETSTORE_SECRET_KEY_FILE: empty })
    expect(message).toBe(`PETSTORE_SECRET_KEY_FILE=${empty}: ${NO_KEY_MESSAGE}`)
    const none = { ...env, PETSTORE_SECRET_KEY_FILE: join(directory, 'none') }
    expect(await refusalOf(['--data', directory], none)).toEndWith(': it must name a readable file.')
  },
)

test('new-secret-key writes a file that only its owner can read, and never overwrites a file', async () => {
  const file = join(directory, 'made')
  const made = await run(['new-secret-key', file])
  expect([made.exitCode, made.output]).toEqual([0, ''])
  expect(made.errors).toContain(`The key is in ${file}.`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const key = readFileSync(file, 'utf8')
  expect(Buffer.from(key, 'base64')).toHaveLength(32)
  expect(made.errors).not.toContain(key.trim())
  const again = await run(['new-secret-key', file])
  expect(again.exitCode).toBeGreaterThan(0)
  expect(again.errors).toStartWith(`${file} exists already, and was not changed.`)
  expect(readFileSync(file, 'utf8')).toBe(key)
  const nowhere = await run(['new-secret-key', join(directory, 'none', 'key')])
  expect([nowhere.exitCode > 0, nowhere.errors.includes('cannot be written')]).toEqual([true, true])
})

test('a missing secret key is reported, and is not replaced while webhooks need it', async () => {
  await using place = await newStoreDirectory('sqlite')
  const file = join(place.directory, 'secret-key')
  const aside = join(directory, 'aside')
  await place.use(client => client.createWebhook({ body: { url: 'http://127.0.0.1:9/' } }))
  renameSync(file, aside)
  for (let start = 0; start < 2; start++) {
    expect(await refusalOf(place.args, place.env)).toBe(
      `The key that encrypts the webhook secrets is missing: restore it as ${file} from your copy.`,
    )
    expect(existsSync(file)).toBe(false)
  }
  renameSync(aside, file)
  await place.use(client => client.deleteWebhook({ webhookId: 1n }))
  rmSync(file)
  await using server = await place.start()
  expect((await place.client(server).createWebhook({ body: { url: 'http://127.0.0.1:9/' } })).status).toBe(
    201,
  )
})

onEveryEngine(engine => {
  test('of two keys that two processes use at once for the first time, only one is right', async () => {
    await using store = await openTestStore(engine)
    const [key, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    const overtaken: StoreEngine = {
      ...store.engine,
      execute: async command => {
        // The other process stores its check value just before this one does.
        if (command.id === 'insertMetadata')
          expect(await isSecretKeyRight(store.engine, other, Date.now)).toBe(true)
        return store.engine.execute(command)
      },
    }
    expect(await isSecretKeyRight(overtaken, key, Date.now)).toBe(false)
    expect(await isSecretKeyRight(store.engine, other, Date.now)).toBe(true)
  })

  test('a process with a key file in its settings never replaces the key of the store', async () => {
    await using store = await openTestStore(engine)
    const [key, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    const settle = (secretKey: Uint8Array): Promise<unknown> =>
      settleSecretKey(store.engine, secretKey, { ...configFrom({}), secretKey }).catch(String)
    expect(await settle(key)).toBe(key)
    expect(await settle(other)).toContain(OTHER_KEY_MESSAGE)
    expect(await settle(key)).toBe(key)
  })

  test('a key from the data directory replaces the key of a store only without a webhook secret', async () => {
    await using store = await openTestStore(engine)
    const [key, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    expect(await isSecretKeyRight(store.engine, key, Date.now)).toBe(true)
    expect(await adoptSecretKey(store.engine, other, Date.now)).toBe(true)
    await store.client.createWebhook({ body: { url: 'http://127.0.0.1:9/' } })
    expect(await adoptSecretKey(store.engine, key, Date.now)).toBe(false)
    const isRight = (each: Uint8Array): Promise<boolean> => isSecretKeyRight(store.engine, each, Date.now)
    expect([await isRight(key), await isRight(other)]).toEqual([false, true])
  })
})
