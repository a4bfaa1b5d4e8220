import { expect, test } from 'bun:test'
import { waitForPositions } from '../support/received-events.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { onEveryEngine } from '../support/store.ts'

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test('a response to HEAD has the headers of GET and no body', async () => {
    await makePet(store().client)
    for (const path of ['/pets', '/pets/1', '/categories/1', '/store/orders', '/errors', '/livez']) {
      const get = await store().send('GET', path)
      const head = await store().send('HEAD', path)
      const body = await get.text()
      expect([path, head.status, await head.text()]).toEqual([path, get.status, ''])
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(body)))
      for (const name of ['content-type', 'etag', 'link', 'cache-control']) {
        expect(head.headers.get(name)).toBe(get.headers.get(name))
      }
    }
  })

  test('a response to HEAD has the length of the body in bytes, whatever letters it contains', async () => {
    const { client } = store()
    const { data: category } = await client.createCategory({ body: { name: 'Vögel 🦜' } })
    const { data: pet } = await client.createPet({ body: { name: 'Zoë 日本', categoryId: category.id } })
    const { data: order } = await client.placeOrder({ body: { petId: pet.id, reference: 'für 🐕' } })
    // Otherwise the audit log may grow between two reads.
    await waitForPositions(store())
    for (const path of [
      '/pets',
      `/pets/${pet.id}`,
      '/categories',
      `/categories/${category.id}`,
      `/store/orders/${order.id}`,
      '/audit',
    ]) {
      // The first reads of a path, and those from a cache.
      for (let reads = 0; reads < 3; reads++) {
        const head = await store().send('HEAD', path)
        const body = await (await store().send('GET', path)).text()
        const length = Buffer.byteLength(body)
        expect([path, length > body.length]).toEqual([path, true])
        expect([path, head.headers.get('content-length')]).toEqual([path, String(length)])
      }
    }
  })

  test('a response to OPTIONS lists the methods that the path allows', async () => {
    const allow = async (path: string) => (await store().send('OPTIONS', path)).headers.get('allow')
    expect(await allow('/pets')).toBe('GET, HEAD, OPTIONS, POST')
    expect(await allow('/pets/1')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH')
    expect(await allow('/store/inventory/1')).toBe('GET, HEAD, OPTIONS, PUT')
  })

  test('every page and every kind of response says which caches may store it', async () => {
    const { petId } = await makePet(store().client)
    const expected: Record<string, readonly string[]> = {
      'no-cache': [
        '/',
        '/pets',
        `/pets/${petId}`,
        '/livez',
        '/readyz',
        '/categories',
        '/store/inventory',
        '/errors',
        '/llms.txt',
        '/docs',
      ],
      'private, no-cache': [
        '/store/orders',
        `/store/inventory/${petId}/movements`,
        '/keys',
        '/keys/current',
        '/audit',
        '/webhooks',
      ],
      'no-store': ['/console', '/metrics', '/pets/404', '/pets?page=1', '/nothing'],
    }
    for (const [value, paths] of Object.entries(expected)) {
      for (const path of paths) {
        const { headers } = await store().send('GET', path)
        expect([path, headers.get('cache-control')]).toEqual([path, value])
      }
    }
  })

  test('a response that refuses a request is an RFC 9457 problem for clients that accept problems', async () => {
    const headers = { Accept: 'application/json, application/problem+json' }
    const reply = await store().send('GET', '/pets/404', { headers })
    expect([reply.status, reply.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
    // A cache must keep both forms apart.
    const plain = await store().send('GET', '/pets/404')
    expect([reply.headers.get('vary'), plain.headers.get('vary')]).toEqual(['Accept', 'Accept'])
    expect(await reply.json()).toEqual({
      type: `${store().base}/errors/pet_not_found`,
      title: 'There is no pet with this id.',
      detail: 'Pet 404 does not exist.',
      instance: '/pets/404',
      code: 'pet_not_found',
      message: 'Pet 404 does not exist.',
      status: 404,
      subject: 'pets/404',
    })
  })

  test('a client that accepts problems but not JSON gets a problem for a refusal, JSON for a success', async () => {
    for (const accept of [
      'application/problem+json',
      'Application/Problem+JSON;q=0.5',
      'text/html, application/problem+json',
    ]) {
      const headers = { Accept: accept }
      const refused = await store().send('GET', '/pets/404', { headers })
      expect([refused.status, refused.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
      const fine = await store().send('GET', '/pets', { headers })
      expect([fine.status, fine.headers.get('content-type')]).toEqual([200, 'application/json'])
    }
    const headers = { Accept: 'application/problem+json;q=0' }
    expect((await store().send('GET', '/pets', { headers })).status).toBe(406)
  })

  test('OPTIONS, and a PATCH with a wrong Content-Type, get Accept-Patch if the path has PATCH', async () => {
    const types = 'application/merge-patch+json, application/json'
    expect((await store().send('OPTIONS', '/pets/1')).headers.get('accept-patch')).toBe(types)
    expect((await store().send('OPTIONS', '/pets')).headers.get('accept-patch')).toBeNull()
    const reply = await store().send('PATCH', '/pets/1', {
      body: 'x',
      headers: { 'Content-Type': 'text/plain' },
    })
    expect([reply.status, reply.headers.get('accept-patch')]).toEqual([415, types])
  })

  test('every response has the request id that was sent, or a new one if it is missing or invalid', async () => {
    const given = await store().send('GET', '/pets', { headers: { 'X-Request-Id': 'till.2-1_a' } })
    expect(given.headers.get('x-request-id')).toBe('till.2-1_a')
    const bad = await store().send('GET', '/pets', { headers: { 'X-Request-Id': 'a b' } })
    const other = await store().send('GET', '/pets')
    const ids = [bad, other].map(({ headers }) => headers.get('x-request-id'))
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{12}-\d+$/)
    expect(ids[0]).not.toBe(ids[1])
  })
})
