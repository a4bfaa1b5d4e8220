import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import type { Delivery } from '../../src/shop/webhooks/delivery-schema.ts'
import { everyItem, makeClient } from '../support/client.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { childEnvironment, command, onPostgres, run, startProcess } from '../support/process.ts'
import { openReceiver, reply } from '../support/receiver.ts'
import { ADMIN_KEY, codeOf, onEveryEngine } from '../support/store.ts'
import { until } from '../support/until.ts'

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'petstore-cli-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let count = 0
const newDirectory = (): string => join(directory, `data-${++count}`)

/** Returns the arguments and the environment of a new store: a data directory, and on PostgreSQL also a database. */
async function newStorePlace(
  engine: 'sqlite' | 'postgres',
): Promise<{ args: string[]; env: Record<string, string> }> {
  const data = newDirectory()
  return {
    args: ['--data', data],
    env: engine === 'postgres' ? onPostgres(await newDatabase()) : {},
  }
}

onEveryEngine(engine => {
  test('a first start loads the demo shop and creates an admin key; a second start keeps both', async () => {
    const { args, env } = await newStorePlace(engine)
    const keyFile = join(args[1] ?? '', 'admin-key')
    let key = ''
    {
      await using server = await startProcess(['serve', '--port', '0', ...args], env)
      expect(server.messages()).toContain(keyFile)
      expect(statSync(keyFile).mode & 0o777).toBe(0o600)
      key = readFileSync(keyFile, 'utf8').trim()
      expect(server.messages() + server.logged()).not.toContain(key)
      const client = makeClient({ base: server.base, key })
      const categories = await Array.fromAsync(everyItem(client.listCategories, { limit: 100 }))
      const pets = await Array.fromAsync(everyItem(client.listPets, { limit: 100 }))
      expect([categories.length >= 12, pets.length >= 300]).toEqual([true, true])
      await client.createPet({ body: { name: 'Newcomer', categoryId: 1n } })
      for (const pet of pets.slice(0, 2)) await client.deletePet({ petId: pet.id })
      expect(await server.kill('SIGTERM')).toBe(0)
    }
    await using again = await startProcess(['serve', '--port', '0', ...args], env)
    expect(again.messages()).toContain(`admin key       in ${keyFile}`)
    const client = makeClient({ base: again.base, key })
    expect(
      await codeOf(
        client
          .listPets({ id: [1n, 2n] })
          .then(({ data }) => client.getPet({ petId: data.items[0]?.id ?? 1n })),
      ),
    ).toBe('404 pet_not_found')
    const { data } = await client.listPets({ name: 'Newcomer' })
    expect(data.items).toHaveLength(1)
  }, 120_000)

  test('a request is logged as one JSON line, with its request id', async () => {
    const { args, env } = await newStorePlace(engine)
    await using server = await startProcess(['serve', '--port', '0', '--no-demo', ...args], env)
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const headers = { 'X-Request-Id': 'till-2.42', traceparent }
    const response = await fetch(`${server.base}/pets/7?limit=oops`, { headers })
    expect(response.headers.get('x-request-id')).toBe('till-2.42')
    await server.kill('SIGTERM')
    const lines = server
      .logged()
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.filter(({ requestId }) => requestId === 'till-2.42')).toMatchObject([
      {
        method: 'GET',
        path: '/pets/7',
        status: 400,
        operationId: 'getPet',
        address: '127.0.0.1',
        traceparent,
      },
    ])
  }, 120_000)

  test('after SIGTERM, the process exits with 0 within 10 s, and a request gets 200, 503 or no response', async () => {
    const { args, env } = await newStorePlace(engine)
    await using server = await startProcess(['serve', '--port', '0', ...args], env)
    const { base } = server
    const running = Array.from({ length: 200 }, () =>
      fetch(`${base}/pets?limit=100&sort=name`).then(({ status }) => status),
    )
    // A connection may be cut off. Without a handler from the start, the rejected promise would fail the run.
    const ended = Promise.allSettled(running)
    const early = await Promise.all(running.slice(0, 1))
    const startedMs = performance.now()
    const exitCode = await server.kill('SIGTERM')
    expect(exitCode).toBe(0)
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    const ends = await ended
    expect(early).toEqual([200])
    const wrong = ends.filter(end => end.status === 'fulfilled' && ![200, 503].includes(end.value))
    expect(wrong).toEqual([])
  }, 120_000)
})

