import { describe, expect, test } from 'bun:test'
import { SharedLookup } from '../../src/http/pipeline/shared-lookup.ts'
import { testedEngines } from '../support/engines.ts'
import type { ServerProcess } from '../support/process.ts'
import { seeded } from '../support/seeded.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'

// The test sends ROUNDS * CALLERS requests with a revoked key: fewer than the 60 that an address may send in a minute.
const ROUNDS = 3
const CALLERS = 16
/** How many requests with a key each caller has sent before the key is revoked. */
const WARM_REQUESTS = 2
/** A simulated lookup waits for less than this before its read, and again after it, in milliseconds. */
const LOOKUP_MS_MAX = 4

/** Makes 300 changes and one lookup after each. Returns the number of lookups that missed the change before them. */
async function countStale(): Promise<number> {
  const random = seeded(1)
  let version = 0
  const lookup = new SharedLookup(async () => {
    await Bun.sleep(random.below(LOOKUP_MS_MAX))
    const read = version
    await Bun.sleep(random.below(LOOKUP_MS_MAX))
    return read
  })
  let stale = 0
  const calls: Promise<void>[] = []
  for (let call = 0; call < 300; call++) {
    const current = ++version
    calls.push(
      lookup.find('key').then(read => {
        if (read < current) stale++
      }),
    )
    await Bun.sleep(1)
  }
  await Promise.all(calls)
  return stale
}

test('a shared lookup sees every change that was made before it was requested', async () => {
  expect(await countStale()).toBe(0)
})

type Sent = [sentMs: number, status: number]

/** Sends requests with a key, one after another, until one is refused. Adds when each was sent, and its status. */
async function sendUntilRefused({ base }: ServerProcess, key: string, sent: Sent[]): Promise<void> {
  for (;;) {
    const sentMs = performance.now()
    const { status } = await fetch(`${base}/store/orders?limit=1`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    sent.push([sentMs, status])
    if (status !== 200) return
  }
}

describe.skipIf(!testedEngines.includes('postgres'))('two processes on one database', () => {
  test('a key that is revoked in one process is refused by the other from the next request on', async () => {
    await using place = await newStoreDirectory('postgres')
    const servers = [await place.startAnother(), await place.startAnother()] as const
    try {
      const [client, other] = [place.client(servers[0]), servers[1]]
      for (let round = 0; round < ROUNDS; round++) {
        const { data } = await client.createKey({ body: { name: `key ${round}`, scopes: ['orders:read'] } })
        const sentByCaller = Array.from({ length: CALLERS }, (): Sent[] => [])
        const callers = Promise.all(sentByCaller.map(own => sendUntilRefused(other, data.key, own)))
        await until('every caller is served', () => sentByCaller.every(own => own.length >= WARM_REQUESTS))
        await client.revokeKey({ keyId: data.id })
        const revokedMs = performance.now()
        await callers
        const sent = sentByCaller.flat()
        expect(sent.filter(([, status]) => status === 401)).toHaveLength(CALLERS)
        expect(sent.filter(([sentMs, status]) => sentMs > revokedMs && status !== 401)).toEqual([])
        expect(sent.filter(([, status]) => status === 200).length).toBeGreaterThan(CALLERS)
      }
    } finally {
      await Promise.all(servers.map(server => server.kill('SIGKILL')))
    }
  }, 120_000)
})
