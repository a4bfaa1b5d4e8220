import { describe, expect, test } from 'bun:test'
import type { Operation } from '../../src/contract/operation.ts'
import { Admission } from '../../src/http/limits/admission.ts'
import { contract, operationIds } from '../../src/shop/registry/operations.ts'
import { importCategories } from '../support/busy-shop.ts'
import { makeClient } from '../support/client.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { ADMIN_KEY, codeOf, onEveryEngine, openTestStore, refusalOf } from '../support/store.ts'

onEveryEngine(engine => {
  const store = sharedStore(engine)

  describe('conditions', () => {
    test('a read with the current ETag in If-None-Match gets 304, with the headers of the 200', async () => {
      const { petId } = await makePet(store().client)
      const full = await store().send('GET', `/pets/${petId}`)
      const etag = full.headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[\w-]{22}"$/)
      for (const field of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
        const again = await store().send('GET', `/pets/${petId}`, { headers: { 'If-None-Match': field } })
        expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
        for (const name of ['cache-control', 'deprecation', 'sunset', 'link']) {
          expect(again.headers.get(name)).toBe(full.headers.get(name))
        }
      }
      const other = await store().send('GET', `/pets/${petId}`, { headers: { 'If-None-Match': '"other"' } })
      expect(other.status).toBe(200)
    })

    test('a write with another ETag in If-Match gets 412 and the current ETag', async () => {
      const { client } = store()
      const { petId } = await makePet(client)
      const { etag = '' } = await client.getPet({ petId })
      for (const ifMatch of ['"other"', 'W/"other"', ',']) {
        const refused = await refusalOf(client.updatePet({ petId, body: { name: 'New' } }, { ifMatch }))
        expect([refused.status, refused.code, refused.headers.get('etag')]).toEqual([
          412,
          'precondition_failed',
          etag,
        ])
      }
      expect(await codeOf(client.deletePet({ petId }, { ifMatch: '"other"' }))).toBe(
        '412 precondition_failed',
      )
      const changed = await client.updatePet(
        { petId, body: { name: 'New' } },
        { ifMatch: `"other", ${etag}` },
      )
      expect(changed.status).toBe(200)
      const stale = client.updatePet({ petId, body: { name: 'Newer' } }, { ifMatch: etag })
      expect(await codeOf(stale)).toBe('412 precondition_failed')
      expect((await client.updatePet({ petId, body: { name: 'Newest' } }, { ifMatch: '*' })).status).toBe(200)
    })

    test('a read with If-Match gets 412 if the ETag differs, for GET and HEAD', async () => {
      const { client } = store()
      const { petId } = await makePet(client)
      const path = `/pets/${petId}`
      const { etag = '' } = await client.getPet({ petId })
      for (const method of ['GET', 'HEAD']) {
        const read = (field: string) => store().send(method, path, { headers: { 'If-Match': field } })
        for (const field of [etag, `W/${etag}`, `"other",, ${etag}`, '*', ` ,${etag}, `]) {
          expect([field, (await read(field)).status]).toEqual([field, 200])
        }
        for (const field of ['"other"', 'W/"other"', ',', '']) {
          const refused = await read(field)
          expect([field, refused.status, refused.headers.get('etag')]).toEqual([field, 412, etag])
        }
        for (const field of ['other', '"a" "b"', `${etag}, other`]) {
          expect([field, (await read(field)).status]).toEqual([field, 400])
        }
      }
    })

    test('If-Match accepts the weak form of the tag of one resource, as a compressing proxy makes it', async () => {
      const { petId, categoryId, orderId } = await makePet(store().client, { quantity: 3n, reserved: 1n })
      for (const [method, path, body] of [
        ['PATCH', `/pets/${petId}`, '{"name":"Weak"}'],
        ['PATCH', `/categories/${categoryId}`, '{"name":"Weak"}'],
        ['PATCH', `/store/orders/${orderId}`, '{"quantity":2}'],
        ['PUT', `/store/inventory/${petId}`, '{"quantity":2}'],
      ] as const) {
        const etag = (await store().send('GET', path)).headers.get('etag') ?? ''
        const write = (ifMatch: string) =>
          store().send(method, path, { body, headers: { 'If-Match': ifMatch } })
        expect([path, (await write(`W/${etag}`)).status]).toEqual([path, 200])
        // The change has replaced the tag.
        expect([path, (await write(`W/${etag}`)).status]).toEqual([path, 412])
      }
    })

    test('an ETag that a proxy made weak is sent by the client without W/', async () => {
      const { client } = store()
      const { petId } = await makePet(client)
      const { etag = '' } = await client.listPets({ id: [petId] })
      const sent: (string | null)[] = []
      const watching = makeClient({
        base: store().base,
        key: ADMIN_KEY,
        fetch: (url, init) => {
          sent.push(new Headers(init.headers).get('if-match'))
          return fetch(url, init)
        },
      })
      await watching.updatePet({ petId, body: { name: 'Weakened' } }, { ifMatch: `W/${etag}` })
      expect(sent).toEqual([etag])
    })

    test('an empty If-None-Match is no condition', async () => {
      const { petId } = await makePet(store().client)
      for (const field of ['', ',', ' , ,']) {
        const headers = { 'If-None-Match': field }
        const read = await store().send('GET', `/pets/${petId}`, { headers })
        const write = await store().send('PATCH', `/pets/${petId}`, { headers, body: '{"name":"New"}' })
        const created = await store().send('POST', '/store/orders', { headers, body: `{"petId":${petId}}` })
        expect([field, read.status, write.status]).toEqual([field, 200, 200])
        expect([field, [201, 409].includes(created.status)]).toEqual([field, true])
      }
    })

    test('a POST with a condition is refused and has no effect', async () => {
      const { petId } = await makePet(store().client)
      for (const [path, body] of [
        ['/categories', '{"name":"Conditional"}'],
        [`/store/inventory/${petId}/adjustments`, '{"quantityChange":1}'],
        ['/store/orders', `{"petId":${petId}}`],
      ] as const) {
        for (const name of ['If-Match', 'If-None-Match']) {
          const reply = await store().send('POST', path, { body, headers: { [name]: '*' } })
          expect([path, name, reply.status]).toEqual([path, name, 400])
        }
      }
      expect((await store().client.getInventoryItem({ petId })).data).toMatchObject({
        quantity: 1n,
        reserved: 0n,
      })
      expect((await store().client.listCategories({ name: 'Conditional' })).data.items).toEqual([])
    })

    test('the response to a PUT whose body the store transforms has no ETag', async () => {
      const { client } = store()
      const { petId } = await makePet(client)
      expect((await client.setInventory({ petId, body: { quantity: 3n } })).etag).toBeUndefined()
    })

    test('a write to an order or stock gets 412 if its condition fails, but 404 if the target is absent', async () => {
      const { client } = store()
      const { petId, orderId } = await makePet(client, { quantity: 3n, reserved: 1n })
      const ifMatch = '"other"'
      expect(await codeOf(client.updateOrder({ orderId, body: { quantity: 2n } }, { ifMatch }))).toBe(
        '412 precondition_failed',
      )
      expect(await codeOf(client.cancelOrder({ orderId }, { ifMatch }))).toBe('412 precondition_failed')
      expect(await codeOf(client.setInventory({ petId, body: { quantity: 0n } }, { ifMatch }))).toBe(
        '412 precondition_failed',
      )
      expect(await codeOf(client.deleteCategory({ categoryId: 404n }, { ifMatch }))).toBe(
        '404 category_not_found',
      )
      const { etag = '' } = await client.getInventoryItem({ petId })
      expect((await client.setInventory({ petId, body: { quantity: 4n } }, { ifMatch: etag })).status).toBe(
        200,
      )
    })

    test('a list filtered to one pet has the ETag of that pet; other pages have a weak ETag', async () => {
      const { client } = store()
      const { petId } = await makePet(client)
      const one = await client.listPets({ id: [petId] })
      expect(one.etag).toBe((await client.getPet({ petId })).etag)
      expect(
        (await client.updatePet({ petId, body: { name: 'X' } }, { ifMatch: one.etag ?? '' })).status,
      ).toBe(200)
      const page = await client.listPets({ limit: 2 })
      expect(page.etag).toMatch(/^W\/"/)
      expect((await client.listPets({ limit: 2 }, { ifNoneMatch: page.etag ?? '' })).status).toBe(304)
    })

    test('a read of a list with If-Match gets 412 for its own weak ETag, for GET and HEAD', async () => {
      const { petId } = await makePet(store().client, { quantity: 3n, reserved: 1n })
      const paths = [
        ...['/pets', '/categories', '/store/inventory', '/store/orders', '/keys'],
        ...[`/store/inventory/${petId}/movements`, `/pets?id=${petId}&include=stock`],
      ]
      for (const path of paths) {
        for (const method of ['GET', 'HEAD']) {
          const read = (field: string) => store().send(method, path, { headers: { 'If-Match': field } })
          const etag = (await store().send(method, path)).headers.get('etag') ?? ''
          expect([path, etag]).toEqual([path, expect.stringMatching(/^W\/"/)])
          const statuses = [
            (await read(etag)).status,
            (await read(etag.slice(2))).status,
            (await read('*')).status,
          ]
          expect([path, method, ...statuses]).toEqual([path, method, 412, 412, 200])
        }
      }
    })

    test('a list of one or more pets with include=stock has a weak ETag that changes with the stock', async () => {
      const { client } = store()
      const { petId } = await makePet(client, { quantity: 5n })
      const bare = await client.listPets({ id: [petId] })
      const stocked = await client.listPets({ id: [petId], include: 'stock' })
      expect(stocked.etag).toMatch(/^W\/"/)
      expect(stocked.etag).not.toContain(bare.etag ?? '')
      const ifMatch = stocked.etag ?? ''
      const write = client.updatePet({ petId, body: { name: 'X' } }, { ifMatch })
      expect(await codeOf(write)).toBe('412 precondition_failed')
      const ifNoneMatch = stocked.etag ?? ''
      const again = () => client.listPets({ id: [petId], include: 'stock' }, { ifNoneMatch })
      expect((await again()).status).toBe(304)
      await client.placeOrder({ body: { petId } })
      expect((await again()).data.items[0]).toMatchObject({ quantity: 5n, reserved: 1n })
      expect((await client.listPets({ id: [petId] })).etag).toBe(bare.etag)
    })

    test('an order that does not change the status of a pet does not change the ETag of the pet', async () => {
      const { client } = store()
      const { petId } = await makePet(client, { quantity: 5n })
      const before = await client.getPet({ petId })
      await client.placeOrder({ body: { petId } })
      expect((await client.getPet({ petId })).etag).toBe(before.etag)
    })
  })
})

test('every described operation with PUT, PATCH or DELETE declares that it evaluates conditions', () => {
  const unconditional = operationIds.filter(id => {
    const operation: Operation = contract[id]
    return !['GET', 'POST'].includes(operation.method) && !operation.hidden && !operation.resourceHasEtag
  })
  expect(unconditional).toEqual([])
})

test('a refusal that the client throws has the headers of the response', async () => {
  await using store = await openTestStore('sqlite')
  const stranger = makeClient({ base: store.base })
  const refused = await refusalOf(stranger.placeOrder({ body: { petId: 1n } }))
  expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="petstore"')
})

onEveryEngine(engine => {
  test('an import has no ETag, so its deletion with a condition is refused and has no effect', async () => {
    await using store = await openTestStore(engine)
    const importId = 7n
    const body = { categories: [{ line: 1n, name: 'Dogs' }], pets: [] }
    await store.client.stageImport({ importId, body })
    const refused = await store.send('DELETE', '/imports/7', { headers: { 'If-Match': '"v1"' } })
    expect(refused.status).toBe(412)
    const { data } = await store.client.loadImportSlice({ importId, body: { begins: true, rows: 500n } })
    expect(data.categoriesCreated).toBe(1n)
  })

  test('a change with a long reply is confirmed, also while too many large responses are sent', async () => {
    const admission = new Admission()
    await using store = await openTestStore(engine, { admission })
    await importCategories(store.client, 200, '', '🐹'.repeat(150))
    await store.database('UPDATE category SET version = version + 1')
    for (let caller = 0; admission.largeBodies.take(String(caller)); caller++);
    const body = { rows: 500n, dryRun: false }
    const { data } = await store.client.takeBackImport({ importId: 77n, body })
    expect(data.kept.map(({ name }) => Buffer.byteLength(name)).reduce((a, b) => a + b)).toBeGreaterThan(
      65_536,
    )
  })
})