test('a store retries a delivery after the delays in PETSTORE_WEBHOOK_RETRIES', async () => {
  await using receiver = await openReceiver(() => reply(500))
  await using server = await startProcess(
    ['serve', '--port', '0', '--no-demo', '--allow-private-webhooks', '--data', newDirectory()],
    { PETSTORE_ADMIN_KEY: ADMIN_KEY, PETSTORE_WEBHOOK_RETRIES: '1s,2s' },
  )
  const client = makeClient({ base: server.base, key: ADMIN_KEY })
  const { data: webhook } = await client.createWebhook({ body: { url: receiver.base } })
  await client.createCategory({ body: { name: 'Otters' } })
  let failed: Delivery | undefined
  await until('the delivery has failed', async () => {
    const { data } = await client.listDeliveries({ webhookId: webhook.id })
    failed = data.items.find(({ state }) => state === 'failed')
    return failed !== undefined
  })
  const atMs = (failed?.attempts ?? []).map(({ at }) => Date.parse(at))
  expect(atMs).toHaveLength(3)
  expect((atMs[1] ?? 0) - (atMs[0] ?? 0)).toBeGreaterThanOrEqual(1000)
  expect((atMs[2] ?? 0) - (atMs[1] ?? 0)).toBeGreaterThanOrEqual(2000)
}, 60_000)

