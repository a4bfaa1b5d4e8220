import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadSandboxSeed } from '../../src/cli/sandboxes/seeds.ts'
import { freePort } from '../support/free-port.ts'
import {
  openSandboxHost,
  type TestHost,
  type TestHostOptions,
  type TestSandbox,
} from '../support/sandbox-host.ts'
import { until } from '../support/until.ts'

/** Stops a host and starts it again, on the same port and with the same data. */
async function restarted(host: TestHost, options: TestHostOptions = {}): Promise<TestHost> {
  await host.stop()
  return openSandboxHost({ ...options, directory: host.directory, port: Number(new URL(host.base).port) })
}

/** Creates a sandbox from a snapshot of another one. */
function createFrom(host: TestHost, { created }: TestSandbox, snapshot: string): Promise<TestSandbox> {
  return host.create({ seed: `${created.id}/${snapshot}` }, created.adminKey)
}

test('a start of the host deletes the unfinished files of a killed one, and keeps the others', async () => {
  const first = await openSandboxHost()
  const sandbox = await first.create({ seed: 'empty' })
  await sandbox.callHost('PUT', '/snapshots/lesson')
  const directory = join(first.directory, 'sandboxes', sandbox.created.id)
  for (const name of ['petstore.db.new', 'snapshots/.lesson.new']) writeFileSync(join(directory, name), 'x')
  await using second = await restarted(first)
  expect(existsSync(join(directory, 'petstore.db.new'))).toBe(false)
  expect(readdirSync(join(directory, 'snapshots'))).toEqual(['lesson.db'])
  expect((await sandbox.call('GET', '/categories')).status).toBe(200)
  expect(second.errors).toEqual([])
})

test('a sandbox that cannot be created takes no place and leaves no files', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create({ seed: 'empty' })
  await expect(createFrom(host, sandbox, 'missing')).rejects.toThrow('snapshot_not_found')
  expect(host.host.counts.sandboxes).toBe(1)
  expect(readdirSync(join(host.directory, 'sandboxes'))).toEqual([sandbox.created.id])
})

test('a seed that could not be built is built for the next sandbox', async () => {
  let failures = 1
  await using host = await openSandboxHost({
    loadSeed: async (seed, engine, clock) => {
      if (seed === 'empty' && failures-- > 0) throw new Error('the disk was full')
      await loadSandboxSeed(seed, engine, clock)
    },
  })
  await expect(host.create({ seed: 'empty' })).rejects.toThrow('500')
  const sandbox = await host.create({ seed: 'empty' })
  expect((await sandbox.call('GET', '/pets')).data).toEqual([])
})

test('a reset changes the generation before it replaces the content, even if it then fails', async () => {
  await using host = await openSandboxHost()
  const { created, callHost, call } = await host.create({ seed: 'empty' })
  const file = join(host.directory, 'sandboxes', created.id, 'petstore.db')
  renameSync(file, `${file}.kept`)
  mkdirSync(join(file, 'in the way'), { recursive: true })
  expect(await callHost('POST', '/reset')).toMatchObject({ status: 500 })
  expect((await callHost('GET', '')).data).toMatchObject({ generation: 2n })
  rmSync(file, { recursive: true })
  renameSync(`${file}.kept`, file)
  expect((await call('GET', '/categories')).status).toBe(200)
})

test('a new key that the store of a sandbox could not get is none: the old key stays', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create({ seed: 'empty' })
  const { id, adminKey } = sandbox.created
  const other = new Database(join(host.directory, 'sandboxes', id, 'petstore.db'))
  other.run('BEGIN IMMEDIATE')
  await expect(host.host.renewKey(id)).rejects.toThrow()
  other.close()
  expect((await sandbox.callHost('GET', '')).status).toBe(200)
  expect((await sandbox.call('GET', '/store/orders')).status).toBe(200)
  const renewed = await host.host.renewKey(id)
  const statusWith = async (key: string) => {
    const headers = { Authorization: `Bearer ${key}` }
    return (await fetch(`${sandbox.created.baseUrl}/store/orders`, { headers })).status
  }
  expect([await statusWith(adminKey), await statusWith(renewed.adminKey)]).toEqual([401, 200])
})

