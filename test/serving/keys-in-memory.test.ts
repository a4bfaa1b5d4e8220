import { expect, test } from 'bun:test'
import { KEY_TABLE } from '../../src/serving/known-callers.ts'
import { makeClient } from '../support/client.ts'
import { withLateReports, withoutReportsOf } from '../support/row-reports.ts'
import { codeOf, openTestStore, type TestOptions, type TestStore } from '../support/store.ts'

const CALLERS = 8

/** Sends requests with a key one after another until `isOver` returns true. Returns the status of each. */
async function sendUntil(store: TestStore, key: string, isOver: () => boolean): Promise<number[]> {
  const statuses: number[] = []
  while (!isOver()) {
    const headers = { Authorization: `Bearer ${key}` }
    statuses.push((await store.send('GET', '/store/orders?limit=1', { headers })).status)
  }
  return statuses
}

/** Returns the status of a request with a key right after its revocation, while other requests use the same key. */
async function statusAfterRevocation(options: TestOptions): Promise<number> {
  await using store = await openTestStore('sqlite', options)
  const { data } = await store.client.createKey({ body: { name: 'till', scopes: ['orders:read'] } })
  let isRevoked = false
  const callers = Promise.all(
    Array.from({ length: CALLERS }, () => sendUntil(store, data.key, () => isRevoked)),
  )
  await Bun.sleep(50)
  await store.client.revokeKey({ keyId: data.id })
  const headers = { Authorization: `Bearer ${data.key}` }
  const { status } = await store.send('GET', '/store/orders?limit=1', { headers })
  isRevoked = true
  const statuses = (await callers).flat()
  expect(statuses.filter(each => each === 200).length).toBeGreaterThan(CALLERS)
  return status
}

test('a key in memory is refused from the first request after its revocation', async () => {
  expect(await statusAfterRevocation({})).toBe(401)
})

test('control: a revocation that the engine does not report is detected', async () => {
  expect(await statusAfterRevocation(withoutReportsOf(KEY_TABLE))).toBe(200)
})

test('control: a revocation that the engine reports after its reply, not before it, is detected', async () => {
  expect(await statusAfterRevocation(withLateReports())).toBe(200)
})

test('a key in memory is refused when it expires', async () => {
  let nowMs = Date.parse('2026-11-21T00:00:00.000Z')
  await using store = await openTestStore('sqlite', { clock: () => nowMs })
  const expiresAt = '2026-11-21T00:00:01Z'
  const { data } = await store.client.createKey({
    body: { name: 'till', scopes: ['orders:read'], expiresAt },
  })
  const till = makeClient({ base: store.base, key: data.key })
  for (let request = 0; request < 3; request++) expect((await till.listOrders({})).data.items).toEqual([])
  nowMs += 999
  expect((await till.listOrders({})).data.items).toEqual([])
  nowMs++
  expect(await codeOf(till.listOrders({}))).toBe('401 invalid_token')
})

test('a key in memory has only its own scopes', async () => {
  await using store = await openTestStore('sqlite')
  const reader = await store.clientWith('orders:read')
  for (let request = 0; request < 3; request++) {
    expect((await reader.listOrders({})).data.items).toEqual([])
    expect(await codeOf(reader.placeOrder({ body: { petId: 1n } }))).toBe('403 insufficient_scope')
  }
})

test('every key works, even if there are more keys than are kept in memory', async () => {
  await using store = await openTestStore('sqlite')
  const keys = await Promise.all(
    Array.from({ length: 1100 }, async (_, index) => {
      const body = { name: `till ${index}`, scopes: ['orders:read' as const] }
      return (await store.client.createKey({ body })).data.key
    }),
  )
  for (const key of [...keys, ...keys.slice(0, 100)]) {
    const headers = { Authorization: `Bearer ${key}` }
    expect((await store.send('GET', '/store/orders?limit=1', { headers })).status).toBe(200)
  }
})
