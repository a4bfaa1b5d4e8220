import { expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Delivery } from '../../src/shop/webhooks/delivery-schema.ts'
import { everyItem, makeClient } from '../support/client.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { onPostgres, run, startProcess } from '../support/process.ts'
import { openReceiver, reply } from '../support/receiver.ts'
import { ADMIN_KEY, codeOf, onEveryEngine } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

const directory = testFolder()

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
  })

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
  })

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
  })
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
})

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
})

test('the lifecycle clock can be set past the sunset, while the instants in the data use the real time', async () => {
  const args = ['--clock', '2028-01-01T00:00:00Z', '--no-demo', '--port', '0', '--data', newDirectory()]
  await using server = await startProcess(['serve', ...args], { PETSTORE_ADMIN_KEY: ADMIN_KEY })
  expect((await fetch(`${server.base}/pets/1`)).status).toBe(410)
  const client = makeClient({ base: server.base, key: ADMIN_KEY })
  const { data } = await client.listKeys({})
  expect(data.items[0]?.createdAt).toStartWith(new Date().toISOString().slice(0, 10))
})

test('the admin key of a store can be one that petstore new-key has printed', async () => {
  const { output, exitCode } = await run(['new-key'])
  expect([exitCode, /^pst_[0-9A-Za-z]{49}\n$/.test(output)]).toEqual([0, true])
  await using server = await startProcess(['serve', '--port', '0', '--no-demo', '--data', newDirectory()], {
    PETSTORE_ADMIN_KEY: output.trim(),
  })
  const client = makeClient({ base: server.base, key: output.trim() })
  expect((await client.listKeys({})).data.items).toHaveLength(1)
})

test('a store whose terminal is closed stops gracefully, and its exit code is that of SIGHUP', async () => {
  const server = await startProcess(['serve', '--port', '0', '--no-demo', '--data', newDirectory()])
  process.kill(server.pid, 'SIGHUP')
  expect(await server.exited).toBe(129)
  expect(server.logged()).toContain('"msg":"stopped"')
})
