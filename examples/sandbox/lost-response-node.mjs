// A sandbox per test, with node:test: node --test lost-response-node.mjs
// PETSTORE_SANDBOXES is the address of a host, which `petstore sandboxes` starts.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { createSandbox } from 'petstore-client'

let sandbox
beforeEach(async () => {
  sandbox = await createSandbox()
})
afterEach(() => sandbox?.delete())

test('an order whose response is lost is placed once', async () => {
  await sandbox.faults([
    { name: 'lost', operation: 'placeOrder', when: { call: 1 }, effect: { type: 'drop_after_commit' } },
  ])
  const order = { body: { petId: 3, quantity: 1 } }
  // With the default of retriesMax, the client itself would repeat the order.
  const options = { idempotencyKey: 'cart-17', retriesMax: 0 }
  await assert.rejects(sandbox.placeOrder(order, options), { name: 'ConnectionError' })
  const { data: placed, replayed } = await sandbox.placeOrder(order, options)
  assert.equal(replayed, true)
  const { data: orders } = await sandbox.listOrders()
  assert.deepEqual(orders.items, [placed])
  const [list, second, first] = await sandbox.requests()
  assert.equal(list.operationId, 'listOrders')
  assert.deepEqual([second.status, second.fault], [201n, undefined])
  assert.deepEqual([first.status, first.fault], [undefined, 'drop_after_commit; rule="lost"'])
})
