import { describe, expect, test } from 'bun:test'
import { ErrorBody, errorTable } from '../../src/contract/error.ts'
import { bindPort, startServer } from '../../src/serving/server.ts'
import { Scope } from '../../src/shop/keys/schema.ts'
import { parseJson } from '../../src/values/json.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { codeOf, onEveryEngine, openTestStore, SECRET_KEY } from '../support/store.ts'
import { until } from '../support/until.ts'

onEveryEngine(engine => {
  const store = sharedStore(engine)

  describe('responses', () => {
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

    test('every response says which caches may store it', async () => {
      const { client } = store()
      const cacheControlOf = async (call: Promise<{ headers: Headers }>) =>
        (await call).headers.get('cache-control')
      expect(await cacheControlOf(client.listPets({}))).toBe('no-cache')
      expect(await cacheControlOf(client.listOrders({}))).toBe('private, no-cache')
      expect((await store().send('GET', '/pets/404')).headers.get('cache-control')).toBe('no-store')
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
        expect([refused.status, refused.headers.get('content-type')]).toEqual([
          404,
          'application/problem+json',
        ])
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

  describe('validation', () => {
    test('validation names every invalid member of a body, up to one hundred', async () => {
      const body = JSON.stringify({ name: '', categoryId: '1', status: 'lost', colour: 'red' })
      const reply = await store().send('POST', '/pets', { body })
      expect(reply.status).toBe(422)
      expect(await reply.json()).toMatchObject({
        code: 'validation_failed',
        errors: [
          { in: 'body', pointer: '/name', code: 'too_short' },
          { in: 'body', pointer: '/categoryId', code: 'type_mismatch' },
          { in: 'body', pointer: '/status', code: 'not_in_enum' },
          { in: 'body', pointer: '/colour', code: 'unknown_field' },
        ],
      })
      const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`m${index}`, 1]))
      const long = await store().send('POST', '/categories', { body: JSON.stringify({ name: 'x', ...many }) })
      expect((await long.text()).match(/unknown_field/g)).toHaveLength(100)
    })

    test('for an unknown member, a likely name is suggested, unless the body already has it', async () => {
      const message = async (path: string, body: unknown): Promise<unknown> => {
        const reply = await store().send('POST', path, { body: JSON.stringify(body) })
        return ErrorBody.parse(parseJson(await reply.text())).message
      }
      expect(await message('/store/inventory/1/adjustments', { change: 4 })).toBe(
        'quantityChange is required; change is not a member of this object (did you mean quantityChange?).',
      )
      expect(await message('/store/orders', { petId: 1, pet_id: 1, shipdate: null })).toBe(
        'pet_id is not a member of this object; shipdate is not a member of this object (did you mean shipDate?).',
      )
    })

    test('validation names the innermost member of a body, with its place in a list', async () => {
      const message = async (path: string, body: unknown): Promise<unknown> => {
        const reply = await store().send('POST', path, { body: JSON.stringify(body) })
        return ErrorBody.parse(parseJson(await reply.text())).message
      }
      const pets = [
        { name: 'Rex', category: 'Dogs' },
        { name: 'Rex', category: 7 },
      ]
      expect(await message('/imports/1/pets', { pets })).toBe('category must be a string.')
      const scopes = ['pets:write', 'x']
      expect(await message('/keys', { name: 'till', scopes })).toStartWith('scopes[1] must be one of ')
    })

    test('validation describes at most three invalid members in its message, and counts the others', async () => {
      const message = async (path: string, body: unknown): Promise<unknown> => {
        const reply = await store().send('POST', path, { body: JSON.stringify(body) })
        return ErrorBody.parse(parseJson(await reply.text())).message
      }
      const scopes = Scope.options.join(', ')
      expect(await message('/keys', { name: 'x', scopes: ['pets:wirte'] })).toBe(
        `scopes[0] must be one of ${scopes}, not "pets:wirte".`,
      )
      expect(await message('/store/orders', { quantity: 0 })).toBe(
        'petId is required; quantity must be at least 1.',
      )
      expect(await message('/pets', { a: 1, b: 2, c: 3 })).toBe(
        'name is required; categoryId is required; a is not a member of this object; and 2 more.',
      )
    })

    test('for an unknown query parameter, a likely name is suggested', async () => {
      const reply = await store().send('GET', '/pets?categoryid=1')
      expect(reply.status).toBe(400)
      expect(await reply.json()).toMatchObject({
        code: 'unknown_parameter',
        message: 'The operation has no query parameter "categoryid" (did you mean categoryId?).',
      })
    })

    test('validation names every invalid parameter', async () => {
      const reply = await store().send('GET', '/pets?limit=0&colour=red&status=lost&id=x')
      expect(reply.status).toBe(400)
      const named = [...(await reply.text()).matchAll(/"name":"(\w+)"/g)].map(match => match[1])
      expect(named).toEqual(['limit', 'colour', 'status', 'id'])
    })

    test('a merge patch is validated by its result, so null for a required member is refused', async () => {
      const { petId } = await makePet(store().client)
      for (const body of ['{"name":null}', '{"status":null}', '{"categoryId":null}']) {
        const reply = await store().send('PATCH', `/pets/${petId}`, { body })
        expect([body, reply.status]).toEqual([body, 422])
      }
      const { client } = store()
      const { data } = await client.createCategory({ body: { name: 'C', description: 'D' } })
      const bare = await client.updateCategory({ categoryId: data.id, body: { description: null } })
      expect(bare.data).toEqual({ id: data.id, name: 'C' })
      const merge = { headers: { 'Content-Type': 'application/merge-patch+json' }, body: '{"name":"M"}' }
      expect((await store().send('PATCH', `/categories/${data.id}`, merge)).status).toBe(200)
    })
  })

  test('the error catalogue lists every code, and each code can be read', async () => {
    const { data } = await store().anonymous.listErrors({})
    expect(data.items.map(({ code }) => code)).toEqual(Object.keys(errorTable))
    for (const item of data.items) {
      expect((await store().anonymous.getError({ code: item.code })).data).toEqual(item)
    }
    const entry = await store().anonymous.getError({ code: 'insufficient_stock' })
    expect(entry.data).toEqual({ ...errorTable.insufficient_stock, code: 'insufficient_stock', status: 409n })
    expect(await codeOf(store().anonymous.getError({ code: 'nonsense' }))).toBe('404 error_not_found')
  })

  test('the probes respond with 200, and the metrics count requests by operation', async () => {
    await using counted = await openTestStore(engine)
    for (const path of ['/livez', '/readyz']) expect((await counted.send('GET', path)).status).toBe(200)
    await counted.send('GET', '/pets/404')
    await counted.send('GET', '/pets/404')
    await counted.send('GET', '/pets')
    const webhook = await counted.client.createWebhook({ body: { url: 'http://127.0.0.1:9/' } })
    const webhookId = webhook.data.id
    await counted.client.sendTestEvent({ webhookId })
    const metrics = async (): Promise<string> => (await fetch(`${counted.base}/metrics`)).text()
    // An attempt is counted after its outcome is stored, so a client can see the delivery before the count.
    await until('the attempt is counted', async () =>
      (await metrics()).includes('petstore_webhook_attempts_total{'),
    )
    const listening = await counted.send('GET', '/events/stream')
    const text = await metrics()
    await listening.body?.cancel()
    for (const line of [
      'petstore_requests_total{operation_id="getPet",status="404"} 2',
      'petstore_requests_total{operation_id="listPets",status="200"} 1',
      'petstore_deprecated_requests_total{operation_id="getPet"} 2',
      'petstore_webhook_attempts_total{state="pending"} 1',
      'petstore_event_streams 1',
      'petstore_request_duration_seconds_count{operation_id="getPet"} 2',
      'petstore_request_duration_seconds_bucket{operation_id="getPet",le="+Inf"} 2',
      '# TYPE petstore_request_duration_seconds histogram',
    ]) {
      expect(text).toContain(line)
    }
  })

  test('a store whose database does not respond in time is live but not ready', async () => {
    await using stuck = await openTestStore(engine)
    const { ping } = stuck.engine
    Reflect.set(stuck.engine, 'ping', () => new Promise(() => {}))
    const startedMs = performance.now()
    expect((await fetch(`${stuck.base}/readyz`)).status).toBe(503)
    expect(performance.now() - startedMs).toBeGreaterThan(1000)
    expect((await fetch(`${stuck.base}/livez`)).status).toBe(200)
    Reflect.set(stuck.engine, 'ping', ping)
  })

  test('a store is not ready while its database fails, and is ready again afterwards', async () => {
    let isFailing = false
    await using store = await openTestStore(engine, {
      wrapEngine: wrapped => ({
        ...wrapped,
        ping: () => (isFailing ? Promise.reject(new Error('the database is not available')) : wrapped.ping()),
      }),
    })
    const probe = async () => (await fetch(`${store.base}/readyz`)).status
    expect(await probe()).toBe(200)
    isFailing = true
    expect(await probe()).toBe(503)
    isFailing = false
    expect(await probe()).toBe(200)
  })

  test('a store whose database is unavailable is live but not ready', async () => {
    await using broken = await openTestStore(engine)
    await broken.engine.close()
    expect((await broken.send('GET', '/livez')).status).toBe(200)
    const ready = await fetch(`${broken.base}/readyz`)
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '5'])
  })
})

