import { describe, expect, test } from 'bun:test'
import { headOf } from '../support/received-events.ts'
import { makePet, sharedStore, stockOf } from '../support/shop.ts'
import { codeOf, onEveryEngine, refusalOf } from '../support/store.ts'

onEveryEngine(engine => {
  const createdAt = '2026-11-21T09:30:00.120Z'
  const petName = 'Anybody'
  const now = Date.parse(createdAt)
  const store = sharedStore(engine, { clock: () => now })

  describe('placing orders', () => {
    test('an order reserves its units, and an order of the last units makes the pet pending', async () => {
      const { client, base } = store()
      const { petId } = await makePet(client, { quantity: 3n })
      const placed = await client.placeOrder({ body: { petId } })
      expect([placed.status, placed.location]).toEqual([201, `${base}/store/orders/${placed.data.id}`])
      expect(placed.data).toEqual({
        id: placed.data.id,
        petId,
        quantity: 1n,
        complete: false,
        createdAt,
        petName,
      })
      expect(await stockOf(client, petId)).toBe('available 3/1')
      await client.placeOrder({ body: { petId, quantity: 2n } })
      expect(await stockOf(client, petId)).toBe('pending 3/3')
    })

    test('a pet of 1 unit is pending after an order, available after cancellation, sold after completion', async () => {
      const { client } = store()
      const { petId } = await makePet(client)
      const first = await client.placeOrder({ body: { petId } })
      expect(await stockOf(client, petId)).toBe('pending 1/1')
      await client.cancelOrder({ orderId: first.data.id ?? 0n })
      expect(await stockOf(client, petId)).toBe('available 1/0')
      const second = await client.placeOrder({ body: { petId } })
      await client.updateOrder({ orderId: second.data.id ?? 0n, body: { complete: true } })
      expect(await stockOf(client, petId)).toBe('sold 0/0')
    })

    test('an order is refused for a pet that does not exist, is on hold, or has too few free units', async () => {
      const { client } = store()
      expect(await codeOf(client.placeOrder({ body: { petId: 404n } }))).toBe('422 unknown_reference')
      const held = await makePet(client, { quantity: 5n, onHold: true })
      expect(await codeOf(client.placeOrder({ body: { petId: held.petId } }))).toBe('409 pet_not_available')
      const few = await makePet(client, { quantity: 5n, reserved: 3n })
      const refused = await refusalOf(client.placeOrder({ body: { petId: few.petId, quantity: 3n } }))
      expect([refused.code, refused.message]).toEqual([
        'insufficient_stock',
        `Pet ${few.petId} has 2 of 5 units for sale; 3 are requested.`,
      ])
      const sold = await makePet(client, { quantity: 0n })
      expect(await codeOf(client.placeOrder({ body: { petId: sold.petId } }))).toBe('409 insufficient_stock')
      expect(await stockOf(client, few.petId)).toBe('available 5/3')
    })

    test('an order with complete: true sells the units immediately', async () => {
      const { client } = store()
      const { petId } = await makePet(client, { quantity: 3n })
      const { data } = await client.placeOrder({ body: { petId, quantity: 2n, complete: true } })
      expect(data).toMatchObject({ quantity: 2n, complete: true, shipDate: '2026-11-21T09:30:00.120Z' })
      expect(await stockOf(client, petId)).toBe('available 1/0')
      const held = await makePet(client, { onHold: true })
      const sale = client.placeOrder({ body: { petId: held.petId, complete: true } })
      expect(await codeOf(sale)).toBe('409 pet_not_available')
    })

    test('an order with complete: true keeps the shipDate that was sent', async () => {
      const { client } = store()
      const { petId } = await makePet(client)
      const shipDate = '2026-11-20T08:00:00Z'
      expect((await client.placeOrder({ body: { petId, complete: true, shipDate } })).data).toMatchObject({
        shipDate,
      })
    })

    test('an order stores the shipDate in UTC, with milliseconds only if there are any', async () => {
      const { client } = store()
      const { petId } = await makePet(client, { quantity: 9n })
      const shipped = async (shipDate: string) =>
        (await client.placeOrder({ body: { petId, shipDate } })).data.shipDate
      expect(await shipped('2026-12-01T10:00:00+02:00')).toBe('2026-12-01T08:00:00Z')
      expect(await shipped('2026-12-01T10:00:00.5Z')).toBe('2026-12-01T10:00:00.500Z')
      expect(await shipped('0001-01-01T00:00:00Z')).toBe('0001-01-01T00:00:00Z')
    })
  })

  describe('changing orders', () => {
    test('completing an order sets an absent shipDate, and completing it again changes nothing', async () => {
      const { client } = store()
      const { petId, orderId } = await makePet(client, { quantity: 5n, reserved: 2n })
      const completed = await client.updateOrder({ orderId, body: { complete: true } })
      expect(completed.data).toEqual({
        receipt: orderId,
        id: orderId,
        petId,
        quantity: 2n,
        shipDate: '2026-11-21T09:30:00.120Z',
        complete: true,
        createdAt,
        petName,
        completedAt: createdAt,
      })
      expect(await stockOf(client, petId)).toBe('available 3/0')
      const again = await client.updateOrder({ orderId, body: { complete: true } })
      expect([again.status, again.etag]).toEqual([200, completed.etag])
      expect(await stockOf(client, petId)).toBe('available 3/0')
    })

    test('an order can be completed although its pet was put on hold after the order was placed', async () => {
      const { client } = store()
      const { petId, orderId } = await makePet(client, { quantity: 5n, reserved: 2n, onHold: true })
      await client.updateOrder({ orderId, body: { complete: true } })
      expect(await stockOf(client, petId)).toBe('pending 3/0')
    })

    test('a new quantity changes the reservation by the difference; an increase is checked like an order', async () => {
      const { client } = store()
      const { petId, orderId } = await makePet(client, { quantity: 5n, reserved: 2n })
      await client.updateOrder({ orderId, body: { quantity: 5n } })
      expect(await stockOf(client, petId)).toBe('pending 5/5')
      expect(await codeOf(client.updateOrder({ orderId, body: { quantity: 6n } }))).toBe(
        '409 insufficient_stock',
      )
      await client.updateOrder({ orderId, body: { quantity: 1n } })
      expect(await stockOf(client, petId)).toBe('available 5/1')
      await client.updatePet({ petId, body: { status: 'pending' } })
      expect(await codeOf(client.updateOrder({ orderId, body: { quantity: 2n } }))).toBe(
        '409 pet_not_available',
      )
    })

    test('an order can be made smaller while its pet is on hold', async () => {
      const { client } = store()
      const { petId, orderId } = await makePet(client, { quantity: 5n, reserved: 3n, onHold: true })
      await client.updateOrder({ orderId, body: { quantity: 1n } })
      expect(await stockOf(client, petId)).toBe('pending 5/1')
    })

    test('a change of an order applies the quantity first, then the completion', async () => {
      const { client } = store()
      const { petId, orderId } = await makePet(client, { quantity: 5n, reserved: 1n })
      const { data } = await client.updateOrder({ orderId, body: { quantity: 4n, complete: true } })
      expect(data).toMatchObject({ quantity: 4n, complete: true })
      expect(await stockOf(client, petId)).toBe('available 1/0')
      const both = client.updateOrder({ orderId, body: { quantity: 9n, complete: true } })
      expect(await codeOf(both)).toBe('409 order_already_complete')
    })

    test('of a complete order only the reference can be changed, and it cannot be cancelled or opened', async () => {
      const { client } = store()
      const { petId, orderId } = await makePet(client, { quantity: 5n, reserved: 1n })
      const { data } = await client.updateOrder({ orderId, body: { complete: true } })
      const frozen = '409 order_already_complete'
      for (const change of [{ quantity: 2n }, { shipDate: null }, { unitPrice: 5n }, { complete: false }]) {
        expect(await codeOf(client.updateOrder({ orderId, body: change }))).toBe(frozen)
        const both = client.updateOrder({ orderId, body: { ...change, reference: 'R-1' } })
        expect(await codeOf(both)).toBe(frozen)
      }
      expect(await codeOf(client.cancelOrder({ orderId }))).toBe(frozen)
      expect(await stockOf(client, petId)).toBe('available 4/0')
      const renamed = await client.updateOrder({ orderId, body: { reference: 'R-2' } })
      expect(renamed.data).toEqual({ ...data, reference: 'R-2' })
      const forgotten = await client.updateOrder({ orderId, body: { reference: null } })
      expect(forgotten.data).toEqual(data)
    })

    test('a change of an order sets or removes the shipDate, and may only repeat ids and createdAt', async () => {
      const { client } = store()
      const { petId, orderId } = await makePet(client, { quantity: 5n, reserved: 1n })
      const dated = await client.updateOrder({
        orderId,
        body: {
          id: orderId,
          petId,
          createdAt: '2026-11-21T10:30:00.12+01:00',
          shipDate: '2027-01-01T00:00:00Z',
        },
      })
      expect(dated.data.shipDate).toBe('2027-01-01T00:00:00Z')
      const bare = await client.updateOrder({ orderId, body: { shipDate: null } })
      expect(bare.data).toEqual({ id: orderId, petId, quantity: 1n, complete: false, createdAt, petName })
      const refused = await refusalOf(
        client.updateOrder({ orderId, body: { id: 1_000_000n, petId: 1_000_000n } }),
      )
      expect(refused.errors.map(({ pointer, code }) => [pointer, code])).toEqual([
        ['/id', 'read_only'],
        ['/petId', 'read_only'],
      ])
      const later = client.updateOrder({ orderId, body: { createdAt: '2026-11-21T09:30:00.121Z' } })
      expect((await refusalOf(later)).errors).toMatchObject([{ pointer: '/createdAt', code: 'read_only' }])
    })
  })

  describe('references of orders', () => {
    test('the reference of an order is stored as it was sent, and absent from an order without one', async () => {
      const { client } = store()
      const { petId } = await makePet(client, { quantity: 9n })
      for (const reference of ['R-2026-0042', ' ', "'; --", '\u{1f98e}'.repeat(200), 'Caf\u0065\u0301']) {
        const { data } = await client.placeOrder({ body: { petId, reference } })
        expect(data).toEqual({
          id: data.id,
          petId,
          quantity: 1n,
          complete: false,
          reference,
          createdAt,
          petName,
        })
        expect((await client.getOrder({ orderId: data.id ?? 0n })).data).toEqual(data)
      }
      const { data } = await client.placeOrder({ body: { petId, reference: null } })
      expect('reference' in data).toBe(false)
    })

    test('a reference is refused if it has 0 or 201 code points, contains U+0000, or is not a string', async () => {
      const { petId } = await makePet(store().client)
      for (const [reference, code] of [
        ['', 'too_short'],
        ['\u{1f98e}'.repeat(201), 'too_long'],
        ['a\0b', 'invalid_format'],
        [42, 'type_mismatch'],
      ] as const) {
        const body = JSON.stringify({ petId: Number(petId), reference })
        const reply = await store().send('POST', '/store/orders', { body })
        const { errors }: { errors: unknown } = JSON.parse(await reply.text())
        expect([reply.status, errors]).toMatchObject([422, [{ pointer: '/reference', code }]])
      }
    })

    test('the reference of an open order can be set, changed and removed, alone or with other members', async () => {
      const { client } = store()
      const { petId, orderId } = await makePet(client, { quantity: 5n, reserved: 1n })
      const bare = await client.getOrder({ orderId })
      const set = await client.updateOrder({ orderId, body: { reference: 'R-1' } })
      expect(set.data).toEqual({ ...bare.data, reference: 'R-1' })
      expect(set.etag).not.toBe(bare.etag)
      const kept = await client.updateOrder({ orderId, body: { quantity: 2n } })
      expect(kept.data).toEqual({ ...bare.data, quantity: 2n, reference: 'R-1' })
      const removed = await client.updateOrder({ orderId, body: { quantity: 1n, reference: null } })
      expect([removed.data, removed.etag]).toEqual([bare.data, bare.etag])
      const completed = await client.updateOrder({ orderId, body: { complete: true, reference: 'R-2' } })
      expect(completed.data).toMatchObject({ petId, complete: true, reference: 'R-2' })
    })

    test('the reference of an order is in every event of the order and in the audit log', async () => {
      const { client } = store()
      const after = await headOf(store())
      const { petId } = await makePet(client, { quantity: 5n })
      const { data: placed } = await client.placeOrder({ body: { petId, reference: 'R-1' } })
      const orderId = placed.id ?? 0n
      const { data: changed } = await client.updateOrder({ orderId, body: { reference: 'R-2' } })
      await client.cancelOrder({ orderId })
      await headOf(store())
      const expected = [
        { type: 'petstore.order.placed' as const, data: placed },
        { type: 'petstore.order.updated' as const, data: changed },
        { type: 'petstore.order.cancelled' as const, data: changed },
      ]
      const type = expected.map(one => one.type)
      const events = (await client.listEvents({ after, type, wait: 5 })).data.items
      expect(events.map(({ type, data }) => ({ type, data }))).toEqual(expected)
      const trail = (await client.listAudit({ subject: `orders/${orderId}` })).data.items
      expect(trail.map(({ type, data }) => ({ type, data }))).toEqual(expected.toReversed())
    })
  })

  describe('cancelling orders', () => {
    test('a cancellation releases the units and deletes the order', async () => {
      const { client } = store()
      const { petId, orderId } = await makePet(client, { quantity: 2n, reserved: 2n })
      expect((await client.cancelOrder({ orderId })).status).toBe(204)
      expect(await stockOf(client, petId)).toBe('available 2/0')
      expect(await codeOf(client.getOrder({ orderId }))).toBe('404 order_not_found')
      expect(await codeOf(client.cancelOrder({ orderId }))).toBe('404 order_not_found')
      expect(await codeOf(client.updateOrder({ orderId, body: { complete: true } }))).toBe(
        '404 order_not_found',
      )
    })
  })

  test('the ledger lists every movement of a pet, in order', async () => {
    const { client } = store()
    const { petId, orderId } = await makePet(client, { quantity: 4n, reserved: 2n })
    await client.updateOrder({ orderId, body: { complete: true } })
    const { data } = await client.listMovements({ petId })
    expect(
      data.items.map(({ reason, quantityChange, reservedChange, quantity, reserved }) =>
        [reason, quantityChange, reservedChange, quantity, reserved].join(' '),
      ),
    ).toEqual(['opening 1 0 1 0', 'count 3 0 4 0', 'order 0 2 4 2', 'completion -2 -2 2 0'])
    const newestFirst = await client.listMovements({ petId, sort: '-id', limit: 1 })
    expect(newestFirst.data.items[0]).toMatchObject({ reason: 'completion', orderId })
  })
})
