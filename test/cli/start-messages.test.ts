import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { draftEnd } from '../../src/files/draft.ts'
import { makeClient } from '../support/client.ts'
import { testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { type ProcessResult, run, startProcess } from '../support/process.ts'
import { deadPort } from '../support/receiver.ts'
import { ROOT } from '../support/root.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { makePet } from '../support/shop.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'
import { scratch } from '../support/tool.ts'

const page = readFileSync(join(ROOT, 'docs/start.md'), 'utf8')
const messages = [...page.matchAll(/^\| `([^`]+)`(?: or `([^`]+)`)? \|/gm)].flatMap(([, one, other]) =>
  [one, other].filter(text => text !== undefined && /[ =]/.test(text)),
) as string[]

/** Returns whether a line of a text is the documented message, in which `…` stands for any text. */
function isDocumented(text: string, message: string): boolean {
  const pattern = message
    .split('…')
    .map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^\\n]*')
  return new RegExp(`^${pattern}$`, 'm').test(text)
}

/** The beginning of a documented message, and a function that causes the message. */
type Failure = readonly [beginning: string, fail: (place: StoreDirectory) => Promise<ProcessResult>]

const failures: readonly Failure[] = [
  [
    '…:… is in use: stop',
    async place => {
      await using other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
      return await start(place, '--port', `${other.port}`)
    },
  ],
  [
    'The data directory … is in use',
    async place => {
      await using _ = await place.start()
      return await start(place)
    },
  ],
  [
    '… contains sandboxes',
    async place => {
      writeFileSync(join(place.directory, 'sandboxes.db'), '')
      return await start(place)
    },
  ],
  [
    'A restore or a copy to',
    async place => {
      writeFileSync(join(place.directory, `petstore.db${draftEnd(4_194_303)}`), '')
      return await start(place)
    },
  ],
  [
    'PETSTORE_BACKUPS is for the embedded',
    place =>
      start(place, {
        ...place.env,
        PETSTORE_BACKUPS: '/tmp',
        DATABASE_URL: 'postgres://u:p@127.0.0.1:9/shop',
      }),
  ],
  [
    'PETSTORE_BACKUPS must not be',
    async place => {
      const link = join(place.directory, 'link')
      symlinkSync(place.directory, link)
      return await start(place, { ...place.env, PETSTORE_BACKUPS: link })
    },
  ],
  ['The store cannot listen on', place => start(place, '--host', '203.0.113.7')],
  [
    'The data directory … cannot be written',
    async place => {
      const file = join(place.directory, 'file')
      writeFileSync(file, '')
      return start(place, '--data', join(file, 'data'))
    },
  ],
  [
    'The database in … cannot be opened',
    async place => {
      writeFileSync(
        join(place.directory, 'petstore.db'),
        'not a database, but long enough for a header '.repeat(9),
      )
      return start(place)
    },
  ],
  [
    'The database at DATABASE_URL cannot be opened',
    async place => {
      const DATABASE_URL = `postgres://u:p@127.0.0.1:${await deadPort()}/shop`
      const file = join(place.directory, 'key')
      await run(['new-secret-key', file])
      return start(place, { ...place.env, DATABASE_URL, PETSTORE_SECRET_KEY_FILE: file })
    },
  ],
  [
    'The database is at version',
    async place => {
      await useOnce(place)
      {
        using database = new Database(join(place.directory, 'petstore.db'))
        database.run('PRAGMA user_version = 99')
      }
      return start(place)
    },
  ],
  [
    'PETSTORE_CURRENCY',
    async place => {
      {
        await using server = await place.start()
        const client = makeClient({ base: server.base, key: ADMIN_KEY })
        const { petId } = await makePet(client)
        await client.placeOrder({ body: { petId, unitPrice: 1n } })
      }
      return start(place, { ...place.env, PETSTORE_CURRENCY: 'USD' })
    },
  ],
  [
    'The key that encrypts the webhook secrets is missing',
    async place => {
      await useOnce(place)
      rmSync(join(place.directory, 'secret-key'))
      return start(place)
    },
  ],
  [
    'The webhook secrets in this database were encrypted with a different key',
    async place => {
      await useOnce(place)
      writeFileSync(join(place.directory, 'secret-key'), `${Buffer.alloc(32, 7).toString('base64')}\n`)
      return start(place)
    },
  ],
  [
    '…: it must contain 32 random bytes',
    async place => {
      writeFileSync(join(place.directory, 'secret-key'), 'short\n')
      return start(place)
    },
  ],
  [
    'The admin key cannot be written to',
    async place => {
      mkdirSync(join(place.directory, 'admin-key'))
      const { PETSTORE_ADMIN_KEY: _, ...env } = place.env
      return start(place, env)
    },
  ],
  [
    'The key cannot be read from',
    async place => {
      mkdirSync(join(place.directory, 'secret-key'))
      return start(place)
    },
  ],
  [
    'The key cannot be written to',
    async place => run(['new-secret-key', join(place.directory, 'no-directory', 'key')]),
  ],
  [
    '… exists already',
    async place => {
      const file = join(place.directory, 'existing')
      writeFileSync(file, '')
      return run(['new-secret-key', file])
    },
  ],
  ['PETSTORE_…=…', place => start(place, { ...place.env, PETSTORE_CACHE: 'maybe' })],
  ['--…=…', place => start(place, '--port', 'eighty')],
  [
    'The store cannot start:',
    async place => {
      await useOnce(place)
      using database = new Database(join(place.directory, 'petstore.db'))
      database.run('BEGIN IMMEDIATE')
      return await start(place, { ...place.env, PETSTORE_ADMIN_KEY: await newKey() })
    },
  ],
]

