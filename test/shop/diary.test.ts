import { expect, test } from 'bun:test'
import type { Order } from '../../src/shop/orders/schema.ts'
import { everyItem } from '../support/client.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { codeOf, onEveryEngine, openTestStore, refusalOf } from '../support/store.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

const HOUR_MS = 3_600_000

onEveryEngine(engine => {
  const start = Date.parse('2026-11-20T08:00:00Z')
  let nowMs = start
  const store = sharedStore(engine, { clock: () => nowMs })

  type Filters = Parameters<ReturnType<typeof store>['client']['listOrders']>[0]
  const list = (filters: Filters): Promise<Order[]> =>
    Array.fromAsync(everyItem(store().client.listOrders, { ...filters, limit: 3 }))

  test('orders are listed by the time at which they were placed, within bounds that are exclusive', async () => {
    const { client } = store()
    const { petId } = await makePet(client, { quantity: 90n })
    const placed: Order[] = []
    for (let index = 0; index < 20; index++) {
      // Two orders at each instant.
      nowMs = start + Math.floor(index / 2) * HOUR_MS
      placed.push((await client.placeOrder({ body: { petId, complete: index % 3 === 0 } })).data)
    }
    const [after, before] = ['2026-11-20T10:00:00Z', '2026-11-20T16:00:00+01:00']
    const day = placed.filter(({ createdAt = '' }) => createdAt > after && createdAt < '2026-11-20T15:00:00Z')
    expect(day).toHaveLength(8)
    expect(await list({ createdAfter: after, createdBefore: before })).toEqual(day)
    const newest = await list({ createdAfter: after, sort: '-createdAt' })
    expect(newest).toEqual(placed.slice(6).toReversed())
    for (const complete of [true, false]) {
      const kept = placed.filter(order => order.complete === complete)
      expect(await list({ complete, sort: 'createdAt' })).toEqual(kept)
      expect(await list({ complete, createdBefore: before })).toEqual(
        kept.filter(({ createdAt = '' }) => createdAt < '2026-11-20T15:00:00Z'),
      )
    }
  })

  test('a filter by the time of creation goes only with complete and with the sort by it', async () => {
    const { client } = store()
    const createdAfter = '2026-11-20T10:00:00Z'
    for (const [filters, name] of [
      [{ createdAfter, petId: [1n] }, 'petId'],
      [{ createdBefore: createdAfter, shipDateBefore: createdAfter }, 'shipDateBefore'],
      [{ createdAfter, shipDateAfter: createdAfter }, 'shipDateAfter'],
      [{ sort: 'createdAt', petId: [1n] }, 'petId'],
      [{ createdAfter, sort: 'id' }, 'sort'],
      [{ createdAfter, sort: 'shipDate' }, 'sort'],
      [{ shipDateAfter: createdAfter, sort: 'createdAt' }, 'shipDateAfter'],
      [{ referencePrefix: 'R-', complete: true }, 'complete'],
      [{ referencePrefix: 'R-', sort: 'id' }, 'sort'],
      [{ referencePrefix: 'R-', createdAfter }, 'createdAfter'],
    ] satisfies [Filters, string][]) {
      const refused = await refusalOf(client.listOrders(filters))
      expect([refused.code, refused.errors[0]?.name]).toEqual(['invalid_parameter', name])
    }
    const messageOf = async (filters: Filters) => (await refusalOf(client.listOrders(filters))).message
    expect(await messageOf({ createdAfter, petId: [1n] })).toBe('petId cannot be combined with createdAfter.')
    expect(await messageOf({ sort: '-createdAt', petId: [1n] })).toBe(
      'petId cannot be combined with sort=createdAt.',
    )
  })

  test('orders are found by the start of their reference, in the order of the references', async () => {
    const { client } = store()
    const { petId } = await makePet(client, { quantity: 90n })
    const references = ['P-2', 'P-10', 'p-1', 'P-1', 'P', 'P-', 'P-1', 'Q', undefined, 'P-\u{10ffff}']
    for (const reference of references) {
      const complete = reference === 'P-1'
      await client.placeOrder({ body: { petId, complete, ...(reference !== undefined && { reference }) } })
    }
    const found = async (referencePrefix: string) =>
      (await list({ referencePrefix })).map(({ reference }) => reference)
    expect(await found('P-')).toEqual(['P-', 'P-1', 'P-1', 'P-10', 'P-2', 'P-\u{10ffff}'])
    expect(await found('P-1')).toEqual(['P-1', 'P-1', 'P-10'])
    expect(await found('p')).toEqual(['p-1'])
    expect(await found('%')).toEqual([])
    const { data } = await client.listOrders({ referencePrefix: 'P-', limit: 1 })
    expect(await codeOf(client.listOrders({ referencePrefix: 'P', cursor: data.next }))).toBe(
      '400 invalid_cursor',
    )
  })

  test('all filters of orders go together in a list of one reference', async () => {
    const { client } = store()
    const { petId } = await makePet(client, { quantity: 90n })
    const placed: Order[] = []
    for (const reference of ['s-1', 'S-1 ', 'S-10']) await client.placeOrder({ body: { petId, reference } })
    for (let index = 0; index < 8; index++) {
      nowMs += HOUR_MS
      const shipDate = `2027-01-0${9 - index}T00:00:00Z`
      const body = { petId, shipDate, complete: index % 2 === 0, reference: 'S-1' }
      placed.push((await client.placeOrder({ body })).data)
    }
    const [first, , , , , last] = placed
    expect(await list({ reference: 'S-1' })).toEqual(placed)
    expect(await list({ reference: 'S-1', sort: '-id' })).toEqual(placed.toReversed())
    expect(await list({ reference: 'S-1', sort: '-shipDate' })).toEqual(placed)
    const filters = {
      reference: 'S-1',
      createdAfter: first?.createdAt ?? '',
      createdBefore: last?.createdAt ?? '',
    }
    expect(await list(filters)).toEqual(placed.slice(1, 5))
    expect(await list({ ...filters, sort: '-createdAt', petId: [petId] })).toEqual(
      placed.slice(1, 5).toReversed(),
    )
    const shipped = {
      ...filters,
      complete: true,
      referencePrefix: 'S',
      shipDateAfter: '2027-01-05T00:00:00Z',
    }
    expect(await list({ ...shipped, sort: 'shipDate' })).toEqual(placed.slice(2, 3))
    expect(await list({ ...filters, referencePrefix: 'T' })).toEqual([])
  })

  for (const [timeZone, days] of [
    ['UTC', { '2026-10-30': 1n, '2026-10-31': 2n, '2026-11-01': 1n }],
    ['Asia/Kathmandu', { '2026-10-30': 1n, '2026-10-31': 1n, '2026-11-01': 2n }],
    ['Pacific/Kiritimati', { '2026-10-31': 2n, '2026-11-01': 2n }],
    ['America/New_York', { '2026-10-30': 2n, '2026-10-31': 2n }],
  ] as const) {
    test(`the summary counts the orders of days in ${timeZone}, without cancelled ones`, async () => {
      let clockMs = 0
      await using own = await openTestStore(engine, { clock: () => clockMs, timeZone })
      const { client } = own
      // Midnight in Kathmandu is 18:15 UTC.
      const instants = ['2026-10-30T10:30', '2026-10-31T00:00', '2026-10-31T18:15', '2026-11-01T03:59']
      clockMs = Date.parse('2026-10-30T00:00:00Z')
      const { petId } = await makePet(client, { quantity: 9n })
      for (const instant of instants) {
        clockMs = Date.parse(`${instant}:00Z`)
        await client.placeOrder({ body: { petId } })
        const { data } = await client.placeOrder({ body: { petId } })
        clockMs += 24 * HOUR_MS
        await client.cancelOrder({ orderId: data.id ?? 0n })
      }
      const { data } = await client.getStoreSummary({})
      const counted = data.ordersByDay.filter(({ orders }) => orders > 0n)
      expect(Object.fromEntries(counted.map(({ day, orders }) => [day, orders]))).toEqual(days)
      expect(data.timeZone).toBe(timeZone)
      const today = timeZone === 'Pacific/Kiritimati' || timeZone === 'Asia/Kathmandu' ? 2 : 1
      expect(data.ordersByDay.at(-1)?.day).toBe(timeZone === 'UTC' ? '2026-11-02' : `2026-11-0${today}`)
      expect(await violatedInvariants(own)).toEqual([])
    })
  }
})