test('a host that stops while a sandbox is deleted ends its work', async () => {
  const host = await openSandboxHost()
  const [first, second] = [await host.create({ seed: 'empty' }), await host.create({ seed: 'empty' })]
  await Promise.all([host.host.delete(first.created.id), host.host.close()])
  await host.stop()
  await using again = await openSandboxHost({ directory: host.directory })
  expect([again.host.has(first.created.id), again.host.has(second.created.id)]).toEqual([false, true])
})

test('a reset whose seed is missing is refused, and changes neither the content nor the generation', async () => {
  await using host = await openSandboxHost()
  const teacher = await host.create({ seed: 'empty' })
  await teacher.callHost('PUT', '/snapshots/lesson')
  const student = await createFrom(host, teacher, 'lesson')
  await student.call('POST', '/categories', { body: { name: 'Mine' } })
  rmSync(join(host.directory, 'sandboxes', student.created.id, 'seed.db'))
  expect((await student.callHost('POST', '/reset')).data).toMatchObject({ code: 'sandbox_damaged' })
  expect((await student.callHost('GET', '')).data).toMatchObject({ generation: 1n })
  expect((await student.call('GET', '/categories')).data).toMatchObject([{ name: 'Mine' }])
})

test('the restore of its own snapshot keeps the keys of a sandbox that began as a copy', async () => {
  await using host = await openSandboxHost()
  const teacher = await host.create({ seed: 'empty' })
  await teacher.callHost('PUT', '/snapshots/lesson')
  const student = await createFrom(host, teacher, 'lesson')
  await student.call('POST', '/keys', { body: { name: 'till', scopes: ['orders:read'] } })
  await student.callHost('PUT', '/snapshots/mine')
  await student.callHost('POST', '/reset', { snapshot: 'mine' })
  expect((await student.call('GET', '/keys')).data).toMatchObject([{ id: 1n }, { name: 'till' }])
  await student.callHost('POST', '/reset')
  expect((await student.call('GET', '/keys')).data).toMatchObject([{ id: 1n }])
})

test('the ids of events stay in the range of their generation, whichever generation a snapshot is from', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create({ seed: 'empty' })
  const lastEventId = async (): Promise<bigint> => {
    await sandbox.call('POST', '/categories', { body: { name: crypto.randomUUID() } })
    const { data } = await sandbox.call('GET', '/events?after=0&type=petstore.category.created&limit=100')
    return BigInt(String(Object(Array.isArray(data) ? data.at(-1) : undefined).id))
  }
  await sandbox.callHost('POST', '/reset')
  const generations = [await lastEventId()]
  await sandbox.callHost('PUT', '/snapshots/second')
  for (let reset = 0; reset < 2; reset++) {
    await sandbox.callHost('POST', '/reset', { snapshot: 'second' })
    generations.push(await lastEventId())
  }
  expect(generations.map(id => id / 1_000_000_000n)).toEqual([1n, 2n, 3n])
})

test('a snapshot that replaces one of the same size takes no further bytes', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create({ seed: 'empty' })
  await sandbox.callHost('PUT', '/snapshots/lesson')
  const { bytes } = host.host.counts
  for (let again = 0; again < 2; again++) await sandbox.callHost('PUT', '/snapshots/lesson')
  expect(host.host.counts.bytes).toBe(bytes)
})

test('a clock that is ahead for a moment, and then right again, deletes no sandbox', async () => {
  let aheadMs = 0
  let reads = 0
  const clock = (): number => {
    reads++
    return Date.now() + aheadMs
  }
  await using host = await openSandboxHost({ clock, sweepMs: 5, graceMs: 40 })
  const sandbox = await host.create({ seed: 'empty', lifetimeSeconds: 60 })
  /** Resolves when a sweep has begun and ended since the call: each sweep reads the clock once. */
  const swept = async (): Promise<void> => {
    const before = reads
    await until('the host has swept', () => reads >= before + 3)
  }
  aheadMs = 120_000
  await swept()
  aheadMs = 0
  const startedMs = performance.now()
  await until('the time until a deletion has passed', () => performance.now() - startedMs > 60)
  await swept()
  expect(host.host.counts.sandboxes).toBe(1)
  expect((await sandbox.call('GET', '/pets')).status).toBe(200)
})