const failuresOnPostgres: readonly Failure[] = [
  [
    'With DATABASE_URL, PETSTORE_SECRET_KEY_FILE must name',
    async place => start(place, { ...place.env, DATABASE_URL: await newDatabase() }),
  ],
]

async function newKey(): Promise<string> {
  return (await run(['new-key'])).output.trim()
}

async function start(
  place: StoreDirectory,
  first: string | Readonly<Record<string, string>> = place.env,
  ...others: string[]
): Promise<ProcessResult> {
  const [env, args] = typeof first === 'string' ? [place.env, [first, ...others]] : [first, others]
  const port = args.includes('--port') ? [] : ['--port', '0']
  return run(['serve', ...place.args, ...port, ...args], env)
}

/** Makes a store with a webhook, and stops it. */
async function useOnce(place: StoreDirectory): Promise<void> {
  await using server = await place.start()
  const client = makeClient({ base: server.base, key: ADMIN_KEY })
  await client.createWebhook({ body: { url: 'http://127.0.0.1:1/' } })
  await server.kill('SIGTERM')
}

async function checkDocumented(...[beginning, fail]: Failure): Promise<void> {
  await using place = await newStoreDirectory('sqlite')
  const { exitCode, errors } = await fail(place)
  chmodSync(place.directory, 0o700)
  const message = messages.find(text => text.startsWith(beginning)) ?? ''
  expect([beginning, message === '', exitCode === 1 || exitCode === 2]).toEqual([beginning, false, true])
  expect(`${isDocumented(errors, message)}: ${errors}`).toBe(`true: ${errors}`)
  expect(errors).not.toContain('    at ')
}

const MESSAGE_TEST = 'docs/start.md has the message of a start that fails: %s'
test.each(failures)(MESSAGE_TEST, checkDocumented)
test.skipIf(!testedEngines.includes('postgres')).each(failuresOnPostgres)(MESSAGE_TEST, checkDocumented)

/** The messages of a running store, which have tests of their own. */
const messagesOfRunning = ['… was deleted', 'The address of the store cannot be written']

test('every documented message of a start that fails is caused by a test', () => {
  const tested = [...failures, ...failuresOnPostgres]
  const untested = messages.filter(
    message =>
      !messagesOfRunning.some(beginning => message.startsWith(beginning)) &&
      !tested.some(([beginning]) => message.startsWith(beginning)),
  )
  expect([messages.length >= tested.length, untested]).toEqual([true, []])
})

test('docs/start.md has every error message of the modules that start a store', () => {
  const modules = [
    ...['serve/serve', 'serve/process', 'keys/secret-key', 'store-access/admin-key-file'],
    ...['store-access/address-file', 'store-access/stopped-store'],
  ]
  const thrown = modules.flatMap(name => {
    const source = readFileSync(join(ROOT, `src/cli/${name}.ts`), 'utf8')
    return [...source.matchAll(/new CommandFailed\(\s*([`'])([\s\S]*?)\1\s*[,)]/g)].map(
      ([, , text = '']) => text,
    )
  })
  // A message that consists only of values has its text from another module.
  const own = thrown.map(text => text.replaceAll(/\$\{[^}]*\}/g, '…')).filter(text => /[a-z]{4}/.test(text))
  expect(own.length).toBeGreaterThan(8)
  const isInPage = (text: string): boolean =>
    messages.some(message => text.split('…').every(part => message.includes(part.trim())))
  expect(own.filter(text => !isInPage(text))).toEqual([])
})

test("a shop and a host of sandboxes refuse each other's data directory", async () => {
  const host = await openSandboxHost()
  await host.stop()
  const shop = await run(['serve', '--port', '0', '--data', host.directory])
  expect([shop.exitCode, shop.errors]).toEqual([
    1,
    `${host.directory} contains sandboxes: choose another --data for a shop.\n`,
  ])
  expect(existsSync(join(host.directory, 'petstore.db'))).toBe(false)
  using place = scratch()
  writeFileSync(join(place.path, 'petstore.db'), '')
  const sandboxes = await run(['sandboxes', '--port', '0', '--data', place.path])
  expect([sandboxes.exitCode, sandboxes.errors]).toEqual([
    1,
    `${place.path} contains the store of a shop: choose another --data for sandboxes.\n`,
  ])
})

test('a store that listens on every address without a base URL says what its links begin with', async () => {
  await using place = await newStoreDirectory('sqlite')
  const note = 'is no address for other machines: set --base-url (PETSTORE_BASE_URL)'
  const startNote = async (...args: string[]): Promise<string> => {
    await using server = await startProcess(['serve', '--port', '0', ...place.args, ...args], place.env)
    await server.kill('SIGTERM')
    return server.messages()
  }
  expect(await startNote('--host', '0.0.0.0')).toContain(note)
  expect(await startNote('--host', '0.0.0.0', '--base-url', 'http://shop.example')).not.toContain(note)
  expect(await startNote()).not.toContain(note)
})

test('petstore without a command runs the store', async () => {
  using directory = scratch()
  await using server = await startProcess(['--port', '0', '--no-demo', '--data', directory.path])
  expect((await fetch(`${server.base}/livez`)).status).toBe(200)
  await server.kill('SIGTERM')
})
