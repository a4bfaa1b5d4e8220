import { expect, test } from 'bun:test'
import { everyItem } from '../support/client.ts'
import { headOf } from '../support/received-events.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { codeOf, onEveryEngine, openTestStore, refusalOf } from '../support/store.ts'

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test('a level is set, kept, changed and removed with the quantity; alone it is no movement', async () => {
    const { client } = store()
    const { petId } = await makePet(client, { quantity: 5n, reserved: 1n })
    const tag = async () => (await client.getInventoryItem({ petId })).etag
    const bare = await client.getInventoryItem({ petId })
    expect('reorderAt' in bare.data).toBe(false)
    const after = await headOf(store())
    const movements = async () => (await client.listMovements({ petId })).data.items.length
    const before = await movements()
    const set = await client.setInventory({ petId, body: { quantity: 5n, reorderAt: 3n } })
    expect(set.data).toEqual({ ...bare.data, reorderAt: 3n })
    const tagOfLevel = await tag()
    expect(tagOfLevel).not.toBe(bare.etag)
    expect(await movements()).toBe(before)
    await client.setInventory({ petId, body: { quantity: 5n, reorderAt: 3n } })
    expect(await tag()).toBe(tagOfLevel)
    const both = await client.setInventory({ petId, body: { quantity: 4n, reorderAt: 0n } })
    expect(both.data).toEqual({ ...bare.data, quantity: 4n, reorderAt: 0n })
    expect(await movements()).toBe(before + 1)
    expect((await client.setInventory({ petId, body: { quantity: 6n } })).data.reorderAt).toBe(0n)
    await client.adjustInventory({ petId, body: { quantityChange: -1n } })
    const removed = await client.setInventory({ petId, body: { quantity: 5n, reorderAt: null } })
    expect([removed.data, await tag()]).toEqual([bare.data, bare.etag])
    await headOf(store())
    const events = (await client.listEvents({ after, petId, wait: 5 })).data.items
    const levels = events.map(({ data }) =>
      'petId' in data && 'reorderAt' in data ? data.reorderAt : undefined,
    )
    expect(levels).toEqual([3n, 0n, 0n, 0n, undefined])
    const versions = await store().database(`SELECT version FROM pet WHERE id = ${petId}`)
    // The creation, a count, an order, and five changes.
    expect(Number(versions[0]?.version)).toBe(8)
  })

  test('a level is refused above the bounds of a quantity, and with an ETag from before a sale', async () => {
    const { client } = store()
    const { petId } = await makePet(client, { quantity: 5n })
    for (const reorderAt of [-1n, 1_000_000_001n]) {
      const refused = await refusalOf(client.setInventory({ petId, body: { quantity: 5n, reorderAt } }))
      expect(refused.errors).toMatchObject([{ pointer: '/reorderAt', code: 'out_of_range' }])
    }
    const { etag = '' } = await client.getInventoryItem({ petId })
    await client.placeOrder({ body: { petId, complete: true } })
    const late = client.setInventory({ petId, body: { quantity: 5n, reorderAt: 3n } }, { ifMatch: etag })
    expect(await codeOf(late)).toBe('412 precondition_failed')
  })

  test('the list of pets to reorder has those at or below their level, the lowest quantity first', async () => {
    await using own = await openTestStore(engine)
    const { client } = own
    const stocks = [
      [3n, 3n],
      [4n, 3n],
      [0n, 0n],
      [0n, undefined],
      [1n, 9n],
      [3n, 5n],
    ] as const
    const petIds: bigint[] = []
    for (const [quantity, reorderAt] of stocks) {
      const { petId } = await makePet(client, { quantity })
      if (reorderAt !== undefined) await client.setInventory({ petId, body: { quantity, reorderAt } })
      petIds.push(petId)
    }
    type Filters = Parameters<typeof client.listInventory>[0]
    const list = async (filters: Filters) => {
      const items = await Array.fromAsync(everyItem(client.listInventory, { ...filters, limit: 2 }))
      return items.map(({ petId }) => petIds.indexOf(petId))
    }
    expect(await list({ toReorder: true })).toEqual([2, 4, 0, 5])
    expect(await list({ toReorder: true, sort: '-quantity' })).toEqual([5, 0, 4, 2])
    expect(await list({ toReorder: true, quantityAtMost: 1n })).toEqual([2, 4])
    const named = petIds.slice(0, 4)
    expect(await list({ toReorder: true, petId: named, status: ['available'] })).toEqual([0])
    expect(await list({ toReorder: false })).toEqual([0, 1, 2, 3, 4, 5])
    await client.adjustInventory({ petId: petIds[2] ?? 0n, body: { quantityChange: 1n } })
    await client.placeOrder({ body: { petId: petIds[1] ?? 0n, complete: true } })
    expect(await list({ toReorder: true })).toEqual([4, 0, 1, 5])
    for (const [filters, name] of [
      [{ toReorder: true, status: ['sold'] }, 'status'],
      [{ toReorder: true, sort: 'id' }, 'sort'],
    ] satisfies [Filters, string][]) {
      const refused = await refusalOf(client.listInventory(filters))
      expect([refused.code, refused.errors[0]?.name]).toEqual(['invalid_parameter', name])
    }
  })
})
