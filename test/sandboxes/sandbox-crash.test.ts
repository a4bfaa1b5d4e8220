import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startProcess } from '../support/process.ts'
import { createSandbox, openSandboxHost, type TestSandbox } from '../support/sandbox-host.ts'
import { seeded } from '../support/seeded.ts'
import { until } from '../support/until.ts'

const SANDBOXES = 50
const KILLS = 3
const SEED = 20_261_122

async function startHost(data: string, port: number): Promise<ServerProcess> {
  return startProcess(['sandboxes', '--data', data, '--port', String(port), '--log-level', 'error'])
}

interface BusySandbox {
  readonly sandbox: TestSandbox
  /** The ids of the orders whose response arrived. */
  readonly acknowledged: Set<bigint>
}

/** Places orders in a sandbox until a request fails because the host is gone. */
async function writeUntilKilled({ sandbox, acknowledged }: BusySandbox): Promise<void> {
  for (;;) {
    let result: Awaited<ReturnType<TestSandbox['call']>>
    try {
      result = await sandbox.call('POST', '/store/orders', { body: { petId: 3 } })
    } catch {
      return
    }
    if (result.status !== 201) throw new Error(result.text)
    acknowledged.add((result.data as { id: bigint }).id)
  }
}

test(`after kill -9 with ${SANDBOXES} sandboxes open, every one opens again with all acknowledged orders`, async () => {
  const data = mkdtempSync(join(tmpdir(), 'petstore-sandboxes-'))
  const random = seeded(SEED)
  let host = await startHost(data, 0)
  const port = Number(new URL(host.base).port)
  const all: BusySandbox[] = []
  for (let index = 0; index < SANDBOXES; index++) {
    const sandbox = await createSandbox(host.base)
    await sandbox.call('PUT', '/store/inventory/3', { body: { quantity: 1_000_000 } })
    all.push({ sandbox, acknowledged: new Set() })
  }
  for (let kill = 0; kill < KILLS; kill++) {
    const writing = all.map(writeUntilKilled)
    const haveOrders = (): boolean => all.every(({ acknowledged }) => acknowledged.size > 0)
    await until('every sandbox has an acknowledged order', haveOrders)
    await Bun.sleep(300 + random.below(700))
    await host.kill('SIGKILL')
    await Promise.all(writing)
    host = await startHost(data, port)
    for (const { sandbox, acknowledged } of all) {
      const item = await sandbox.call('GET', '/store/inventory/3')
      const { reserved } = item.data as { reserved: bigint }
      const last = await sandbox.call('GET', '/store/orders?limit=1&sort=-id')
      // Ids have no gaps, and each order reserves one unit. If no order is missing, the last id therefore equals the
      // number of reserved units.
      expect(last.data).toMatchObject([{ id: reserved }])
      expect(reserved).toBeGreaterThanOrEqual(BigInt(acknowledged.size))
      for (const id of acknowledged) expect(id).toBeLessThanOrEqual(reserved)
    }
  }
  await host.kill('SIGTERM')
  rmSync(data, { recursive: true, force: true })
})

test('a damaged sandbox is detected at its first use after a boot, and can be reset to a snapshot', async () => {
  const first = await openSandboxHost()
  const [damaged, healthy] = [await first.create(), await first.create()]
  await healthy.call('POST', '/store/orders', { body: { petId: 3 } })
  await damaged.callHost('PUT', '/snapshots/before')
  await first.stop()
  overwriteMiddle(join(first.directory, 'sandboxes', damaged.created.id, 'petstore.db'))
  pretendBoot(first.directory)
  const port = Number(new URL(first.base).port)
  await using host = await openSandboxHost({ directory: first.directory, port })
  const refused = await damaged.call('GET', '/pets')
  expect(refused.data).toMatchObject({ code: 'sandbox_damaged', status: 503n })
  expect((await damaged.callHost('GET', '')).data).toMatchObject({ state: 'damaged' })
  expect((await healthy.call('GET', '/store/orders')).data).toHaveLength(1)
  expect((await damaged.callHost('POST', '/reset', { snapshot: 'before' })).data).toMatchObject({
    state: 'ready',
  })
  expect((await damaged.call('GET', '/pets')).status).toBe(200)
  expect(host.errors).toMatchObject([{ message: 'the database of a sandbox is damaged' }])
})

