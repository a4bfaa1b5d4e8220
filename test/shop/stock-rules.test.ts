import { describe, expect, test } from 'bun:test'
import { STOCK_MAX } from '../../src/shop/kernel/limits.ts'
import type { PetStatus } from '../../src/shop/stock/status.ts'
import { headOf } from '../support/received-events.ts'
import { makePet, sharedStore, stockOf } from '../support/shop.ts'
import { codeOf, onEveryEngine, openTestStore, refusalOf } from '../support/store.ts'

onEveryEngine(engine => {
  const store = sharedStore(engine)

  describe('creating pets', () => {
    const cases = [
      { status: undefined, stock: 'available 1/0' },
      { status: 'available', stock: 'available 1/0' },
      { status: 'pending', stock: 'pending 1/0' },
      { status: 'sold', stock: 'sold 0/0' },
    ] as const
    for (const { status, stock } of cases) {
      test(`a pet that is created with ${status ?? 'no status'} has the stock ${stock}`, async () => {
        const { client } = store()
        const { data: category } = await client.createCategory({ body: { name: 'C' } })
        const { data: pet } = await client.createPet({ body: { name: 'P', categoryId: category.id, status } })
        expect(pet.status).toBe(status ?? 'available')
        expect(await stockOf(client, pet.id)).toBe(stock)
      })
    }
  })

  describe('writing a status', () => {
    const cases = [
      { from: { quantity: 3n }, write: 'available', ends: 'available 3/0' },
      { from: { quantity: 3n }, write: 'pending', ends: 'pending 3/0' },
      { from: { quantity: 3n }, write: 'sold', ends: 'sold 0/0' },
      { from: { quantity: 3n, onHold: true }, write: 'pending', ends: 'pending 3/0' },
      { from: { quantity: 3n, onHold: true }, write: 'available', ends: 'available 3/0' },
      { from: { quantity: 3n, onHold: true }, write: 'sold', ends: 'sold 0/0' },
      { from: { quantity: 3n, reserved: 1n }, write: 'pending', ends: 'pending 3/1' },
      { from: { quantity: 3n, reserved: 1n }, write: 'sold', refused: 'available 3/1' },
      { from: { quantity: 3n, reserved: 3n }, write: 'pending', ends: 'pending 3/3' },
      { from: { quantity: 3n, reserved: 3n }, write: 'available', refused: 'pending 3/3' },
      { from: { quantity: 3n, reserved: 1n, onHold: true }, write: 'available', ends: 'available 3/1' },
      { from: { quantity: 3n, reserved: 1n, onHold: true }, write: 'sold', refused: 'pending 3/1' },
      { from: { quantity: 0n }, write: 'sold', ends: 'sold 0/0' },
      { from: { quantity: 0n }, write: 'available', refused: 'sold 0/0' },
      { from: { quantity: 0n }, write: 'pending', refused: 'sold 0/0' },
    ] as const
    for (const { from, write, ...then } of cases) {
      const name = JSON.stringify(from, (_, value: unknown) =>
        typeof value === 'bigint' ? Number(value) : value,
      )
      test(`writing ${write} to a pet of ${name} ${'ends' in then ? `gives ${then.ends}` : 'is refused'}`, async () => {
        const { client } = store()
        const { petId } = await makePet(client, from)
        const call = client.updatePet({ petId, body: { status: write } })
        if ('ends' in then) expect((await call).data.status).toBe(write)
        else expect(await codeOf(call)).toBe('409 invalid_status_transition')
        expect(await stockOf(client, petId)).toBe('ends' in then ? then.ends : then.refused)
      })
    }

    test('a refused status change has a message that says what to do instead', async () => {
      const { client } = store()
      const sold = await makePet(client, { quantity: 0n })
      const allReserved = await makePet(client, { quantity: 2n, reserved: 2n })
      const advice = async (petId: bigint, status: PetStatus): Promise<string> => {
        const { message } = await refusalOf(client.updatePet({ petId, body: { status } }))
        return message.slice(message.indexOf(': ') + 2)
      }
      expect([
        await advice(sold.petId, 'available'),
        await advice(sold.petId, 'pending'),
        await advice(allReserved.petId, 'available'),
        await advice(allReserved.petId, 'sold'),
      ]).toEqual([
        'no unit is in stock; restock it.',
        'no unit is in stock; restock it first.',
        'every unit is reserved; restock it, or cancel an order.',
        'open orders reserve 2 units; complete or cancel them first.',
      ])
    })

    test('a hold ends when the stock reaches 0, and a restock does not restore it', async () => {
      const { client } = store()
      const { petId } = await makePet(client, { quantity: 2n, onHold: true })
      await client.setInventory({ petId, body: { quantity: 0n } })
      expect(await stockOf(client, petId)).toBe('sold 0/0')
      await client.setInventory({ petId, body: { quantity: 2n } })
      expect(await stockOf(client, petId)).toBe('available 2/0')
    })
  })

  describe('stocks', () => {
    test('the stock is set by a count, but not below the reserved units', async () => {
      const { client } = store()
      const { petId } = await makePet(client, { quantity: 5n, reserved: 2n })
      expect((await client.setInventory({ petId, body: { quantity: 2n } })).data).toEqual({
        petId,
        quantity: 2n,
        status: 'pending',
        reserved: 2n,
      })
      expect(await codeOf(client.setInventory({ petId, body: { quantity: 1n } }))).toBe(
        '409 stock_below_reserved',
      )
      expect(await stockOf(client, petId)).toBe('pending 2/2')
    })

    test('a count that finds the known quantity records no movement and no event', async () => {
      const { client } = store()
      const { petId } = await makePet(client, { quantity: 4n })
      const before = await headOf(store())
      expect((await client.setInventory({ petId, body: { quantity: 4n } })).data.quantity).toBe(4n)
      expect(await headOf(store())).toBe(before)
      expect((await client.listMovements({ petId })).data.items.map(({ reason }) => reason)).toEqual([
        'opening',
        'count',
      ])
    })

    test('the stock can have exactly the maximum quantity', async () => {
      const { client } = store()
      const { petId } = await makePet(client)
      await client.setInventory({ petId, body: { quantity: STOCK_MAX - 1n } })
      expect((await client.adjustInventory({ petId, body: { quantityChange: 1n } })).data.quantity).toBe(
        STOCK_MAX,
      )
      const beyond = client.adjustInventory({ petId, body: { quantityChange: 1n } })
      expect(await codeOf(beyond)).toBe('409 stock_out_of_bounds')
      await client.setInventory({ petId, body: { quantity: 1n } })
      await client.setInventory({ petId, body: { quantity: STOCK_MAX } })
      expect(await stockOf(client, petId)).toBe(`available ${STOCK_MAX}/0`)
    })

    test('the stock is adjusted by a difference, within its bounds', async () => {
      const { client } = store()
      const { petId } = await makePet(client, { quantity: 5n, reserved: 2n })
      const adjust = (quantityChange: bigint) =>
        client.adjustInventory({ petId, body: { quantityChange, note: 'moved' } })
      const { data, status } = await adjust(-3n)
      expect(status).toBe(201)
      expect(data).toMatchObject({
        petId,
        quantityChange: -3n,
        quantity: 2n,
        reason: 'adjustment',
        note: 'moved',
      })
      expect(await codeOf(adjust(-1n))).toBe('409 stock_below_reserved')
      expect(await codeOf(adjust(999_999_999n))).toBe('409 stock_out_of_bounds')
      expect(await codeOf(adjust(0n))).toBe('422 validation_failed')
      expect(await stockOf(client, petId)).toBe('pending 2/2')
    })

    test('the stock of a pet that does not exist gets 404 from every operation', async () => {
      const { client } = store()
      const petId = 404_404n
      const calls = [
        client.getInventoryItem({ petId }),
        client.setInventory({ petId, body: { quantity: 1n } }),
        client.adjustInventory({ petId, body: { quantityChange: 1n } }),
        client.listMovements({ petId }),
      ]
      expect(new Set(await Promise.all(calls.map(codeOf)))).toEqual(new Set(['404 inventory_item_not_found']))
    })
  })

  describe('deleting', () => {
    test('deleting a pet with an open order is refused; complete orders keep the id of their deleted pet', async () => {
      const { client } = store()
      const { petId, orderId } = await makePet(client, { quantity: 3n, reserved: 1n })
      expect(await codeOf(client.deletePet({ petId }))).toBe('409 pet_in_use')
      await client.updateOrder({ orderId, body: { complete: true } })
      expect((await client.deletePet({ petId })).status).toBe(204)
      expect((await client.getOrder({ orderId })).data.petId).toBe(petId)
      const closing = await store().database(
        `SELECT quantity_change, quantity, reason FROM movement WHERE pet_id = ${petId} ORDER BY version DESC LIMIT 1`,
      )
      expect(closing).toEqual([{ quantity_change: -2n, quantity: 0n, reason: 'closing' }])
    })

    test('deleting a category that contains a pet is refused; an empty category is deleted', async () => {
      const { client } = store()
      const { petId, categoryId } = await makePet(client)
      expect(await codeOf(client.deleteCategory({ categoryId }))).toBe('409 category_in_use')
      const { data: other } = await client.createCategory({ body: { name: 'Other' } })
      await client.updatePet({ petId, body: { categoryId: other.id } })
      expect((await client.deleteCategory({ categoryId })).status).toBe(204)
      expect(await codeOf(client.getCategory({ categoryId }))).toBe('404 category_not_found')
      expect(await codeOf(client.deleteCategory({ categoryId: other.id }))).toBe('409 category_in_use')
      await client.deletePet({ petId })
      expect((await client.deleteCategory({ categoryId: other.id })).status).toBe(204)
    })
  })
})

test('a message about one unit has the noun in the singular', async () => {
  await using store = await openTestStore('sqlite')
  const { client } = store
  const { petId } = await makePet(client, { quantity: 1n, reserved: 1n })
  const messages = [
    await refusalOf(client.deletePet({ petId })),
    await refusalOf(client.updatePet({ petId, body: { status: 'sold' } })),
    await refusalOf(client.placeOrder({ body: { petId, quantity: 1n } })),
  ].map(({ message }) => message)
  const { petId: otherPetId } = await makePet(client, { quantity: 5n, reserved: 2n })
  messages.push(
    (await refusalOf(client.adjustInventory({ petId: otherPetId, body: { quantityChange: -4n } }))).message,
  )
  expect(messages).toEqual([
    `Pet ${petId} has 1 unit in open orders.`,
    `Pet ${petId} cannot be marked as sold: open orders reserve 1 unit; complete or cancel them first.`,
    `Pet ${petId} has 0 of 1 unit for sale; 1 is requested.`,
    `Pet ${otherPetId} would have 1 unit in stock, but open orders reserve 2.`,
  ])
})
