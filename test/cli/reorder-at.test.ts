import { expect, test } from 'bun:test'
import { createClient } from '../../src/client/client.ts'
import { setReorderLevel } from '../../src/client/reorder-level.ts'
import { runAt } from '../support/command-line.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { ADMIN_KEY } from '../support/store.ts'

const store = sharedStore('sqlite')

test('petstore reorder-at sets and removes a level, and refuses what is none', async () => {
  const { client, base } = store()
  const { petId } = await makePet(client, { quantity: 5n })
  const level = async () => (await client.getInventoryItem({ petId })).data.reorderAt
  const { exitCode, output } = await runAt(base, ['reorder-at', `${petId}`, '3'])
  expect([exitCode, JSON.parse(output)]).toMatchObject([0, { quantity: 5, reorderAt: 3 }])
  expect(await level()).toBe(3n)
  expect((await runAt(base, ['reorder-at', `${petId}`, 'none'])).exitCode).toBe(0)
  expect(await level()).toBeUndefined()
  const wrong = await runAt(base, ['reorder-at', `${petId}`, 'three'])
  expect([wrong.exitCode, wrong.errors]).toEqual([
    2,
    expect.stringContaining('It must be a number from 0 to 1000000000, or none.'),
  ])
  const absent = await runAt(base, ['reorder-at', '404', '3'])
  expect([absent.exitCode, absent.errors]).toEqual([1, expect.stringContaining('inventory item for pet 404')])
})

test('a level is set without overwriting a sale that comes between its two requests', async () => {
  const { client, base } = store()
  const { petId } = await makePet(client, { quantity: 5n })
  let sales = 0
  const till = createClient({
    baseUrl: base,
    key: ADMIN_KEY,
    fetch: async (url, init) => {
      if (init.method === 'PUT' && sales++ < 2) await client.placeOrder({ body: { petId, complete: true } })
      return fetch(url, init)
    },
  })
  expect(await setReorderLevel(till, petId, 4n)).toMatchObject({ quantity: 3n, reorderAt: 4n })
  const busy = createClient({
    baseUrl: base,
    key: ADMIN_KEY,
    fetch: async (url, init) => {
      if (init.method === 'PUT') await client.adjustInventory({ petId, body: { quantityChange: 1n } })
      return fetch(url, init)
    },
  })
  await expect(setReorderLevel(busy, petId, 9n)).rejects.toMatchObject({ status: 412 })
})
