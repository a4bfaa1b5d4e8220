import { expect, test } from 'bun:test'
import { makePet } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'

test('a read of one row on SQLite needs no promise, in contrast to the read of a list', async () => {
  let hadPromise: boolean[] = []
  await using store = await openTestStore('sqlite', {
    cache: 'off',
    wrapEngine: engine => ({
      ...engine,
      readShort: work => {
        const result = engine.readShort(work)
        hadPromise.push(result instanceof Promise)
        return result
      },
    }),
  })
  const { client } = store
  const { petId, orderId } = await makePet(client, { quantity: 9n, reserved: 2n })
  const { data: pet } = await client.getPet({ petId })
  const reads = {
    getPet: () => client.getPet({ petId }),
    getInventoryItem: () => client.getInventoryItem({ petId }),
    getCategory: () => client.getCategory({ categoryId: pet.categoryId }),
    getOrder: () => client.getOrder({ orderId }),
    listPets: () => client.listPets({}),
  }
  const lastHadPromise: Record<string, boolean | undefined> = {}
  for (const [name, read] of Object.entries(reads)) {
    hadPromise = []
    await read()
    // Reading the key of the caller comes first.
    lastHadPromise[name] = hadPromise.at(-1)
  }
  expect(lastHadPromise).toEqual({
    getPet: false,
    getInventoryItem: false,
    getCategory: false,
    getOrder: false,
    listPets: true,
  })
})