describe('pages of other origins', () => {
  const ask = (base: string, origin: string) => fetch(`${base}/pets`, { headers: { Origin: origin } })

  test('pages of other origins may call the store if their origin is configured, and not otherwise', async () => {
    await using store = await openTestStore('sqlite', { corsOrigins: ['https://shop.example'] })
    const allowed = await ask(store.base, 'https://shop.example')
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://shop.example')
    expect(allowed.headers.get('access-control-expose-headers')).toContain('ETag')
    const other = await ask(store.base, 'https://other.example')
    expect([other.headers.get('access-control-allow-origin'), other.headers.get('vary')]).toEqual([
      null,
      'Origin',
    ])
    const preflight = await fetch(`${store.base}/pets/1`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://shop.example',
        'Access-Control-Request-Method': 'PATCH',
        'Access-Control-Request-Headers': 'authorization, content-type',
      },
    })
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization, content-type')
    // Only a preflight gets the fields that permit methods and headers (Fetch standard, section 3.3).
    const headers = { Origin: 'https://shop.example' }
    for (const method of ['GET', 'OPTIONS']) {
      const plain = await fetch(`${store.base}/pets/1`, { method, headers })
      expect(plain.headers.get('access-control-allow-methods')).toBeNull()
    }
  })

  test('pages of other origins may not call the store by default', async () => {
    await using store = await openTestStore('sqlite')
    const reply = await ask(store.base, 'https://shop.example')
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('the metrics require an admin key for a request through a proxy on the same machine', async () => {
  await using store = await openTestStore('sqlite')
  expect((await fetch(`${store.base}/metrics`)).status).toBe(200)
  for (const name of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via']) {
    const reply = await fetch(`${store.base}/metrics`, { headers: { [name]: '127.0.0.1' } })
    expect([name, reply.status]).toEqual([name, 401])
  }
})

test('the metrics require an admin key for a request from another machine', async () => {
  await using store = await openTestStore('sqlite', { trustedProxies: ['127.0.0.1'] })
  const from = { 'X-Forwarded-For': '203.0.113.9' }
  expect((await fetch(`${store.base}/metrics`, { headers: from })).status).toBe(401)
  const clerk = await store.client.createKey({ body: { name: 'c', scopes: ['pets:write'] } })
  const key = { Authorization: `Bearer ${clerk.data.key}` }
  expect((await fetch(`${store.base}/metrics`, { headers: { ...from, ...key } })).status).toBe(403)
  expect((await store.send('GET', '/metrics', { headers: from })).status).toBe(200)
})

test('a string in place of an array is refused only for its type', async () => {
  await using store = await openTestStore('sqlite')
  const reply = await store.send('POST', '/keys', { body: '{"name":"x","scopes":"orders:write"}' })
  const { message, errors } = ErrorBody.parse(parseJson(await reply.text()))
  expect([message, errors?.map(({ code }) => code)]).toEqual(['scopes must be an array.', ['type_mismatch']])
})

test('a message about a minimum of 1 says 1 character or 1 element, in the singular', async () => {
  await using store = await openTestStore('sqlite')
  const tooFew = await store.send('POST', '/keys', { body: '{"name":"","scopes":[]}' })
  expect(ErrorBody.parse(parseJson(await tooFew.text())).message).toBe(
    'name must have at least 1 character; scopes must have at least 1 element.',
  )
})

test('a port that is bound before its store is open responds with 503 and Retry-After', async () => {
  const port = bindPort({ host: '127.0.0.1', port: 0 })
  const reply = await fetch(`http://127.0.0.1:${port.port}/pets`)
  expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await reply.json()).toMatchObject({ code: 'overloaded', status: 503 })
  await port.stop(true)
})

test('a store on 127.0.0.1 looks up the peer of a request only with trusted proxies, and for the metrics', async () => {
  const counts = async (trustedProxies: readonly string[]): Promise<number[]> => {
    const listener = bindPort({ host: '127.0.0.1', port: 0 })
    const requestIP = listener.requestIP.bind(listener)
    let lookups = 0
    listener.requestIP = request => {
      lookups++
      return requestIP(request)
    }
    await using store = await openTestStore('sqlite', { listener, trustedProxies, cache: 'on' })
    await makePet(store.client)
    const lookupsOf = async (path: string): Promise<number> => {
      lookups = 0
      for (let read = 0; read < 3; read++) expect((await fetch(store.base + path)).status).toBe(200)
      return lookups
    }
    return [await lookupsOf('/pets/1'), await lookupsOf('/metrics')]
  }
  expect(await counts([])).toEqual([0, 3])
  expect(await counts(['192.0.2.1'])).toEqual([3, 6])
})

test('a server that drains is not ready, but responds to all other requests', async () => {
  await using store = await openTestStore('sqlite')
  const server = startServer({
    host: '127.0.0.1',
    port: 0,
    stability: 'experimental',
    rateLimit: 'off',
    corsOrigins: [],
    trustedProxies: [],
    secretKey: SECRET_KEY,
    allowPrivateWebhooks: false,
    eventRetention: 'forever',
    log: { access: () => {}, info: () => {}, error: () => {} },
    clock: Date.now,
    lifecycleClock: Date.now,
    cache: 'off',
    engine: store.engine,
  })
  const statusOf = async (path: string) => (await fetch(server.base + path)).status
  expect([await statusOf('/readyz'), await statusOf('/pets')]).toEqual([200, 200])
  server.drain()
  expect([await statusOf('/readyz'), await statusOf('/pets'), await statusOf('/livez')]).toEqual([
    503, 200, 200,
  ])
  await server.stop()
})

test('a long poll and a stream may be silent for longer than the idle limit of a connection', async () => {
  const listener = bindPort({ host: '127.0.0.1', port: 0 })
  const unlimited: string[] = []
  listener.timeout = (request, seconds) => {
    if (seconds === 0) unlimited.push(new URL(request.url).pathname)
  }
  await using store = await openTestStore('sqlite', { listener })
  for (const path of ['/pets', '/events', '/audit']) expect((await store.send('GET', path)).status).toBe(200)
  expect((await store.send('HEAD', '/events/stream')).status).toBe(200)
  expect(unlimited).toEqual(['/events', '/events/stream'])
})
