import { expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openSandboxHost, type TestHost, type TestSandbox } from '../support/sandbox-host.ts'

const ROUNDS = 10

function sandboxFolders({ directory }: TestHost): string[] {
  return readdirSync(join(directory, 'sandboxes'))
}

/** Sends requests of every kind to one sandbox at once, and returns their statuses. */
function useAtOnce(sandbox: TestSandbox): Promise<number[]> {
  const calls = [0, 1, 2].flatMap(() => [
    sandbox.callHost('PUT', '/snapshots/one'),
    sandbox.callHost('POST', '/reset'),
    sandbox.callHost('PUT', '/faults', { rules: [] }),
    sandbox.callHost('GET', '/requests'),
    sandbox.callHost('PATCH', '', { label: 'new' }),
    sandbox.call('GET', '/pets?limit=1'),
    sandbox.call('POST', '/store/orders', { body: { petId: 3 } }),
  ])
  return Promise.all(calls.map(async call => (await call).status))
}

test('a deletion during requests of every kind leaves no open store, no files and no server error', async () => {
  await using host = await openSandboxHost({ limits: { open: 3 } })
  const statuses = new Set<number>()
  for (let round = 0; round < ROUNDS; round++) {
    const sandbox = await host.create()
    const inUse = useAtOnce(sandbox)
    await Bun.sleep(round % 10)
    expect((await sandbox.callHost('DELETE', '')).status).toBe(204)
    for (const status of await inUse) statuses.add(status)
  }
  expect([...statuses].filter(status => ![200, 201, 404, 409, 503].includes(status))).toEqual([])
  expect(host.host.counts).toMatchObject({ sandboxes: 0, open: 0 })
  expect(sandboxFolders(host)).toEqual([])
  expect(host.errors).toEqual([])
  expect((await (await host.create()).call('GET', '/pets')).status).toBe(200)
})

test('a deletion of a snapshot or of a sandbox frees its bytes at once', async () => {
  await using host = await openSandboxHost()
  const before = host.host.counts.bytes
  const sandbox = await host.create()
  await sandbox.callHost('PUT', '/snapshots/one')
  const withSnapshot = host.host.counts.bytes
  await sandbox.callHost('DELETE', '/snapshots/one')
  expect(host.host.counts.bytes).toBeLessThan(withSnapshot)
  await sandbox.callHost('DELETE', '')
  expect(Math.abs(host.host.counts.bytes - before)).toBeLessThan(10_000)
})

test('snapshots that are taken at the same time stay within their limit', async () => {
  await using host = await openSandboxHost({ limits: { snapshots: 5 } })
  const sandbox = await host.create()
  const taken = await Promise.all(
    Array.from({ length: 15 }, (_, index) => sandbox.callHost('PUT', `/snapshots/s${index}`)),
  )
  expect(taken.filter(({ status }) => status === 200)).toHaveLength(5)
  expect(taken.filter(({ status }) => status === 409)).toHaveLength(10)
  expect((await sandbox.callHost('GET', '/snapshots')).data).toHaveLength(5)
})

test('a sandbox without its database is reported as damaged, not as empty, and a reset repairs it', async () => {
  const first = await openSandboxHost()
  const sandbox = await first.create()
  await first.stop()
  rmSync(join(first.directory, 'sandboxes', sandbox.created.id, 'petstore.db'))
  await using host = await openSandboxHost({
    directory: first.directory,
    port: Number(new URL(first.base).port),
  })
  expect((await sandbox.call('GET', '/pets')).data).toMatchObject({ code: 'sandbox_damaged' })
  expect((await sandbox.callHost('PUT', '/snapshots/one')).data).toMatchObject({ code: 'sandbox_damaged' })
  expect((await sandbox.callHost('POST', '/reset')).status).toBe(200)
  expect((await sandbox.call('GET', '/keys')).status).toBe(200)
  expect(host.errors).toHaveLength(1)
})

test('requests to a closed sandbox wait concurrently while the limit of open sandboxes is reached', async () => {
  await using host = await openSandboxHost({ limits: { open: 1 } })
  const [busy, waiting] = [await host.create(), await host.create()]
  const { promise: isUsed, resolve: release } = Promise.withResolvers<void>()
  const inUse = host.host.use(busy.created.id, () => isUsed)
  const startedMs = performance.now()
  const waitsMs: number[] = []
  const calls = Array.from({ length: 6 }, async () => {
    const { status, headers } = await waiting.call('GET', '/pets')
    waitsMs.push(performance.now() - startedMs)
    return [status, headers.get('retry-after')]
  })
  for (const call of calls) expect(await call).toEqual([503, '5'])
  // Of two requests that wait one after the other, the second waits at least twice as long.
  expect(waitsMs.at(-1)).toBeLessThan(2 * (waitsMs[0] ?? 0))
  release()
  await inUse
  expect((await waiting.call('GET', '/pets')).status).toBe(200)
}, 20_000)

test('a request that waits because of a fault does not keep its sandbox open', async () => {
  await using host = await openSandboxHost({ limits: { open: 1 } })
  const [slow, other] = [await host.create(), await host.create()]
  const delayed = slow.call('GET', '/pets', { headers: { 'Petstore-Fault': 'delay; delay_ms=60000' } })
  await Bun.sleep(100)
  const startedMs = performance.now()
  expect((await other.call('GET', '/pets')).status).toBe(200)
  expect(performance.now() - startedMs).toBeLessThan(2500)
  expect([200, 503]).toContain((await delayed).status)
}, 20_000)

test('after a stream failed on demand, a new stream can be opened, and the sandbox can be closed', async () => {
  await using host = await openSandboxHost({ limits: { open: 1, streams: 3 } })
  const [failing, other] = [await host.create(), await host.create()]
  const { baseUrl, adminKey } = failing.created
  for (const fault of ['truncate', 'truncate; bytes=5', 'drop_after_commit', 'cut_stream; events=1']) {
    for (let call = 0; call < 3; call++) {
      const stopped = AbortSignal.timeout(400)
      await fetch(`${baseUrl}/events/stream`, {
        headers: { Authorization: `Bearer ${adminKey}`, 'Petstore-Fault': fault },
        signal: stopped,
      })
        .then(response => response.text())
        .catch(() => {})
    }
    await Bun.sleep(100)
  }
  const open = await fetch(`${baseUrl}/events/stream`, {
    headers: { Authorization: `Bearer ${adminKey}` },
    signal: AbortSignal.timeout(2000),
  })
  expect(open.status).toBe(200)
  expect((await other.call('GET', '/pets')).status).toBe(200)
}, 30_000)
