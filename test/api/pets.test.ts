import { expect, test } from 'bun:test'
import { codeOf, onEveryEngine, openTestStore, refusalOf } from '../support/store.ts'

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
})
