import { expect, test } from 'bun:test'
import { createClient } from '../../src/client/client.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { errorOf, fakeServer, PET, pageOf, refusal } from './fake-server.ts'

test('a request with input that cannot be sent is an error before anything is sent', async () => {
  using fake = fakeServer(() => new Response(PET))
  const client = createClient(fake)
  const inputs: unknown[] = [{}, { petId: '' }, { petId: 2 ** 53 }, { petId: 1.5 }, { petId: 1, id: 2 }]
  for (const input of inputs) {
    // @ts-expect-error the types refuse most of these too
    const error = await errorOf(client.getPet(input))
    expect(error instanceof TypeError || error instanceof RangeError).toBe(true)
  }
  const body = { name: 'Rex', categoryId: Number.NaN }
  expect(String(await errorOf(client.createPet({ body })))).toContain('body.categoryId is NaN')
  for (const idempotencyKey of ['', 'ä', 'a\nb', 'x'.repeat(256)]) {
    const call = client.createPet({ body: { name: 'Rex', categoryId: 1 } }, { idempotencyKey })
    expect(await errorOf(call)).toBeInstanceOf(RangeError)
  }
  expect(fake.requests).toHaveLength(0)
})

test('a request with input that would change its path, filter or body is an error, and nothing is sent', async () => {
  using fake = fakeServer(() => pageOf('[]'))
  const client = createClient(fake)
  for (const code of ['.', '..', '', '\ud800'])
    expect(await errorOf(client.getError({ code }))).toBeInstanceOf(TypeError)
  for (const id of [[], [undefined], [null], [{}]]) {
    // @ts-expect-error the types refuse most of these
    expect(await errorOf(client.listPets({ id }))).toBeInstanceOf(TypeError)
  }
  for (const body of [new Map([['name', 'x']]), { name: () => 'x' }, [undefined], new URL('http://x')]) {
    // @ts-expect-error the types refuse these
    expect(await errorOf(client.createPet({ body }))).toBeInstanceOf(TypeError)
  }
  // @ts-expect-error the types refuse it
  expect(await errorOf(client.listPets(null))).toBeInstanceOf(TypeError)
  expect(fake.requests).toHaveLength(0)
})

test('the headers of a call replace those of the client, whatever their case', async () => {
  using fake = fakeServer(() => new Response(PET))
  const headers = { authorization: 'Bearer other', 'IDEMPOTENCY-KEY': '"mine"' }
  await createClient({ ...fake, key: ADMIN_KEY }).createPet(
    { body: { name: 'Rex', categoryId: 1 } },
    { headers },
  )
  const [request] = fake.requests
  expect(request?.headers.get('authorization')).toBe('Bearer other')
  expect(request?.headers.get('idempotency-key')).toBe('"mine"')
})

test('a request has percent-encoded values, and repeats a parameter for each element', async () => {
  using fake = fakeServer(({ url }) => (url.includes('/pets') ? pageOf('[]') : new Response('{}')))
  const client = createClient({ baseUrl: `${fake.baseUrl}/` })
  await client.listPets({ id: [1, 2n], name: 'a&b=ü/', cursor: 'x+y' })
  await client.getError({ code: '../keys' })
  expect(fake.requests.map(({ url }) => url.slice(fake.baseUrl.length))).toEqual([
    '/pets?cursor=x%2By&id=1&id=2&name=a%26b%3D%C3%BC%2F',
    '/errors/..%2Fkeys',
  ])
})

test('a request of a command has its own idempotency key, which is the same in every attempt', async () => {
  using fake = fakeServer((_, count) => (count % 2 === 1 ? refusal(503, 'unknown') : new Response(PET)))
  const client = createClient({ ...fake, key: ADMIN_KEY })
  await client.createPet({ body: { name: 'Rex', categoryId: 1 } })
  await client.updatePet({ petId: 1, body: {} }, { idempotencyKey: 'mine "1"' })
  await client.getPet({ petId: 1 })
  const keys = fake.requests.map(({ headers }) => headers.get('idempotency-key'))
  expect(keys[0]).toMatch(/^"[0-9a-f-]{36}"$/)
  expect(keys.slice(1)).toEqual([keys[0] ?? '', '"mine \\"1\\""', '"mine \\"1\\""', null, null])
})

test('a request needs a base address that is an http or https URL without user, query or fragment', () => {
  const addresses = ['', 'localhost:8080', 'ftp://x', 'http://x/?a=1', 'http://x/#a', 'http://me:pw@x/']
  for (const baseUrl of addresses) {
    expect(() => createClient({ baseUrl })).toThrow(TypeError)
  }
})

test('an invalid time limit or number of retries is refused; an infinite time limit is accepted', async () => {
  using fake = fakeServer(() => pageOf('[]'))
  for (const timeoutMs of [0, -1, Number.NaN]) {
    expect(() => createClient({ ...fake, timeoutMs })).toThrow(RangeError)
    expect(await errorOf(createClient(fake).listPets({}, { timeoutMs }))).toBeInstanceOf(RangeError)
  }
  for (const retriesMax of [-1, 0.5, Number.NaN, Infinity]) {
    expect(await errorOf(createClient(fake).listPets({}, { retriesMax }))).toBeInstanceOf(RangeError)
  }
  expect(fake.requests).toHaveLength(0)
  expect((await createClient({ ...fake, timeoutMs: Infinity }).listPets()).status).toBe(200)
})
