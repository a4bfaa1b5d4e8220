import { expect, spyOn, test } from 'bun:test'
import { createClient } from '../../src/client/client.ts'
import type { DeprecationNotice } from '../../src/client/deprecation.ts'
import { ApiError, ConnectionError } from '../../src/client/errors.ts'
import { errorOf, fakeServer, JSON_TYPE, PET, pageOf, refusal } from './fake-server.ts'

test('a response has exact integers, and keeps members that this version of the client does not know', async () => {
  using fake = fakeServer(() => new Response(PET, { headers: { ...JSON_TYPE, ETag: '"v1"' } }))
  const { data, etag } = await createClient(fake).getPet({ petId: 2n ** 63n - 1n })
  expect(data.id).toBe(9007199254740993n)
  expect(Reflect.get(data, 'owner')).toEqual({ id: 9223372036854775807n })
  expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
  expect(etag).toBe('"v1"')
  expect(fake.requests.map(({ url }) => url)).toEqual([`${fake.baseUrl}/pets/9223372036854775807`])
})

test('a response that is not JSON, or a redirect, is an error that says so', async () => {
  const cases: [respond: () => Response, text: string][] = [
    [() => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }), 'is not JSON'],
    [() => new Response(Buffer.from([0x22, 0xff, 0x22])), 'is not JSON'],
    [() => new Response('[1,'), 'is not JSON'],
    [() => Response.redirect('http://127.0.0.1:9/', 302), 'HTTP status 302'],
  ]
  for (const [respond, text] of cases) {
    using fake = fakeServer(respond)
    const error = await errorOf(createClient({ ...fake, retriesMax: 0 }).listKeys())
    expect(error).toBeInstanceOf(ConnectionError)
    expect(String(error)).toContain(text)
  }
})

test('a response that a store never sends is an error, and never an empty success', async () => {
  const wrong: (() => Response)[] = [
    () => new Response(''),
    () => new Response(null, { status: 204 }),
    () => new Response('null'),
    () => new Response('{}', { headers: { Link: '</pets>; rel="first"' } }),
    () => new Response('[]'),
    () => pageOf('[]', ', <http://[>; rel="next"'),
  ]
  for (const respond of wrong) {
    using fake = fakeServer(respond)
    const client = createClient({ ...fake, retriesMax: 0 })
    expect(await errorOf(client.listPets())).toBeInstanceOf(ConnectionError)
    expect(await errorOf(Array.fromAsync(client.listPets()))).toBeInstanceOf(ConnectionError)
  }
  for (const respond of [
    () => new Response(''),
    () => new Response(null, { status: 204 }),
    () => pageOf('[]'),
  ]) {
    using fake = fakeServer(respond)
    expect(await errorOf(createClient({ ...fake, retriesMax: 0 }).getOrder({ orderId: 1 }))).toBeInstanceOf(
      ConnectionError,
    )
  }
  for (const status of [200, 202, 304]) {
    using fake = fakeServer(() => new Response(status === 304 ? null : '<html>', { status }))
    expect(await errorOf(createClient({ ...fake, retriesMax: 0 }).revokeKey({ keyId: 1 }))).toBeInstanceOf(
      ConnectionError,
    )
  }
  const opaque = createClient({ baseUrl: 'http://x', retriesMax: 0, fetch: async () => Response.error() })
  expect(await errorOf(opaque.getOrder({ orderId: 1 }))).toBeInstanceOf(ConnectionError)
})

test('an empty response in place of the next page of a list is an error, not the end of the list', async () => {
  using fake = fakeServer((_, count) =>
    count === 1 ? pageOf('[{"id":1}]', ', <http://x/pets?cursor=a>; rel=next') : new Response(''),
  )
  const ids: bigint[] = []
  const reading = (async () => {
    for await (const { id } of createClient({ ...fake, retriesMax: 0 }).listPets()) ids.push(id)
  })()
  expect(await errorOf(reading)).toBeInstanceOf(ConnectionError)
  expect(ids).toEqual([1n])
})

