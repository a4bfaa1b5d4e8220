// A sandbox per test, with Vitest. Save it as lost-response.test.mjs: npx vitest run
// PETSTORE_SANDBOXES is the address of a host, which `petstore sandboxes` starts.

import { createSandbox } from 'petstore-client'
import { test as base, expect } from 'vitest'

const test = base.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads this pattern to see which fixtures `sandbox` needs: none
  sandbox: async ({}, use) => {
    const sandbox = await createSandbox()
    await use(sandbox)
    await sandbox.delete()
  },
})

test('an order whose response is lost is placed once', async ({ sandbox }) => {
  await sandbox.faults([
    { name: 'lost', operation: 'placeOrder', when: { call: 1 }, effect: { type: 'drop_after_commit' } },
  ])
  const order = { body: { petId: 3, quantity: 1 } }
  // With the default of retriesMax, the client itself would repeat the order.
  const options = { idempotencyKey: 'cart-17', retriesMax: 0 }
  await expect(sandbox.placeOrder(order, options)).rejects.toMatchObject({ name: 'ConnectionError' })
  const { data: placed, replayed } = await sandbox.placeOrder(order, options)
  expect(replayed).toBe(true)
  const { data: orders } = await sandbox.listOrders()
  expect(orders.items).toEqual([placed])
  const [list, second, first] = await sandbox.requests()
  expect(list.operationId).toBe('listOrders')
  expect([second.status, second.fault]).toEqual([201n, undefined])
  expect([first.status, first.fault]).toEqual([undefined, 'drop_after_commit; rule="lost"'])
})
