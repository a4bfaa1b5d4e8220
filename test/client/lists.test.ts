import { expect, test } from 'bun:test'
import { createClient } from '../../src/client/client.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'
import { fakeServer, pageOf, refusal } from './fake-server.ts'

test('a list is also a promise, with then, catch and finally', async () => {
  using fake = fakeServer(() => refusal(401, 'invalid_token'))
  const codes: string[] = []
  const list = createClient(fake).listKeys()
  await list.catch(error => codes.push(error.code)).finally(() => codes.push('finally'))
  expect(codes).toEqual(['invalid_token', 'finally'])
})

test('a list continues after a page without items if another page follows', async () => {
  const next = (cursor: string): string => `, <http://x/pets?cursor=${cursor}>; rel=next`
  using fake = fakeServer((_, count) =>
    count === 1
      ? pageOf('[{"id":1}]', next('a'))
      : count === 2
        ? pageOf('[]', next('b'))
        : pageOf('[{"id":2}]'),
  )
  const pets = await Array.fromAsync(createClient(fake).listPets())
  expect(pets.map(({ id }) => id)).toEqual([1n, 2n])
})

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test('a list is read page by page, and the feed ends at its head', async () => {
    const client = createClient({ baseUrl: store().base, key: ADMIN_KEY })
    const createdIds = []
    for (let count = 0; count < 7; count++) createdIds.push((await makePet(store().client)).petId)
    const ids = []
    for await (const { id } of client.listPets({ id: createdIds, limit: 3 })) ids.push(id)
    expect(ids).toEqual(createdIds)
    const sizes = []
    for await (const { items } of client.listPets({ id: createdIds, limit: 3 }).pages())
      sizes.push(items.length)
    expect(sizes).toEqual([3, 3, 1])
    const positions = []
    for await (const { sequence } of client.listEvents({ after: '0', limit: 5 }))
      positions.push(BigInt(sequence))
    expect(positions.length).toBeGreaterThan(7)
    expect(positions).toEqual(
      (await client.listEvents({ limit: 100 })).data.items.map(event => BigInt(event.sequence)),
    )
  })

  test('a read with the current ETag has no data', async () => {
    const client = createClient({ baseUrl: store().base, key: ADMIN_KEY })
    const { petId } = await makePet(store().client)
    const { etag = '' } = await client.getInventoryItem({ petId })
    const unchanged = await client.getInventoryItem({ petId }, { ifNoneMatch: etag })
    expect([unchanged.status, unchanged.data]).toEqual([304, undefined])
  })
})
