import { expect, test } from 'bun:test'
import { engineTarget } from '../../src/cli/import/target.ts'
import { CurrencyBound, settleCurrency } from '../../src/serving/first-start.ts'
import { makePet } from '../support/shop.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { codeOf, onEveryEngine, openTestStore, refusalOf } from '../support/store.ts'

const ROUNDS = times(15, 500)

onEveryEngine(engine => {
  test('a process stores no amount in a currency that is not that of the store any more', async () => {
    await using store = await openTestStore(engine, { currency: 'EUR' })
    const { client } = store
    const settle = (currency: string) => settleCurrency(store.engine, currency, Date.now)
    await settle('EUR')
    const { petId, categoryId } = await makePet(client, { quantity: 9n })
    await client.updatePet({ petId, body: { price: 1250n } })
    const { data: open } = await client.placeOrder({ body: { petId, unitPrice: null } })
    const { id: orderId = 0n } = open
    await settle('USD')
    const body = { petId, unitPrice: 100n }
    const stock = (await client.getInventoryItem({ petId })).data
    for (const change of [
      () => client.placeOrder({ body: { petId } }),
      () => client.placeOrder({ body: { ...body, complete: true } }),
      () => client.recordSale({ body: { lines: [body] } }),
      () => client.updateOrder({ orderId, body: { unitPrice: 100n } }),
      () => client.updateOrder({ orderId, body: { unitPrice: 100n, complete: true } }),
      () => client.createPet({ body: { name: 'Ida', categoryId, price: 100n } }),
      () => client.updatePet({ petId, body: { price: 100n } }),
    ])
      expect((await refusalOf(change())).message).toContain('from EUR to USD; the operator must')
    const target = engineTarget(store.engine, Date.now, 'test', 1n, async () => 'EUR')
    await target.findCurrency()
    const pet = { line: 1n, name: 'Ida', category: 'Dogs', quantity: 1n, hold: false, price: 100n }
    await target.stage({ categories: [{ line: 1n, name: 'Dogs' }], pets: [pet] })
    const applied = target.loadSlice({ begins: true, rows: 500n }, 'load')
    expect(await applied.catch(error => error.message)).toContain('from EUR to USD')
    expect((await client.getInventoryItem({ petId })).data).toEqual(stock)

    // What has no amount goes on. The currency can come back, and then an amount binds it.
    await client.updateOrder({ orderId, body: { complete: true } })
    await client.returnOrder({ orderId, body: {} })
    await client.placeOrder({ body: { petId, unitPrice: null } })
    await settle('EUR')
    const { data: sold } = await client.placeOrder({ body: { ...body, complete: true } })
    expect(settle('USD')).rejects.toThrow(CurrencyBound)
    await store.database(`UPDATE metadata SET value = 'USD' WHERE name = 'currency'`)
    expect(await codeOf(client.returnOrder({ orderId: sold.id ?? 0n, body: {} }))).toBe('503 overloaded')
  })

  test(
    'of two processes with two settings, only one currency gets amounts, however they race',
    async () => {
      // The level of every process that is served. At others, a transaction that waited sees the state before the wait.
      const isolation = 'READ COMMITTED'
      await using store = await openTestStore(engine, { currency: 'EUR', isolation })
      const { databaseUrl } = store.place
      // On SQLite, one process serves a store, and another one cannot open it meanwhile.
      await using other = databaseUrl
        ? await openTestStore(engine, { currency: 'USD', databaseUrl, isolation })
        : undefined
      const { petId } = await makePet(store.client, { quantity: 100_000n })
      for (let round = 0; round < ROUNDS; round++) {
        await settleCurrency(store.engine, 'EUR', Date.now)
        const sell = (client = store.client) =>
          client.placeOrder({ body: { petId, unitPrice: 100n, complete: true } }).then(
            () => true,
            () => false,
          )
        const [sold, otherSold, moved] = await Promise.all([
          Promise.all([sell(), sell(), sell()]),
          other ? sell(other.client) : false,
          Bun.sleep(round % 5).then(() =>
            settleCurrency((other ?? store).engine, 'USD', Date.now).then(
              () => true,
              () => false,
            ),
          ),
        ])
        const [{ value: currency } = {}] = await store.database(
          `SELECT value FROM metadata WHERE name = 'currency'`,
        )
        expect([sold.includes(true), moved, currency]).toEqual(
          sold.includes(true) ? [true, false, 'EUR'] : [false, true, 'USD'],
        )
        expect(otherSold && !moved).toBe(false)
        await store.database('UPDATE orders SET unit_price = NULL')
      }
      recordSoak({
        guarantee: 61,
        engine,
        summary: `${ROUNDS} changes of the currency beside sales: 0 mixed`,
      })
    },
    timeLimitMs(60_000),
  )
})
