import { expect, test } from 'bun:test'
import { ApiError } from '../../src/client/errors.ts'
import type { SaleLine } from '../../src/shop/sales/schema.ts'
import { type Client, everyItem } from '../support/client.ts'
import { waitForPositions } from '../support/received-events.ts'
import { seeded } from '../support/seeded.ts'
import { makePet, sharedStore, stockOf } from '../support/shop.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { codeOf, onEveryEngine, refusalOf } from '../support/store.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

const QUARTER_MS = 15 * 60_000

onEveryEngine(engine => {
  let now = Date.parse('2026-11-21T09:30:00Z')
  const store = sharedStore(engine, { clock: () => now, timeZone: 'Europe/Vienna' })

  /** Makes a pet with units and a price. */
  async function priced(quantity: bigint, price: bigint): Promise<bigint> {
    const { petId } = await makePet(store().client, { quantity })
    await store().client.updatePet({ petId, body: { price } })
    return petId
  }

  async function linesOf(filter: Parameters<Client['listSales']>[0]): Promise<SaleLine[]> {
    const { client } = store()
    return Array.fromAsync(everyItem(client.listSales, { ...filter, limit: 2 }))
  }

  test('a sale, a completed reservation and their returns have a line each, and no line changes later', async () => {
    const { client } = store()
    const petId = await priced(9n, 1250n)
    const { data: sold } = await client.placeOrder({
      body: { petId, quantity: 3n, complete: true, reference: 'R-1' },
    })
    const { id: soldId = 0n } = sold
    const { data: open } = await client.placeOrder({ body: { petId } })
    const { id: openId = 0n } = open
    expect([sold.receipt, open.receipt]).toEqual([soldId, undefined])
    const { data: completed } = await client.updateOrder({ orderId: openId, body: { complete: true } })
    expect(completed.receipt).toBe(openId)
    now += QUARTER_MS
    const back = await client.returnOrder({ orderId: soldId, body: { quantity: 1n, note: 'too small' } })
    expect(back.data).toMatchObject({ quantity: -1n, amount: -1250n, restocked: true, receipt: soldId })
    await client.updateOrder({ orderId: soldId, body: { reference: 'R-2' } })
    await client.updatePet({ petId, body: { name: 'Other', price: 1n } })
    const broken = await client.returnOrder({ orderId: soldId, body: { restock: false } })
    expect(broken.data).toMatchObject({ quantity: -2n, restocked: false })
    expect(broken.data.note).toBeUndefined()
    expect((await client.getOrder({ orderId: soldId })).data).toMatchObject({ returned: 3n, quantity: 3n })
    expect(await stockOf(client, petId)).toBe('available 6/0')
    const lines = await linesOf({ petId })
    expect(
      lines.map(({ receipt, quantity, amount, petName, reference }) => [
        ...[receipt, quantity, amount, petName, reference],
      ]),
    ).toEqual([
      [soldId, 3n, 3750n, 'Anybody', 'R-2'],
      [openId, 1n, 1250n, 'Anybody', undefined],
      [soldId, -1n, -1250n, 'Anybody', 'R-2'],
      [soldId, -2n, -2500n, 'Anybody', 'R-2'],
    ])
    expect(await linesOf({ receipt: soldId })).toEqual(lines.filter(({ receipt }) => receipt === soldId))
    expect(await linesOf({ petId, sort: '-at' })).toEqual(
      lines.toSorted((a, b) => (a.at === b.at ? Number(b.id - a.id) : a.at < b.at ? 1 : -1)),
    )
    const later = { petId, createdAfter: lines[0]?.at ?? '' }
    expect((await linesOf(later)).map(({ quantity }) => quantity)).toEqual([-1n, -2n])
    const moved = (await client.listMovements({ petId })).data.items.at(-1)
    expect(moved).toMatchObject({ reason: 'return', quantityChange: 1n, orderId: soldId, note: 'too small' })
    await waitForPositions(store())
    const audit = (await client.listAudit({ subject: `orders/${soldId}` })).data.items
    expect(audit.map(({ type }) => type.slice('petstore.order.'.length))).toEqual([
      ...['returned', 'updated', 'returned', 'placed'],
    ])
  })

  test('a return is refused beyond the order, of an open order, and into the stock of a deleted pet', async () => {
    const { client } = store()
    const petId = await priced(5n, 100n)
    const { data } = await client.placeOrder({ body: { petId, quantity: 2n, complete: true } })
    const { id: orderId = 0n } = data
    const { data: open } = await client.placeOrder({ body: { petId } })
    const give = (quantity?: bigint, restock?: boolean) =>
      client.returnOrder({
        orderId,
        body: { ...(quantity !== undefined && { quantity }), ...(restock !== undefined && { restock }) },
      })
    expect(await codeOf(give(3n))).toBe('409 return_exceeds_order')
    expect(await codeOf(client.returnOrder({ orderId: open.id ?? 0n, body: {} }))).toBe(
      '409 order_not_complete',
    )
    expect(await codeOf(client.returnOrder({ orderId: 404_404n, body: {} }))).toBe('404 order_not_found')
    await give(1n)
    expect(await codeOf(give(2n))).toBe('409 return_exceeds_order')
    await client.setInventory({ petId, body: { quantity: 1_000_000_000n } })
    expect(await codeOf(give())).toBe('409 stock_out_of_bounds')
    await client.cancelOrder({ orderId: open.id ?? 0n })
    await client.deletePet({ petId })
    const refused = await refusalOf(give())
    expect([refused.code, refused.message]).toEqual([
      'unknown_reference',
      `Pet ${petId} of order ${orderId} was deleted: return the units without restocking.`,
    ])
    await give(undefined, false)
    expect(await codeOf(give(undefined, false))).toBe('409 return_exceeds_order')
  })

  test('a basket is one sale with one receipt, and one pet that is short refuses all of it', async () => {
    const { client } = store()
    const [one, other] = [await priced(5n, 100n), await priced(3n, 250n)]
    const short = client.recordSale({
      body: { lines: [{ petId: one }, { petId: other, quantity: 2n }, { petId: other, quantity: 2n }] },
    })
    const refused = await refusalOf(short)
    expect([refused.code, refused.message]).toEqual([
      'insufficient_stock',
      `Pet ${other} has 3 of 3 units for sale; 4 are requested.`,
    ])
    const tooMuch = { petId: other, quantity: 2n, unitPrice: 600_000_000_000n }
    const large = await refusalOf(client.recordSale({ body: { lines: [{ petId: one }, tooMuch] } }))
    expect(large.errors).toMatchObject([{ pointer: '/lines/1/unitPrice', code: 'out_of_range' }])
    expect([await stockOf(client, one), await stockOf(client, other)]).toEqual([
      ...['available 5/0', 'available 3/0'],
    ])
    const lines = [
      { petId: other, quantity: 2n },
      { petId: one, quantity: 4n, unitPrice: 90n },
      { petId: other, unitPrice: null },
    ]
    const { data: sale } = await client.recordSale({ body: { lines, reference: 'B-1' } })
    expect(sale.lines.map(({ petId, quantity, amount }) => [petId, quantity, amount])).toEqual([
      [other, 2n, 500n],
      [one, 4n, 360n],
      [other, 1n, undefined],
    ])
    expect(sale.receipt).toBe(sale.lines[0]?.orderId ?? 0n)
    for (const { receipt, reference, orderId } of sale.lines) {
      expect([receipt, reference]).toEqual([sale.receipt, 'B-1'])
      const { data } = await client.getOrder({ orderId })
      expect(data).toMatchObject({ complete: true, receipt: sale.receipt, reference: 'B-1' })
    }
    await client.returnOrder({ orderId: sale.lines[1]?.orderId ?? 0n, body: { quantity: 3n } })
    const { data: back } = await client.returnSale({ receipt: sale.receipt, body: { note: 'all back' } })
    expect(back.lines.map(({ petId, quantity, note }) => [petId, quantity, note])).toEqual([
      [other, -2n, 'all back'],
      [one, -1n, 'all back'],
      [other, -1n, 'all back'],
    ])
    expect([await stockOf(client, one), await stockOf(client, other)]).toEqual([
      ...['available 5/0', 'available 3/0'],
    ])
    const again = client.returnSale({ receipt: sale.receipt, body: {} })
    expect(await codeOf(again)).toBe('409 return_exceeds_order')
    expect(await codeOf(client.returnSale({ receipt: 404_404n, body: {} }))).toBe('404 sale_not_found')
    expect((await linesOf({ receipt: sale.receipt })).length).toBe(7)
  })

  test('a key without orders:return takes back only its own sales of the last 15 minutes', async () => {
    const { client } = store()
    const petId = await priced(9n, 100n)
    const till = await store().clientWith('orders:write', 'orders:read')
    const office = await store().clientWith('orders:write', 'orders:return')
    const sell = async (by: Client) =>
      (await by.placeOrder({ body: { petId, complete: true } })).data.id ?? 0n
    const [own, old, others] = [await sell(till), await sell(till), await sell(client)]
    const mixed = await till.recordSale({ body: { lines: [{ petId }, { petId }] } })
    expect(await codeOf(till.returnOrder({ orderId: others, body: {} }))).toBe('403 insufficient_scope')
    now += QUARTER_MS
    await till.returnOrder({ orderId: own, body: {} })
    now += 1
    expect(await codeOf(till.returnOrder({ orderId: old, body: {} }))).toBe('403 insufficient_scope')
    const { receipt } = mixed.data
    expect(await codeOf(till.returnSale({ receipt, body: {} }))).toBe('403 insufficient_scope')
    await office.returnOrder({ orderId: old, body: {} })
    await office.returnSale({ receipt, body: {} })
    expect(await stockOf(client, petId)).toBe('available 8/0')
  })

  test('the lines of a receipt are in the order of the sale, and so are those of its return', async () => {
    const { client } = store()
    const pets = [await priced(9n, 100n), await priced(9n, 200n), await priced(9n, 300n)]
    const entered = [2, 0, 1, 0].map(index => pets[index] ?? 0n)
    const { data: sale } = await client.recordSale({ body: { lines: entered.map(petId => ({ petId })) } })
    const { data: back } = await client.returnSale({ receipt: sale.receipt, body: {} })
    for (const lines of [sale.lines, back.lines]) expect(lines.map(({ petId }) => petId)).toEqual(entered)
    const lines = await linesOf({ receipt: sale.receipt })
    expect(lines.map(({ petId }) => petId)).toEqual([...entered, ...entered])
  })

  test(
    'sales, baskets and returns race: nothing is returned twice, and the books agree with the stock',
    async () => {
      const { client } = store()
      const pets = await Promise.all([1, 2, 3, 4].map(() => priced(60n, 100n)))
      const random = seeded(20_261_128)
      const anyOf = (from: readonly bigint[]): bigint => (from.length === 0 ? 404_404n : random.pick(from))
      const receipts: bigint[] = []
      const outcomes = new Map<string, number>()
      const actions = [
        async (petId: bigint) =>
          (await client.placeOrder({ body: { petId, quantity: 2n, complete: true } })).data.receipt,
        async (petId: bigint) => {
          const lines = [{ petId }, ...pets.toReversed().map(id => ({ petId: id })), { petId }]
          return (await client.recordSale({ body: { lines } })).data.receipt
        },
        async () => void (await client.returnOrder({ orderId: anyOf(receipts), body: { quantity: 1n } })),
        async () => void (await client.returnSale({ receipt: anyOf(receipts.slice(-3)), body: {} })),
      ]
      const act = async (): Promise<void> => {
        for (let turn = 0; turn < times(16, 400); turn++) {
          const outcome = await random
            .pick(actions)(random.pick(pets))
            .then(
              receipt => {
                if (receipt !== undefined) receipts.push(receipt)
                return 'made'
              },
              (error: unknown) =>
                error instanceof ApiError ? `${error.status} ${error.code}` : String(error),
            )
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        }
      }
      await Promise.all(Array.from({ length: 12 }, act))
      const allowed = ['made', '404 order_not_found', '404 sale_not_found', '409 return_exceeds_order']
      allowed.push('409 insufficient_stock')
      expect([...outcomes.keys()].filter(outcome => !allowed.includes(outcome))).toEqual([])
      expect(outcomes.get('409 return_exceeds_order') ?? 0).toBeGreaterThan(0)
      for (const petId of pets) {
        const sold = (await linesOf({ petId })).reduce((sum, { quantity }) => sum + quantity, 0n)
        expect((await client.getInventoryItem({ petId })).data.quantity).toBe(60n - sold)
      }
      expect(await violatedInvariants(store())).toEqual([])
      const made = `${outcomes.get('made')} orders, baskets and returns of 12 clients`
      recordSoak({ guarantee: 60, engine, summary: `${made}: 0 returned twice, books = orders = stock` })
    },
    timeLimitMs(60_000),
  )

  test('baskets of the same pets lock them in one order, also those that sell the last units', async () => {
    const { client, database } = store()
    const random = seeded(20_261_129)
    const pets = await Promise.all(Array.from({ length: 8 }, () => priced(30n, 100n)))
    const deadlocks = async (): Promise<unknown> =>
      engine === 'sqlite'
        ? 0
        : (await database('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()'))[0]
            ?.deadlocks
    const before = await deadlocks()
    const sell = async (): Promise<void> => {
      const lines = pets
        .map(petId => ({ petId, rank: random.below(1000) }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ petId }) => ({ petId }))
      await client.recordSale({ body: { lines } })
    }
    const clients = Array.from({ length: 15 }, async () => {
      for (let turn = 0; turn < 2; turn++) await sell()
    })
    await Promise.all(clients)
    expect(await Promise.all(pets.map(petId => stockOf(client, petId)))).toEqual(pets.map(() => 'sold 0/0'))
    // Connections report what they counted within a second.
    if (engine === 'postgres') await Bun.sleep(1200)
    expect(await deadlocks()).toEqual(before)
  })

  test('a day of the shop has the sales and returns of that day, at midnight and at the ends of a month', async () => {
    const { client } = store()
    const petId = await priced(99n, 100n)
    const totals = async (from: string, to: string, by?: 'day' | 'month') =>
      (await client.listSalesTotals({ from, to, ...(by && { by }) })).data
    // Vienna is two hours ahead of UTC in October until the 25th, which has 25 hours there.
    for (const [at, quantity] of [
      ...([['2025-10-24T21:59:59.999Z', 1n]] as const),
      ...([
        ['2025-10-24T22:00:00Z', 2n],
        ['2025-10-25T22:59:00Z', 4n],
      ] as const),
      ...([
        ['2025-10-26T22:59:59Z', 8n],
        ['2025-10-26T23:00:00Z', 16n],
      ] as const),
      ...([['2025-10-31T23:00:00Z', 32n]] as const),
    ]) {
      now = Date.parse(at)
      await client.placeOrder({ body: { petId, quantity, complete: true } })
    }
    const { id: orderId = 0n } = (await client.listOrders({ petId: [petId], sort: 'id' })).data.items[1] ?? {}
    await client.returnOrder({ orderId, body: {} })
    const days = await totals('2025-10-24', '2025-11-01')
    expect([days.currency, days.timeZone, days.periods.length]).toEqual(['EUR', 'Europe/Vienna', 9])
    expect(days.periods.map(({ units, amount, returnedUnits }) => [units, amount, returnedUnits])).toEqual([
      ...[
        [1n, 100n, 0n],
        [2n, 200n, 0n],
        [12n, 1200n, 0n],
        [16n, 1600n, 0n],
      ],
      ...Array.from({ length: 4 }, () => [0n, 0n, 0n]),
      [32n, 3200n, 2n],
    ])
    const months = await totals('2025-10-25', '2025-11-30', 'month')
    expect(months.periods).toEqual([
      {
        from: '2025-10-25',
        to: '2025-10-31',
        lines: 4n,
        units: 30n,
        amount: 3000n,
        returnedUnits: 0n,
        returnedAmount: 0n,
      },
      {
        from: '2025-11-01',
        to: '2025-11-30',
        lines: 2n,
        units: 32n,
        amount: 3200n,
        returnedUnits: 2n,
        returnedAmount: 200n,
      },
    ])
    expect((await totals('2025-01-01', '2026-02-04')).periods.length).toBe(400)
    for (const [from, to] of [
      ['2025-01-01', '2026-02-05'],
      ['2025-01-02', '2025-01-01'],
    ] as const)
      expect((await refusalOf(client.listSalesTotals({ from, to }))).errors).toMatchObject([{ name: 'to' }])
    expect(await codeOf(client.listSalesTotals({ from: '2025-02-29', to: '2025-03-01' }))).toBe(
      '400 invalid_parameter',
    )
    for (const day of ['0001-01-01', '9999-12-31'])
      expect((await totals(day, day)).periods).toMatchObject([{ from: day, to: day, lines: 0n }])
    await waitForPositions(store())
    expect(await totals('2025-10-24', '2025-11-01')).toEqual(days)
    expect(await violatedInvariants(store())).toEqual([])
  })
})