describe('a start that fails', () => {
  const failing: { name: string; args?: string[]; env?: Record<string, string>; says: string }[] = [
    {
      name: 'a bad port',
      args: ['--port', 'http'],
      says: '--port=http: the port must be a number from 0 to 65535.',
    },
    ...['https://shop.example/?a=1', 'https://shop.example/#top', 'https://shop.example?'].map(url => ({
      name: `a base URL with more than a path: ${url}`,
      args: ['--base-url', url],
      says: '--base-url=(hidden): it must be a URL such as https://shop.example, without user, query or fragment.',
    })),
    ...['https://admin:hunter2', 'https:admin:p@ss/word'].map(url => ({
      name: `a base URL with a password, which is not repeated: ${url}`,
      env: { PETSTORE_BASE_URL: `${url}@shop.example` },
      says: 'PETSTORE_BASE_URL=(hidden): it must be a URL such as',
    })),
    ...['', ' ', ':memory:', 'file:data'].map(data => ({
      name: `a data directory called "${data}"`,
      args: ['--data', data],
      says: `--data=${data}: it must name a directory: the store keeps its data in files.`,
    })),
    {
      name: 'a bad clock',
      args: ['--clock', 'tomorrow'],
      says: '--clock=tomorrow: it must be an RFC 3339 instant',
    },
    {
      name: 'a bad stability',
      args: ['--stability', 'alpha'],
      says: '--stability=alpha: it must be one of stable, beta',
    },
    {
      name: 'a bad rate limit',
      env: { PETSTORE_RATE_LIMIT: 'lots' },
      says: 'PETSTORE_RATE_LIMIT=lots: it must be requests/seconds',
    },
    {
      name: 'a bad admin key',
      env: { PETSTORE_ADMIN_KEY: 'secret' },
      says: 'PETSTORE_ADMIN_KEY=(hidden): it must be a complete key',
    },
    {
      name: 'a bad CORS origin',
      env: { PETSTORE_CORS_ORIGINS: 'shop' },
      says: 'PETSTORE_CORS_ORIGINS=shop: each must be',
    },
    {
      name: 'a host with a port',
      args: ['--host', '127.0.0.1:8080'],
      says: '--host=127.0.0.1:8080: it must be an address or a name without scheme and port',
    },
    {
      name: 'a bad network of proxies',
      env: { PETSTORE_TRUSTED_PROXIES: '10.0.0.0/33' },
      says: 'each must be an address or a network',
    },
    {
      name: 'a bad database URL',
      env: { DATABASE_URL: 'mysql://x' },
      says: 'DATABASE_URL=(hidden): it must be a URL such as postgres',
    },
    {
      name: 'a bad log level',
      env: { PETSTORE_LOG_LEVEL: 'loud' },
      says: 'PETSTORE_LOG_LEVEL=loud: it must be one of fatal',
    },
    {
      name: 'a bad retention',
      env: { PETSTORE_EVENT_RETENTION: '90' },
      says: 'PETSTORE_EVENT_RETENTION=90: it must be a number of days (90d) or hours (36h), or forever.',
    },
    {
      name: 'a bad retry schedule',
      env: { PETSTORE_WEBHOOK_RETRIES: '1s,5' },
      says: 'PETSTORE_WEBHOOK_RETRIES=1s,5: it must be 1 to 20 delays, each from 1s to 24h, separated by commas',
    },
    {
      name: 'a bad value of PETSTORE_ALLOW_PRIVATE_WEBHOOKS',
      env: { PETSTORE_ALLOW_PRIVATE_WEBHOOKS: 'yes' },
      says: 'PETSTORE_ALLOW_PRIVATE_WEBHOOKS=yes: it must be one of true, false.',
    },
    {
      name: 'an invalid secret key',
      env: { PETSTORE_SECRET_KEY_FILE: import.meta.path },
      says: 'it must contain 32 random bytes in base64; "petstore new-secret-key FILE" creates one.',
    },
    {
      name: 'a missing secret key file',
      env: { PETSTORE_SECRET_KEY_FILE: join(import.meta.dir, 'no-such-file') },
      says: 'it must name a readable file.',
    },
    {
      name: 'PostgreSQL without a secret key',
      env: { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/x' },
      says: 'PETSTORE_SECRET_KEY_FILE must name the file of the key',
    },
    { name: 'an unknown flag', args: ['--prot', '9000'], says: "unknown option '--prot'" },
    {
      name: 'a database server that cannot be reached',
      env: onPostgres('postgres://a:b@127.0.0.1:1/x'),
      says: 'cannot be opened',
    },
  ]
  for (const { name, args = [], env = {}, says } of failing) {
    test(`the start reports ${name}`, async () => {
      const ended = await run(['serve', '--data', newDirectory(), ...args], { PETSTORE_PORT: '0', ...env })
      expect(ended.exitCode).toBeGreaterThan(0)
      expect(ended.errors).toContain(says)
      expect(ended.errors).not.toContain('    at ')
    }, 120_000)
  }

  test('no message repeats the address of a database, in whatever form and setting it is given', async () => {
    const addresses = [
      'host=127.0.0.1 user=shop password=hunter2 dbname=shop',
      'jdbc:postgresql://127.0.0.1/shop?user=shop&password=hunter2',
      'postgres://127.0.0.1:1/shop?user=shop&password=hunter2&sslmode=no-verify',
      'Server=127.0.0.1;User Id=shop;Password=hunter2;',
      'postgres://shop:hunter2%zz@127.0.0.1:1/shop',
      'shop:hunter2@127.0.0.1/shop',
    ]
    const copyTo = newDirectory()
    const commands = [
      ['serve', '--port', '0', '--database-url'],
      ['serve', '--port', '0', '--data'],
      ['serve', '--host'],
      ['serve'],
      ['copy', '--to', copyTo, '--from'],
      ['health', '--data'],
    ]
    for (const address of addresses) {
      const ran = await Promise.all([
        ...commands.map(args => run([...args, address])),
        ...[
          'DATABASE_URL',
          'PETSTORE_DATABASE_PASSWORD_FILE',
          'PETSTORE_ADMIN_KEY_FILE',
          'PETSTORE_PORT',
        ].map(name => run(['serve', '--data', newDirectory()], { [name]: address })),
      ])
      expect(ran.filter(({ exitCode, errors }) => exitCode === 0 || errors.includes('hunter2'))).toEqual([])
    }
  }, 120_000)

  test('a store listens on an IPv6 address that is written in brackets', async () => {
    const args = ['serve', '--port', '0', '--no-demo', '--host', '[::1]', '--data', newDirectory()]
    await using server = await startProcess(args)
    expect(server.base).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await fetch(`${server.base}/livez`)).status).toBe(200)
  }, 120_000)

  test('the start reports a port in use', async () => {
    await using server = await startProcess(['serve', '--port', '0', '--no-demo', '--data', newDirectory()])
    const port = new URL(server.base).port
    const ended = await run(['serve', '--port', port, '--no-demo', '--data', newDirectory()])
    expect(ended.errors.trim()).toBe(
      `127.0.0.1:${port} is in use: stop the process that listens there, or choose another --port.`,
    )
    expect(ended.exitCode).toBe(1)
  }, 120_000)

  test('the start reports a data directory that another process uses', async () => {
    const data = newDirectory()
    await using server = await startProcess(['serve', '--port', '0', '--no-demo', '--data', data])
    expect(server.base).toStartWith('http://127.0.0.1:')
    const ended = await run(['serve', '--port', '0', '--data', data])
    expect(ended.errors.trim()).toBe(
      `The data directory ${data} is in use by another petstore process. Stop it, or choose another --data.`,
    )
    expect(ended.exitCode).toBe(1)
  }, 120_000)

  test('the start reports a store that is started twice, on the same port and directory', async () => {
    const data = newDirectory()
    await using server = await startProcess(['serve', '--port', '0', '--no-demo', '--data', data])
    const ended = await run(['serve', '--port', new URL(server.base).port, '--no-demo', '--data', data])
    expect(ended.errors.trim()).toBe(
      `The data directory ${data} is in use by another petstore process. Stop it, or choose another --data.`,
    )
    expect(ended.exitCode).toBe(1)
  }, 20_000)

  test('the start reports a directory that cannot be written', async () => {
    const file = join(directory, 'a-file')
    writeFileSync(file, '')
    const ended = await run(['serve', '--port', '0', '--data', join(file, 'data')])
    expect(ended.errors).toContain(`The data directory ${join(file, 'data')} cannot be written`)
    expect([ended.exitCode, ended.errors.trim().split('\n').length]).toEqual([1, 1])
  }, 120_000)

  test('the start reports a database of a newer version', async () => {
    const data = newDirectory()
    mkdirSync(data)
    {
      using database = new Database(databaseFile(data), { create: true })
      database.run('PRAGMA user_version = 99')
    }
    const ended = await run(['serve', '--port', '0', '--data', data])
    expect(ended.errors).toContain('The database is at version 99, created by a newer petstore')
    expect(ended.exitCode).toBe(1)
  }, 120_000)
})

