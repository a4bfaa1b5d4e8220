import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { missingOrders, startBuyers } from '../support/buyers.ts'
import { testedEngines } from '../support/engines.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { startStandby } from '../support/postgres-standby.ts'
import { makePet } from '../support/shop.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

const ROUNDS = times(1, 10)
/** How long the primary continues after the network to its standby has frozen. */
const ALONE_MS = 800
const TIMEOUT_MS = timeLimitMs(60_000)

/**
 * Lets a primary fail while orders are placed, and promotes its standby. Returns the number of acknowledged orders, how
 * many of them are missing in the standby, and the time from the failure until 50 more orders are acknowledged.
 */
async function failOver(isSynchronous: boolean): Promise<{ orders: number; lost: number; gapMs: number }> {
  const primary = await startPostgresServer()
  const { server, proxy, promote } = await startStandby(primary, isSynchronous)
  const { host } = new URL(server.address)
  let database = ''
  try {
    await using store = await openTestStore('postgres', {
      server: primary.address,
      routeOf: url => {
        database = new URL(url).pathname
        return url.replace(/@([^/]*)/, `@$1,${host}`)
      },
    })
    const { petId } = await makePet(store.client, { quantity: 1_000_000n })
    const { acknowledged, stop } = startBuyers(store, petId)
    await until('orders are placed', () => acknowledged.length > 100)
    proxy.freeze()
    await Bun.sleep(ALONE_MS)
    await primary.crash()
    proxy.down()
    const failedMs = performance.now()
    const before = acknowledged.length
    await promote()
    await until('orders are placed again', () => acknowledged.length > before + 50)
    const gapMs = performance.now() - failedMs
    await stop()
    const lost = await missingOrders(server.address + database, acknowledged)
    return { orders: acknowledged.length, lost, gapMs: Math.round(gapMs) }
  } finally {
    await server.crash()
  }
}

/** Ends the sessions whose commit waits for a standby. Returns their number. */
async function endWaits(admin: SQL): Promise<number> {
  const ended = await admin.unsafe(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
  )
  return ended.length
}

/**
 * Commits once, and returns whether that commit waited for a standby. Repeat the call until it returns true: a change
 * of the settings reaches the processes of a server one by one.
 */
async function commitWaits(address: string): Promise<boolean> {
  await using writer = new SQL({ url: `${address}/postgres`, max: 1 })
  await using admin = new SQL({ url: `${address}/postgres`, max: 1 })
  let isOver = false
  const end = (): void => {
    isOver = true
  }
  const committing = writer.unsafe('CREATE TABLE IF NOT EXISTS probe (); DROP TABLE probe').then(end, end)
  let ended = 0
  while (!isOver) {
    ended += await endWaits(admin)
    await Bun.sleep(20)
  }
  await committing
  return ended > 0
}

describe.skipIf(!testedEngines.includes('postgres'))('failover', () => {
  test(
    'no acknowledged order is lost if the primary fails and its synchronous standby is promoted',
    async () => {
      let orders = 0
      let gapMsMax = 0
      for (let round = 0; round < ROUNDS; round++) {
        const outcome = await failOver(true)
        expect(outcome.lost).toBe(0)
        orders += outcome.orders
        gapMsMax = Math.max(gapMsMax, outcome.gapMs)
      }
      const load = `${ROUNDS} failovers, ${orders} acknowledged orders`
      const summary = `${load}: 0 lost, at most ${gapMsMax} ms without service`
      recordSoak({ guarantee: 39, engine: 'postgres', summary })
    },
    TIMEOUT_MS,
  )

  test(
    'an order whose commit stops waiting for a standby gets 503 and may have taken effect',
    async () => {
      const primary = await startPostgresServer()
      try {
        await using store = await openTestStore('postgres', { server: primary.address })
        // The first order reserves the ids of later orders, so the tested order commits only its own transaction.
        const { petId } = await makePet(store.client, { quantity: 5n, reserved: 1n })
        await using admin = new SQL({ url: `${primary.address}/postgres`, max: 1 })
        await admin.unsafe(`ALTER SYSTEM SET synchronous_standby_names = 'absent'`)
        await admin.unsafe('SELECT pg_reload_conf()')
        await until('commits wait', () => commitWaits(primary.address))
        let isOver = false
        const ordered = store.send('POST', '/store/orders', { body: `{"petId":${petId}}` }).finally(() => {
          isOver = true
        })
        let ended = 0
        while (!isOver) {
          ended += await endWaits(admin)
          await Bun.sleep(20)
        }
        const response = await ordered
        expect([response.status, await response.text()]).toEqual([
          503,
          expect.stringContaining('outcome_unknown'),
        ])
        expect(ended).toBeGreaterThan(0)
        await admin.unsafe('ALTER SYSTEM RESET synchronous_standby_names')
        await admin.unsafe('SELECT pg_reload_conf()')
      } finally {
        await primary.crash()
      }
    },
    TIMEOUT_MS,
  )

  test(
    'control: the loss of acknowledged orders with an asynchronous standby is detected',
    async () => {
      expect((await failOver(false)).lost).toBeGreaterThan(0)
    },
    TIMEOUT_MS,
  )
})
