import { expect, test } from 'bun:test'
import { headOf } from '../support/received-events.ts'
import { makePet } from '../support/shop.ts'
import { codeOf, onEveryEngine, openTestStore, refusalOf } from '../support/store.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

onEveryEngine(engine => {
  test('a pet can be created, read, changed and deleted', async () => {
    await using store = await openTestStore(engine)
    const { client } = store
    const { data: dogs } = await client.createCategory({ body: { name: 'Dogs' } })
    const created = await client.createPet({ body: { name: 'Biscuit (Beagle)', categoryId: dogs.id } })
    expect(created.status).toBe(201)
    expect(created.data).toEqual({
      id: 1n,
      name: 'Biscuit (Beagle)',
      categoryId: dogs.id,
      status: 'available',
    })
    expect(created.location).toBe(`${store.base}/pets/1`)
    const read = await client.getPet({ petId: 1n })
    expect(read.data).toEqual(created.data)
    expect(read.etag).toBe(created.etag)
    const changed = await client.updatePet({ petId: 1n, body: { name: 'Crumb' } })
    expect(changed.data).toEqual({ ...created.data, name: 'Crumb' })
    expect(changed.etag).not.toBe(created.etag)
    const deleted = await client.deletePet({ petId: 1n })
    expect(deleted.status).toBe(204)
    expect(await codeOf(client.getPet({ petId: 1n }))).toBe('404 pet_not_found')
    expect(await codeOf(client.deletePet({ petId: 1n }))).toBe('404 pet_not_found')
    expect(await codeOf(client.updatePet({ petId: 1n, body: {} }))).toBe('404 pet_not_found')
  })

  test('a pet in a category that does not exist is refused, and the message names the category', async () => {
    await using store = await openTestStore(engine)
    const refused = await refusalOf(store.client.createPet({ body: { name: 'Stray', categoryId: 99n } }))
    expect([refused.status, refused.code, refused.message]).toEqual([
      422,
      'unknown_reference',
      'Category 99 does not exist.',
    ])
  })

  test('a category whose last pet moved to an older or a newer category can be deleted', async () => {
    await using store = await openTestStore(engine)
    const { client } = store
    const [older = 0n, middle = 0n, newer = 0n] = await Promise.all(
      ['Older', 'Middle', 'Newer'].map(
        async name => (await client.createCategory({ body: { name } })).data.id,
      ),
    )
    const { data: pet } = await client.createPet({ body: { name: 'Mover', categoryId: middle } })
    const move = (categoryId: bigint) => client.updatePet({ petId: pet.id, body: { categoryId } })
    expect((await move(newer)).data.categoryId).toBe(newer)
    expect((await client.deleteCategory({ categoryId: middle })).status).toBe(204)
    expect((await move(older)).data.categoryId).toBe(older)
    expect((await client.deleteCategory({ categoryId: newer })).status).toBe(204)
    expect(await codeOf(client.deleteCategory({ categoryId: older }))).toBe('409 category_in_use')
  })

  test('a pet that is said to be sold loses its units, and its ledger says so', async () => {
    await using store = await openTestStore(engine)
    const { client } = store
    const { petId } = await makePet(client, { quantity: 3n })
    await client.updatePet({ petId, body: { status: 'sold' } })
    const { data } = await client.listMovements({ petId })
    expect(data.items.find(({ reason }) => reason === 'status')).toMatchObject({
      quantityChange: -3n,
      quantity: 0n,
    })
  })

  test('a deletion of a pet ends its ledger, and an event says that its stock is 0', async () => {
    await using store = await openTestStore(engine)
    const { client } = store
    const { petId } = await makePet(client, { quantity: 3n, onHold: true })
    const before = await headOf(store)
    await client.deletePet({ petId })
    await headOf(store)
    const { data } = await client.listEvents({ after: before, petId })
    expect(data.items.map(({ type, data: content }) => [type, content])).toEqual([
      ['petstore.inventory.changed', { petId, quantity: 0n, status: 'sold', reserved: 0n }],
      ['petstore.pet.deleted', expect.objectContaining({ id: petId, status: 'pending' })],
    ])
    const movements = await store.database(
      `SELECT quantity_change, reason FROM movement WHERE pet_id = ${petId} ORDER BY version`,
    )
    expect(movements.at(-1)).toEqual({ quantity_change: -3n, reason: 'closing' })
    expect(await violatedInvariants(store)).toEqual([])
    const { pets, unitsOnHand } = (await client.getStoreSummary({})).data
    expect([pets, unitsOnHand]).toEqual([{ available: 0n, pending: 0n, sold: 0n }, 0n])
  })
})