describe('settings', () => {
  test('a setting can be set by variable or by flag, and the flag overrides the variable', async () => {
    const env = {
      PETSTORE_CLOCK: '2028-01-01T00:00:00Z',
      PETSTORE_DEMO: 'false',
      PETSTORE_STABILITY: 'stable',
      PETSTORE_BASE_URL: 'https://shop.example/',
    }
    const args = ['serve', '--port', '0', '--stability', 'beta']
    await using byVariable = await startProcess([...args, '--data', newDirectory()], env)
    expect(byVariable.base).toBe('https://shop.example')
    const flag = ['--base-url', 'https://till.example']
    await using byFlag = await startProcess([...args, ...flag, '--data', newDirectory()], env)
    expect(byFlag.base).toBe('https://till.example')
  }, 120_000)

  test('the lifecycle clock can be set past the sunset, while the instants in the data use the real time', async () => {
    const args = ['--clock', '2028-01-01T00:00:00Z', '--no-demo', '--port', '0', '--data', newDirectory()]
    await using server = await startProcess(['serve', ...args], { PETSTORE_ADMIN_KEY: ADMIN_KEY })
    expect((await fetch(`${server.base}/pets/1`)).status).toBe(410)
    const client = makeClient({ base: server.base, key: ADMIN_KEY })
    const { data } = await client.listKeys({})
    expect(data.items[0]?.createdAt).toStartWith(new Date().toISOString().slice(0, 10))
  }, 120_000)

  test('the admin key of a store can be one that petstore new-key has printed', async () => {
    const { output, exitCode } = await run(['new-key'])
    expect([exitCode, /^pst_[0-9A-Za-z]{49}\n$/.test(output)]).toEqual([0, true])
    await using server = await startProcess(['serve', '--port', '0', '--no-demo', '--data', newDirectory()], {
      PETSTORE_ADMIN_KEY: output.trim(),
    })
    const client = makeClient({ base: server.base, key: output.trim() })
    expect((await client.listKeys({})).data.items).toHaveLength(1)
  }, 120_000)
})

