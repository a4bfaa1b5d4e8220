import { expect, test } from 'bun:test'
import { type ExportedResource, exportRows } from '../../src/transfer/exports.ts'
import { openSqliteSource } from '../../src/transfer/sqlite-copy.ts'
import { localTimesIn } from '../../src/values/time-zone.ts'
import { importCategories } from '../support/busy-shop.ts'
import { run } from '../support/process.ts'
import { openReceiver, reply } from '../support/receiver.ts'
import { makePet } from '../support/shop.ts'
import { onEveryEngine, openTestStore } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { createWebhook, waitForDeliveries } from '../support/webhook-receipts.ts'

onEveryEngine(engine => {
  test('an export of more than a thousand rows has each of them, and values as the API writes them', async () => {
    await using store = await openTestStore(engine)
    const rowsOf = async (resource: ExportedResource) =>
      store.engine.readShort(reader =>
        Array.fromAsync(exportRows(reader, resource, { base: store.base, currency: 'EUR' })),
      )
    const { petId } = await makePet(store.client, { quantity: 3n, onHold: true })
    await importCategories(store.client, 1100)
    // Movements that change nothing together: only the number of rows counts here.
    await store.database(`
      INSERT INTO movement (pet_id, version, id, quantity_change, reserved_change, quantity, reserved, reason, at)
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1100)
      SELECT ${petId}, 1000 + n, 100000 + n, 1, 0, 1, 0, 'count', '2026-11-21T00:00:00.000Z' FROM number`)
    const idsOf = async (resource: ExportedResource) => (await rowsOf(resource)).map(({ id }) => id)
    expect((await idsOf('categories')).slice(-1100)).toEqual(
      Array.from({ length: 1100 }, (_, index) => BigInt(index + 2)),
    )
    expect((await idsOf('movements')).slice(-1100)).toEqual(
      Array.from({ length: 1100 }, (_, index) => BigInt(100_001 + index)),
    )
    expect((await rowsOf('pets'))[0]).toMatchObject({
      id: petId,
      hold: true,
      quantity: 3n,
      status: 'pending',
    })
    expect((await rowsOf('keys'))[0]).toMatchObject({ scopes: ['admin'], revokedAt: null })
  })

  test('the lines of the books are exported for days of the shop, both included', async () => {
    let nowMs = 0
    await using store = await openTestStore(engine, { clock: () => nowMs })
    const { petId } = await makePet(store.client, { quantity: 9n })
    // The days of Newfoundland begin at 02:30 in UTC.
    for (const at of ['01T02:29:59.999Z', '01T02:30:00Z', '02T02:29:59.999Z', '02T02:30:00Z']) {
      nowMs = Date.parse(`2026-09-${at}`)
      await store.client.placeOrder({ body: { petId, complete: true } })
    }
    const orders = async (from?: string, to?: string): Promise<string> => {
      const settings = { base: store.base, timeZone: 'America/St_Johns', currency: 'EUR', days: { from, to } }
      const rows = await store.engine.readShort(reader =>
        Array.fromAsync(exportRows(reader, 'sales', settings)),
      )
      return rows.map(({ at }) => String(at).slice(8, 16)).join(' ')
    }
    const all = '01T02:29 01T02:30 02T02:29 02T02:30'
    expect(await orders()).toBe(all)
    expect(await orders('2026-09-01', '2026-09-01')).toBe('01T02:30 02T02:29')
    expect(await orders('2026-09-02')).toBe('02T02:30')
    expect(await orders(undefined, '2026-08-31')).toBe('01T02:29')
    expect(await orders('0001-01-01', '9999-12-31')).toBe(all)
    expect(await orders('2026-09-03', '2026-09-04')).toBe('')
  })

  test('every column of an export has what the API says, and the instant of the last change', async () => {
    let nowMs = Date.parse('2026-11-20T08:00:00Z')
    await using store = await openTestStore(engine, { clock: () => nowMs })
    await using receiver = await openReceiver((_, index) => reply(index === 0 ? 503 : 204))
    const { client } = store
    const rowsOf = (resource: ExportedResource): Promise<Record<string, unknown>[]> =>
      store.engine.readShort(reader =>
        Array.fromAsync(
          exportRows(reader, resource, { base: store.base, timeZone: 'Pacific/Auckland', currency: 'EUR' }),
        ),
      )
    const lastRow = async (resource: ExportedResource) => (await rowsOf(resource)).at(-1)
    const created = { createdAt: '2026-11-20T08:00:00Z', updatedAt: '2026-11-20T08:00:00Z' }

    const { data: category } = await client.createCategory({ body: { name: 'Dogs', description: 'All.' } })
    const categoryId = category.id
    const { data: pet } = await client.createPet({
      body: { name: 'Rex', categoryId, price: 125_050n, barcode: '0 17' },
    })
    const petId = pet.id
    const shipDate = '2027-01-31T12:30:00Z'
    const { data: order } = await client.placeOrder({ body: { petId, reference: 'R-7', shipDate } })
    const orderId = order.id ?? 0n
    const webhook = await createWebhook(store, receiver, [
      'petstore.category.deleted',
      'petstore.pet.deleted',
    ])
    const { webhookId } = webhook
    const { data: webhookRow } = await client.getWebhook({ webhookId })
    const { data: other } = await client.createCategory({ body: { name: 'Other' } })
    expect(await lastRow('categories')).toEqual({ ...other, description: null, petCount: 0n, ...created })
    await client.deleteCategory({ categoryId: other.id })
    const [delivery] = await waitForDeliveries(store, webhook, 'pending')
    const deliveryId = delivery?.id ?? 0n
    const expiresAt = '2027-01-31T00:00:00Z'
    const body = { name: 'till', scopes: ['orders:read' as const, 'events:read' as const], expiresAt }
    const { data: key } = await client.createKey({ body })

    const stock = { quantity: 1n, reserved: 1n, status: 'pending' }
    expect(await rowsOf('categories')).toEqual([{ ...category, petCount: 1n, ...created }])
    expect(await rowsOf('pets')).toEqual([
      { ...pet, category: 'Dogs', ...stock, hold: false, ...created, reorderAt: null, price: '1250.50' },
    ])
    expect(await rowsOf('orders')).toEqual([
      {
        ...order,
        shipDate,
        reference: 'R-7',
        ...created,
        petName: 'Rex',
        localTime: '2026-11-20 21:00:00',
        unitPrice: '1250.50',
        completedAt: null,
        currency: 'EUR',
        receipt: null,
        returned: 0n,
      },
    ])
    const absent = { note: null, orderId: null }
    expect(await rowsOf('movements')).toEqual(
      (await client.listMovements({ petId })).data.items.map(movement => ({ ...absent, ...movement })),
    )
    const { key: _, ...keyRow } = key
    expect(await lastRow('keys')).toEqual({ ...keyRow, createdAt: created.createdAt, revokedAt: null })
    const unset = { description: null, disabledReason: null }
    expect(await rowsOf('webhooks')).toEqual([{ ...webhookRow, ...unset, ...created }])
    const sent = { webhookId, attempts: 1n, state: 'pending', nextAttemptAt: delivery?.nextAttemptAt }
    const eventId = BigInt(delivery?.eventId ?? 0)
    expect(await rowsOf('deliveries')).toEqual([
      { id: deliveryId, eventId, eventType: 'petstore.category.deleted', ...sent, ...created },
    ])

    const changes: [resource: ExportedResource, change: () => Promise<unknown>][] = [
      // An hour later, the retry is due, and any event wakes the sender.
      ['deliveries', () => client.updateCategory({ categoryId, body: { name: 'Big dogs' } })],
      ['categories', () => client.updateCategory({ categoryId, body: { name: 'Dogs and others' } })],
      ['pets', () => client.updatePet({ petId, body: { name: 'Max' } })],
      ['pets', () => client.adjustInventory({ petId, body: { quantityChange: 4n } })],
      ['pets', () => client.adjustInventory({ petId, body: { quantityChange: 1n } })],
      ['orders', () => client.updateOrder({ orderId, body: { quantity: 2n } })],
      ['pets', () => client.updateOrder({ orderId, body: { quantity: 3n } })],
      ['orders', () => client.updateOrder({ orderId, body: { complete: true } })],
      ['webhooks', () => client.updateWebhook({ webhookId, body: { description: 'The till.' } })],
      ['webhooks', () => client.rotateWebhookSecret({ webhookId })],
      ['deliveries', () => client.redeliver({ webhookId, deliveryId })],
    ]
    for (const [index, [resource, change]] of changes.entries()) {
      nowMs += 3_600_000
      await change()
      if (resource === 'deliveries') await waitForDeliveries(store, webhook, 'delivered')
      const row = await lastRow(resource)
      const updatedAt = new Date(nowMs).toISOString().replace('.000', '')
      expect([index, row]).toEqual([index, { ...row, createdAt: created.createdAt, updatedAt }])
    }
    const { data: back } = await client.returnOrder({ orderId, body: { quantity: 1n, note: 'too loud' } })
    expect(await lastRow('sales')).toEqual({
      ...back,
      localTime: localTimesIn('Pacific/Auckland')(nowMs),
      unitPrice: '1250.50',
      amount: '-1250.50',
      currency: 'EUR',
      keyId: 1n,
      keyName: expect.any(String),
    })
    await client.revokeKey({ keyId: key.id })
    expect((await lastRow('keys'))?.revokedAt).toBe(new Date(nowMs).toISOString().replace('.000', ''))
  })
})

test('an export that nobody reads on does not keep the write-ahead log, as a snapshot does', async () => {
  await using place = await newStoreDirectory('sqlite')
  await using server = await place.start()
  await makePet(place.client(server))
  const exported = await run(['export', 'pets', '--data', place.directory])
  expect(exported.errors).toContain('The rows are read in slices')
  for (const inSlices of [true, false]) {
    await using source = openSqliteSource(place.directory, { inSlices })
    const rows = exportRows(source.reader, 'pets', { base: server.base, currency: 'EUR' })
    expect((await rows.next()).done).toBeFalse()
    await place.client(server).createCategory({ body: { name: `Late ${inSlices}` } })
    const [moved] = await place.database('PRAGMA wal_checkpoint(TRUNCATE)')
    expect([inSlices, moved?.busy]).toEqual([inSlices, inSlices ? 0n : 1n])
    await rows.return(undefined)
  }
})
