import type { Client } from './client.ts'

/**
 * Simulates a working day of a shop, in which every described operation succeeds. Returns the ids of the operations.
 */
export async function useEverything(client: Client): Promise<string[]> {
  const done: string[] = []
  const did = async <T>(id: keyof Client, call: Promise<T>): Promise<T> => {
    const result = await call
    done.push(id)
    return result
  }
  const category = await did(
    'createCategory',
    client.createCategory({ body: { name: 'Ferrets', description: null } }),
  )
  const categoryId = category.data.id
  await did('updateCategory', client.updateCategory({ categoryId, body: { description: 'Handled daily.' } }))
  await did('getCategory', client.getCategory({ categoryId }))
  await did('listCategories', client.listCategories({ name: 'ferr', sort: '-name' }))
  const { petId, orderId } = await stock(client, categoryId, did)
  const order = { orderId, body: { shipDate: null, quantity: 2n } }
  await did('updateOrder', client.updateOrder(order))
  await did('getOrder', client.getOrder({ orderId }))
  await did('listOrders', client.listOrders({ petId: [petId], complete: false }))
  await did('listMovements', client.listMovements({ petId, sort: '-id' }))
  await did('getStoreSummary', client.getStoreSummary({}))
  await did('cancelOrder', client.cancelOrder({ orderId }))
  await did('deletePet', client.deletePet({ petId }))
  await did('deleteCategory', client.deleteCategory({ categoryId }))
  const key = await did('createKey', client.createKey({ body: { name: 'till 2', scopes: ['orders:read'] } }))
  await did('listKeys', client.listKeys({ limit: 100 }))
  await did('getCurrentKey', client.getCurrentKey({}))
  await did('revokeKey', client.revokeKey({ keyId: key.data.id }))
  await did('listEvents', client.listEvents({ type: ['petstore.order.placed'], limit: 5 }))
  await did('listAudit', client.listAudit({ keyId: 1n, limit: 5 }))
  await useWebhook(client, did)
  await did('listErrors', client.listErrors({}))
  await did('getError', client.getError({ code: 'pet_not_found' }))
  return done
}

/** Uses a webhook whose receiver refuses connections, so that it has a delivery to read and to send again. */
async function useWebhook(client: Client, did: Did): Promise<void> {
  const body = { url: 'http://127.0.0.1:9/events', description: null }
  const { data } = await did('createWebhook', client.createWebhook({ body }))
  const webhookId = data.id
  await did('listWebhooks', client.listWebhooks({}))
  await did('getWebhook', client.getWebhook({ webhookId }))
  await did('sendTestEvent', client.sendTestEvent({ webhookId }))
  const deliveries = await did('listDeliveries', attemptedDeliveries(client, webhookId))
  const deliveryId = deliveries.data.items[0]?.id ?? 0n
  await did('redeliver', client.redeliver({ webhookId, deliveryId }))
  await did('redeliverFailed', client.redeliverFailed({ webhookId, since: '2026-01-01T00:00:00Z' }))
  await did('rotateWebhookSecret', client.rotateWebhookSecret({ webhookId }))
  await did('updateWebhook', client.updateWebhook({ webhookId, body: { enabled: false, types: null } }))
  await did('deleteWebhook', client.deleteWebhook({ webhookId }))
}

/** Returns the pending deliveries of a webhook once there is one. */
async function attemptedDeliveries(client: Client, webhookId: bigint): ReturnType<Client['listDeliveries']> {
  for (;;) {
    const page = await client.listDeliveries({ webhookId, state: 'pending' })
    if (page.data.items.length > 0) return page
    await Bun.sleep(10)
  }
}

type Did = <T>(id: keyof Client, call: Promise<T>) => Promise<T>

async function stock(
  client: Client,
  categoryId: bigint,
  did: Did,
): Promise<{ petId: bigint; orderId: bigint }> {
  const pet = await did('createPet', client.createPet({ body: { name: 'Nimbus', categoryId } }))
  const petId = pet.data.id
  const read = await did('getPet', client.getPet({ petId }))
  const change = { petId, body: { name: 'Nimbus II' } }
  await did('updatePet', client.updatePet(change, { ifMatch: read.etag ?? '', idempotencyKey: 'rename 1' }))
  await did(
    'listPets',
    client.listPets({ id: [petId, 1n], status: ['available', 'pending'], include: 'stock', limit: 2 }),
  )
  await did('setInventory', client.setInventory({ petId, body: { quantity: 5n } }))
  await did(
    'adjustInventory',
    client.adjustInventory({ petId, body: { quantityChange: -1n, note: 'Moved.' } }),
  )
  await did('getInventoryItem', client.getInventoryItem({ petId }))
  await did('listInventory', client.listInventory({ quantityAtMost: 5n, sort: '-quantity' }))
  const body = { petId, shipDate: '2026-12-01T09:30:00+01:00', reference: 'R-2026-0042' }
  const { data } = await did('placeOrder', client.placeOrder({ body }))
  return { petId, orderId: data.id ?? 0n }
}