test('a sandbox that nobody uses is closed by a sweep, and its next request finds everything', async () => {
  await using host = await openSandboxHost({ sweepMs: 20, idleMs: 400 })
  const idle = await host.create({ seed: 'empty' })
  const followed = await host.create({ seed: 'empty' })
  expect((await idle.call('POST', '/categories', { body: { name: 'Dogs' } })).status).toBe(201)
  const poll = followed.call('GET', '/events?type=petstore.webhook.disabled&wait=3')
  await until('both sandboxes are open', () => host.host.counts.open === 2)
  const startedMs = performance.now()
  await until('the unused sandbox is closed', () => host.host.counts.open === 1)
  expect(performance.now() - startedMs).toBeGreaterThan(200)
  // A sweep does not close the sandbox whose events somebody waits for.
  expect((await poll).status).toBe(200)
  expect((await idle.call('GET', '/categories')).data).toMatchObject([{ name: 'Dogs' }])
}, 20_000)

test('a sandbox that nobody listens to is closed first, then the least recently used one', async () => {
  await using host = await openSandboxHost({ limits: { open: 2 } })
  const sandboxes: TestSandbox[] = []
  for (let index = 0; index < 3; index++) sandboxes.push(await host.create({ seed: 'empty' }))
  const [first, second, third] = sandboxes
  if (!first || !second || !third) throw new Error('there is no sandbox')
  const streams = new Map<TestSandbox, { text: string; isEnded: boolean }>()
  const stopped = new AbortController()
  const listen = async (sandbox: TestSandbox): Promise<void> => {
    const { baseUrl, adminKey } = sandbox.created
    const headers = { Authorization: `Bearer ${adminKey}` }
    const response = await fetch(`${baseUrl}/events/stream`, { headers, signal: stopped.signal })
    const stream = { text: '', isEnded: false }
    streams.set(sandbox, stream)
    const read = async (): Promise<void> => {
      for await (const chunk of response.body ?? []) stream.text += Buffer.from(chunk).toString()
    }
    read()
      .catch(() => {})
      .finally(() => {
        stream.isEnded = true
      })
  }
  const endedStreams = (): TestSandbox[] =>
    [...streams].flatMap(([sandbox, { isEnded }]) => (isEnded ? [sandbox] : []))
  await listen(first)
  await second.call('GET', '/pets')
  // The first one was used before the second one, but somebody listens to it.
  await listen(third)
  await first.call('POST', '/categories', { body: { name: 'Dogs' } })
  const stream = streams.get(first)
  await until(
    'the event arrives',
    () => stream?.isEnded || stream?.text.includes('category.created') === true,
  )
  expect(endedStreams()).toEqual([])
  await second.call('GET', '/pets')
  await until('a stream has ended', () => endedStreams().length > 0)
  expect(endedStreams()).toEqual([third])
  stopped.abort()
})

test('an address cannot guess the key of a sandbox: sixty wrong keys in a minute are the limit', async () => {
  await using host = await openSandboxHost()
  const [sandbox, other] = [await host.create({ seed: 'empty' }), await host.create({ seed: 'empty' })]
  const guess = async (): Promise<number> => {
    const headers = { Authorization: `Bearer ${other.created.adminKey}` }
    return (await fetch(`${host.base}/sandboxes/${sandbox.created.id}`, { headers })).status
  }
  const statuses: number[] = []
  for (let guesses = 0; guesses < 61; guesses++) statuses.push(await guess())
  expect(statuses).toEqual([...Array.from({ length: 60 }, () => 401), 429])
  expect((await sandbox.callHost('GET', '')).status).toBe(200)
})

test('the pages of a host under a path create any number of sandboxes, other origins only a few', async () => {
  const port = freePort()
  await using _ = await openSandboxHost({
    port,
    baseUrl: 'https://example.org/pets',
    limits: { createdPerHour: 1 },
    loadSeed: async () => {},
  })
  const create = async (origin: string): Promise<number> => {
    const headers = { Origin: origin, 'Content-Type': 'application/json' }
    const url = `http://127.0.0.1:${port}/sandboxes`
    return (await fetch(url, { method: 'POST', headers, body: '{"seed":"empty"}' })).status
  }
  const statuses: number[] = []
  for (const origin of ['https://example.org', 'https://example.net'])
    for (let created = 0; created < 2; created++) statuses.push(await create(origin))
  expect(statuses).toEqual([201, 201, 201, 429])
})