test.each([
  ['other content', (file: string) => writeFileSync(file, 'this is not a database'.repeat(1000))],
  ['no content', (file: string) => truncateSync(file)],
])('a snapshot with %s is refused as damaged, and the sandbox keeps its content', async (_, damage) => {
  await using host = await openSandboxHost()
  const sandbox = await host.create()
  const { id } = sandbox.created
  await sandbox.call('POST', '/store/orders', { body: { petId: 3 } })
  await sandbox.callHost('PUT', '/snapshots/before')
  const copy = await host.host.create({ seed: `${id}/before` })
  const directory = join(host.directory, 'sandboxes')
  damage(join(directory, id, 'snapshots', 'before.db'))
  damage(join(directory, copy.id, 'seed.db'))
  const refusal = {
    code: 'sandbox_damaged',
    message: expect.stringContaining('this snapshot is damaged or missing'),
  }
  expect((await sandbox.callHost('POST', '/reset', { snapshot: 'before' })).data).toMatchObject(refusal)
  expect(await host.host.reset(copy.id, undefined).catch(error => error)).toMatchObject(refusal)
  expect(await host.host.create({ seed: `${id}/before` }).catch(error => error)).toMatchObject(refusal)
  const unchanged = { state: 'ready', generation: 1n }
  expect((await sandbox.callHost('GET', '')).data).toMatchObject(unchanged)
  expect((await sandbox.call('GET', '/store/orders')).data).toHaveLength(1)
  expect(host.host.find(copy.id)).toMatchObject({ isDamaged: false, generation: 1 })
  expect(host.errors).toMatchObject(Array(3).fill({ message: 'a snapshot is damaged' }))
})

test('control: a damaged sandbox is not detected before the machine boots again', async () => {
  const first = await openSandboxHost()
  const sandbox = await first.create()
  await first.stop()
  overwriteMiddle(join(first.directory, 'sandboxes', sandbox.created.id, 'petstore.db'))
  const port = Number(new URL(first.base).port)
  await using host = await openSandboxHost({ directory: first.directory, port })
  expect((await sandbox.call('GET', '/livez')).status).toBe(200)
  expect((await sandbox.callHost('GET', '')).data).toMatchObject({ state: 'ready' })
  expect(host.host.counts.open).toBe(1)
})

/** Overwrites the middle of a file, as a power failure can. */
function overwriteMiddle(file: string): void {
  const { size } = statSync(file)
  writeSync(openSync(file, 'r+'), Buffer.alloc(16_384, 0xaa), 0, 16_384, Math.floor(size / 8192) * 4096)
}

/** Changes the records of a host as if the databases had last been opened during another boot of the machine. */
function pretendBoot(directory: string): void {
  using database = new Database(join(directory, 'sandboxes.db'))
  database.run(`UPDATE sandbox SET record = json_set(record, '$.bootId', 'another boot')`)
}

test('sandboxes sleep and wake while the host cannot write its registry', async () => {
  const first = await openSandboxHost({ limits: { open: 1 } })
  const [one, other] = [await first.create({ seed: 'empty' }), await first.create({ seed: 'empty' })]
  const rules = [{ name: 'late', operation: 'deletePet', effect: { type: 'error', code: 'overloaded' } }]
  await one.call('GET', '/pets')
  expect((await one.callHost('PUT', '/faults', { rules })).status).toBe(200)
  const wakeInTurns = async (): Promise<number[]> => {
    const statuses: number[] = []
    for (const { call } of [one, other, one, other, one]) statuses.push((await call('GET', '/pets')).status)
    return statuses
  }
  const whileLocked = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const registry = new Database(join(first.directory, 'sandboxes.db'))
    registry.run('BEGIN IMMEDIATE')
    try {
      return await work()
    } finally {
      registry.close()
    }
  }
  expect(await whileLocked(wakeInTurns)).toEqual([200, 200, 200, 200, 200])
  expect((await one.callHost('GET', '/faults')).data).toMatchObject({ rules: [{ name: 'late' }] })
  await first.stop()
  pretendBoot(first.directory)
  const { directory, base } = first
  await using second = await openSandboxHost({
    directory,
    port: Number(new URL(base).port),
    limits: { open: 1 },
  })
  expect(await whileLocked(wakeInTurns)).toEqual([200, 200, 200, 200, 200])
  expect(await wakeInTurns()).toEqual([200, 200, 200, 200, 200])
  expect(second.host.counts.open).toBe(1)
})

test('the directory of a sandbox whose creation was interrupted is deleted at the next start', async () => {
  const first = await openSandboxHost()
  const kept = await first.create()
  await first.stop()
  const folder = join(first.directory, 'sandboxes', 'unfinished')
  mkdirSync(folder)
  await using again = await openSandboxHost({ directory: first.directory })
  expect(readdirSync(join(first.directory, 'sandboxes'))).toEqual([kept.created.id])
  expect(again.errors).toEqual([])
})