test('a response that never ends is cut off', async () => {
  const chunk = new Uint8Array(4 * 1024 * 1024)
  using fake = fakeServer(
    () => new Response(new ReadableStream({ pull: controller => controller.enqueue(chunk) })),
  )
  const error = await errorOf(createClient({ ...fake, retriesMax: 0 }).listPets())
  expect(String(error)).toContain('more than 67108864 bytes')
})

test('a response is a success even if the hook for deprecations throws', async () => {
  const reported = spyOn(console, 'error').mockImplementation(() => {})
  using fake = fakeServer(() => new Response(PET, { headers: { Deprecation: '@0' } }))
  const client = createClient({
    ...fake,
    onDeprecation: () => {
      throw new Error('in the hook')
    },
  })
  expect((await client.getPet({ petId: 3 })).status).toBe(200)
  expect(String(reported.mock.calls)).toContain('in the hook')
  reported.mockRestore()
})

test('a response of a proxy with an error page is an ApiError with the code unknown', async () => {
  using fake = fakeServer(() => new Response('<h1>Bad Gateway</h1>', { status: 502 }))
  const error = await errorOf(createClient({ ...fake, retriesMax: 0 }).listPets())
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    status: 502,
    code: 'unknown',
    message: 'The server responded with HTTP status 502.',
  })
})

test('a refusal names each invalid field, also if there is only one', async () => {
  const errors = [{ in: 'body', path: '/name', code: 'required', message: 'name is required.' }]
  const body = JSON.stringify({ code: 'validation_failed', message: 'x', status: 422, errors })
  using fake = fakeServer(() => new Response(body, { status: 422, headers: JSON_TYPE }))
  const error = await errorOf(createClient(fake).createPet({ body: { name: '', categoryId: 1 } }))
  expect(error).toMatchObject({ code: 'validation_failed', errors })
})

test('a response of a deprecated operation is reported with its dates and its replacement', async () => {
  const link =
    '<http://x/pets?id=3>; rel="successor-version", <http://x/docs#p>; rel="deprecation"; type="text/html"'
  const headers = { Deprecation: '@1795132800', Sunset: 'Fri, 31 Dec 2027 23:59:59 GMT', Link: link }
  using fake = fakeServer((_, count) =>
    count === 1 ? new Response(PET, { headers }) : refusal(404, 'pet_not_found', headers),
  )
  const notices: DeprecationNotice[] = []
  const client = createClient({ ...fake, onDeprecation: notice => notices.push(notice) })
  await client.getPet({ petId: 3 })
  expect(await errorOf(client.getPet({ petId: 3 }))).toMatchObject({ code: 'pet_not_found' })
  expect(notices).toEqual(
    Array.from({ length: 2 }, () => ({
      operationId: 'getPet',
      deprecatedAt: new Date('2026-11-20T00:00:00Z'),
      sunsetAt: new Date('2027-12-31T23:59:59Z'),
      successor: 'http://x/pets?id=3',
      documentation: 'http://x/docs#p',
    })),
  )
})

test('an operation with only a Sunset header is reported as deprecated', async () => {
  const headers = { Sunset: 'Fri, 31 Dec 2027 23:59:59 GMT' }
  using fake = fakeServer(() => new Response(PET, { headers }))
  const notices: DeprecationNotice[] = []
  await createClient({ ...fake, onDeprecation: notice => notices.push(notice) }).getPet({ petId: 3 })
  expect(notices.map(({ deprecatedAt, sunsetAt }) => [deprecatedAt, sunsetAt?.toISOString()])).toEqual([
    [undefined, '2027-12-31T23:59:59.000Z'],
  ])
})

test('a link may have several relations', async () => {
  const link = '<http://x/pets>; rel="prev first", <http://x/pets?cursor=b>; rel="last next"'
  using fake = fakeServer(() => new Response('[]', { headers: { ...JSON_TYPE, Link: link } }))
  expect((await createClient(fake).listPets()).data.next).toBe('b')
})

test('a list that has not changed has no data, and iterating over it yields nothing', async () => {
  using fake = fakeServer(() => new Response(null, { status: 304, headers: { ETag: 'W/"v1"' } }))
  const unchanged = createClient(fake).listPets({}, { ifNoneMatch: 'W/"v1"' })
  expect(await unchanged).toMatchObject({ status: 304, data: undefined })
  expect(await Array.fromAsync(unchanged)).toEqual([])
})