/** Runs a command whose standard output is a full disk. Returns its error output and its exit code. */
async function runToFullDisk(
  args: readonly string[],
  data: string,
): Promise<{ errors: string; exitCode: number }> {
  const { line, env } = command(args)
  const child = Bun.spawn(line, {
    env: { ...childEnvironment(env), PETSTORE_DATA: data },
    stdin: 'ignore',
    stdout: Bun.file('/dev/full'),
    stderr: 'pipe',
    timeout: 30_000,
  })
  const [errors, exitCode] = await Promise.all([new Response(child.stderr).text(), child.exited])
  return { errors, exitCode }
}

test.each(['licenses', 'openapi', 'doctor', 'new-key', 'export categories', 'audit export'])(
  'petstore %s reports that its output cannot be written to a full disk, and ends',
  async args => {
    const data = mkdtempSync(join(tmpdir(), 'petstore-full-'))
    {
      await using server = await startProcess(['serve', '--port', '0', '--data', data])
      await server.kill('SIGTERM')
    }
    const { errors, exitCode } = await runToFullDisk(args.split(' '), data)
    rmSync(data, { recursive: true, force: true })
    expect([exitCode, errors]).toEqual([1, expect.stringMatching(/^The output cannot be written: ENOSPC/)])
  },
)

test('a change whose output cannot be written to a full disk is reported as made, with the id', async () => {
  const data = mkdtempSync(join(tmpdir(), 'petstore-full-'))
  try {
    await using server = await startProcess(['serve', '--port', '0', '--data', data])
    const errorsOf = async (...args: string[]): Promise<string> => {
      const target = ['--url', server.base, '--key', `@${join(data, 'admin-key')}`]
      const { errors, exitCode } = await runToFullDisk([...args, ...target], data)
      expect(exitCode).toBe(1)
      return errors
    }
    const failure = '^The output cannot be written: ENOSPC[^.]*\\. '
    expect(await errorsOf('create-key', '--name', 'till', '--scopes', 'orders:read')).toMatch(
      new RegExp(
        `${failure}The change was made \\(id 2\\), but nobody can know its secret: revoke or delete it\\.\\n$`,
      ),
    )
    expect(await errorsOf('set-inventory', '1', '--quantity', '3')).toMatch(
      new RegExp(`${failure}The change was made: only its output is missing\\.\\n$`),
    )
    expect(await errorsOf('list-pets')).toMatch(new RegExp(`${failure.trimEnd()}\\n$`))
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}, 60_000)
