import type { Client } from './client.ts'

/** Calls every described operation except the stream, each successfully. Returns the ids of the operations. */
export async function useEveryOperation(client: Client): Promise<string[]> {
  const operationIds: string[] = []
  const record = async <T>(id: keyof Client, call: Promise<T>): Promise<T> => {
    const result = await call
    operationIds.push(id)
    return result
  }
  const category = await record(
    'createCategory',
    client.createCategory({ body: { name: 'Ferrets', description: null } }),
  )
  const categoryId = category.data.id
  await record(
    'updateCategory',
    client.updateCategory({ categoryId, body: { description: 'Handled daily.' } }),
  )
  await record('getCategory', client.getCategory({ categoryId }))
  await record('listCategories', client.listCategories({ name: 'ferr', sort: '-name' }))
  const { petId, orderId } = await useStock(client, categoryId, record)
  const order = { orderId, body: { shipDate: null, quantity: 2n } }
  await record('updateOrder', client.updateOrder(order))
  await record('getOrder', client.getOrder({ orderId }))
  await record('listOrders', client.listOrders({ petId: [petId], complete: false }))
  await record('listMovements', client.listMovements({ petId, sort: '-id' }))
  await record('getStoreSummary', client.getStoreSummary({}))
  await record('cancelOrder', client.cancelOrder({ orderId }))
  await record('deletePet', client.deletePet({ petId }))
  await record('deleteCategory', client.deleteCategory({ categoryId }))
  const key = await record(
    'createKey',
    client.createKey({ body: { name: 'till 2', scopes: ['orders:read'] } }),
  )
  await record('listKeys', client.listKeys({ limit: 100 }))
  await record('getCurrentKey', client.getCurrentKey({}))
  await record('revokeKey', client.revokeKey({ keyId: key.data.id }))
  await record('listEvents', client.listEvents({ type: ['petstore.order.placed'], limit: 5 }))
  await record('listAudit', client.listAudit({ keyId: 1n, limit: 5 }))
  await useWebhook(client, record)
  await record('listErrors', client.listErrors({}))
  await record('getError', client.getError({ code: 'pet_not_found' }))
  return operationIds
}

/** Uses a webhook whose receiver refuses connections, so that there is a delivery to read and to send again. */
async function useWebhook(client: Client, record: RecordCall): Promise<void> {
  const body = { url: 'http://127.0.0.1:9/events', description: null }
  const { data } = await record('createWebhook', client.createWebhook({ body }))
  const webhookId = data.id
  await record('listWebhooks', client.listWebhooks({}))
  await record('getWebhook', client.getWebhook({ webhookId }))
  await record('sendTestEvent', client.sendTestEvent({ webhookId }))
  const deliveries = await record('listDeliveries', pendingDeliveries(client, webhookId))
  const deliveryId = deliveries.data.items[0]?.id ?? 0n
  await record('redeliver', client.redeliver({ webhookId, deliveryId }))
  await record('redeliverFailed', client.redeliverFailed({ webhookId, since: '2026-01-01T00:00:00Z' }))
  await record('rotateWebhookSecret', client.rotateWebhookSecret({ webhookId }))
  await record('updateWebhook', client.updateWebhook({ webhookId, body: { enabled: false, types: null } }))
  await record('deleteWebhook', client.deleteWebhook({ webhookId }))
}

/** Returns the pending deliveries of a webhook once there is one. */
async function pendingDeliveries(client: Client, webhookId: bigint): ReturnType<Client['listDeliveries']> {
  for (;;) {
    const page = await client.listDeliveries({ webhookId, state: 'pending' })
    if (page.data.items.length > 0) return page
    await Bun.sleep(10)
  }
}

type RecordCall = <T>(id: keyof Client, call: Promise<T>) => Promise<T>

async function useStock(
  client: Client,
  categoryId: bigint,
  record: RecordCall,
): Promise<{ petId: bigint; orderId: bigint }> {
  const pet = await record('createPet', client.createPet({ body: { name: 'Nimbus', categoryId } }))
  const petId = pet.data.id
  const read = await record('getPet', client.getPet({ petId }))
  const change = { petId, body: { name: 'Nimbus II' } }
  await record(
    'updatePet',
    client.updatePet(change, { ifMatch: read.etag ?? '', idempotencyKey: 'rename 1' }),
  )
  await record(
    'listPets',
    client.listPets({ id: [petId, 1n], status: ['available', 'pending'], include: 'stock', limit: 2 }),
  )
  await record('setInventory', client.setInventory({ petId, body: { quantity: 5n } }))
  await record(
    'adjustInventory',
    client.adjustInventory({ petId, body: { quantityChange: -1n, note: 'Moved.' } }),
  )
  await record('getInventoryItem', client.getInventoryItem({ petId }))
  await record('listInventory', client.listInventory({ quantityAtMost: 5n, sort: '-quantity' }))
  const body = { petId, shipDate: '2026-12-01T09:30:00+01:00', reference: 'R-2026-0042' }
  const { data } = await record('placeOrder', client.placeOrder({ body }))
  return { petId, orderId: data.id ?? 0n }
}
