import { expect, test } from 'bun:test'
import type { OrderPatch } from '../../src/shop/orders/schema.ts'
import { waitForPositions } from '../support/received-events.ts'
import { makePet, sharedStore, stockOf } from '../support/shop.ts'
import { codeOf, onEveryEngine, refusalOf } from '../support/store.ts'

const MAX = 1_000_000_000_000n

onEveryEngine(engine => {
  let now = Date.parse('2026-11-21T09:30:00Z')
  const store = sharedStore(engine, { clock: () => now })

  test('a price is set, changed and removed, and is in the list, the event and the ETag of the pet', async () => {
    const { client } = store()
    const { petId } = await makePet(client)
    const priceOf = async () =>
      (await client.listPets({ id: [petId], include: 'stock' })).data.items[0]?.price
    const etagOf = async () => (await client.listPets({ id: [petId] })).etag
    expect(await priceOf()).toBeUndefined()
    const etags = new Set([await etagOf()])
    for (const price of [0n, 1250n, MAX]) {
      expect((await client.updatePet({ petId, body: { price } })).data.price).toBe(price)
      expect(await priceOf()).toBe(price)
      etags.add(await etagOf())
    }
    expect((await client.updatePet({ petId, body: { name: 'Other' } })).data.price).toBe(MAX)
    expect((await client.updatePet({ petId, body: { price: null } })).data.price).toBeUndefined()
    expect(etags.size).toBe(4)
    expect(await codeOf(client.updatePet({ petId, body: { price: MAX + 1n } }))).toBe('422 validation_failed')
    await waitForPositions(store())
    const events = await store().database(
      `SELECT data FROM event WHERE type = 'petstore.pet.updated' AND pet_id = ${petId} ORDER BY id`,
    )
    const prices = events.map(({ data }) => JSON.parse(String(data)).price)
    expect(prices).toEqual([0, 1250, Number(MAX), Number(MAX), undefined])
  })

  test('an order keeps the name and the price that the pet had, whatever happens to the pet', async () => {
    const { client } = store()
    const { petId } = await makePet(client, { quantity: 2n })
    await client.updatePet({ petId, body: { name: 'Rex', price: 1250n } })
    const { data: sold } = await client.placeOrder({ body: { petId, complete: true } })
    const { data: open } = await client.placeOrder({ body: { petId } })
    await client.updatePet({ petId, body: { name: 'Max', price: 9900n } })
    await client.updateOrder({ orderId: open.id ?? 0n, body: { complete: true } })
    await client.deletePet({ petId })
    for (const { id: orderId = 0n } of [sold, open])
      expect((await client.getOrder({ orderId })).data).toMatchObject({ petName: 'Rex', unitPrice: 1250n })
  })

  test('an order may name another price, 0 or none, and an open order another one later', async () => {
    const { client } = store()
    const { petId } = await makePet(client, { quantity: 9n })
    await client.updatePet({ petId, body: { price: 1250n } })
    const priceOf = async (unitPrice: bigint | null) =>
      (await client.placeOrder({ body: { petId, unitPrice } })).data.unitPrice
    expect([await priceOf(1000n), await priceOf(0n), await priceOf(null)]).toEqual([1000n, 0n, undefined])
    const { data } = await client.placeOrder({ body: { petId } })
    const orderId = data.id ?? 0n
    const change = async (body: OrderPatch) => (await client.updateOrder({ orderId, body })).data.unitPrice
    expect(await change({ unitPrice: 900n })).toBe(900n)
    expect(await change({ quantity: 2n })).toBe(900n)
    expect(await change({ unitPrice: null })).toBeUndefined()
    expect(await change({ unitPrice: 800n, complete: true })).toBe(800n)
    expect(await codeOf(change({ unitPrice: 700n }))).toBe('409 order_already_complete')
  })

  test('the amount of an order is at most 10^12, and an order beyond it reserves nothing', async () => {
    const { client } = store()
    const { petId } = await makePet(client, { quantity: 4n })
    const { data } = await client.placeOrder({ body: { petId, quantity: 2n, unitPrice: MAX / 2n } })
    const orderId = data.id ?? 0n
    const more = [
      () => client.placeOrder({ body: { petId, quantity: 2n, unitPrice: MAX / 2n + 1n } }),
      () => client.updateOrder({ orderId, body: { quantity: 3n } }),
      () => client.updateOrder({ orderId, body: { unitPrice: MAX / 2n + 1n } }),
    ]
    for (const change of more)
      expect((await refusalOf(change())).errors).toMatchObject([
        { pointer: '/unitPrice', code: 'out_of_range' },
      ])
    expect(await stockOf(client, petId)).toBe('available 4/2')
  })

  test('an order is complete at the time of its sale, whatever its shipDate', async () => {
    const { client } = store()
    const { petId } = await makePet(client, { quantity: 2n })
    const shipDate = '2026-11-20T08:00:00Z'
    const { data } = await client.placeOrder({ body: { petId, shipDate } })
    const orderId = data.id ?? 0n
    expect(data.completedAt).toBeUndefined()
    now += 60_000
    const completed = await client.updateOrder({ orderId, body: { complete: true } })
    expect(completed.data).toMatchObject({ shipDate, completedAt: '2026-11-21T09:31:00Z' })
  })

  test('a patch may repeat what the store recorded in an order, and each other value is refused', async () => {
    const { client } = store()
    const { petId } = await makePet(client)
    const { data } = await client.placeOrder({ body: { petId, complete: true } })
    const { id: orderId = 0n, createdAt, completedAt = '', petName = '' } = data
    expect((await client.updateOrder({ orderId, body: data })).data).toEqual(data)
    const at = '2020-01-01T00:00:00Z'
    const wrong = { createdAt: at, completedAt: at, petName: 'Other', receipt: 404n, returned: 1n }
    const refused = await refusalOf(client.updateOrder({ orderId, body: wrong }))
    expect(refused.errors.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      '/createdAt read_only',
      '/completedAt read_only',
      '/petName read_only',
      '/receipt read_only',
      '/returned read_only',
    ])
    expect(refused.message).toContain(`completedAt is ${completedAt} and cannot be changed`)
    expect([createdAt, petName]).toEqual([completedAt, 'Anybody'])
  })
})
