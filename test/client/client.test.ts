import { describe, expect, spyOn, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { Webhook } from 'standardwebhooks'
import { createClient } from '../../src/client/client.ts'
import type { DeprecationNotice } from '../../src/client/deprecation.ts'
import { ApiError, ConnectionError, TimeoutError } from '../../src/client/errors.ts'
import { readEventStream } from '../../src/client/event-stream.ts'
import type { Fetch } from '../../src/client/request.ts'
import type { Retry } from '../../src/client/send.ts'
import { verifyWebhook, WebhookVerificationError } from '../../src/client/webhook.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const PET =
  '{"id":9007199254740993,"name":"Rex","categoryId":1,"status":"sold","owner":{"id":9223372036854775807}}'

interface FakeServer extends Disposable {
  readonly baseUrl: string
  readonly requests: { readonly method: string; readonly url: string; readonly headers: Headers }[]
}

/** Returns a server whose responses come from `respond`. The argument `count` is 1 for the first request. */
function fakeServer(respond: (request: Request, count: number) => Response | Promise<Response>): FakeServer {
  const requests: FakeServer['requests'] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    development: false,
    fetch: request => {
      requests.push({ method: request.method, url: request.url, headers: new Headers(request.headers) })
      return respond(request, requests.length)
    },
  })
  return {
    baseUrl: `http://127.0.0.1:${server.port}`,
    requests,
    [Symbol.dispose]: () => void server.stop(true),
  }
}

/** Returns a page of a list. Like every page, it has the link to the first page. */
function pageOf(items: string, links = ''): Response {
  const link = `<http://x/pets>; rel="first"${links}`
  return new Response(items, { headers: { ...JSON_TYPE, Link: link } })
}

function refusal(status: number, code: string, headers: Record<string, string> = {}): Response {
  const body = JSON.stringify({ code, message: `It is ${code}.`, status })
  return new Response(body, { status, headers: { ...JSON_TYPE, ...headers } })
}

const HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nLink: </pets>; rel=first\r\nConnection: close\r\n'

/** Returns a server that closes the connection in the middle of each of its first `times` responses. */
function cuttingServer(
  times: number,
  text: string,
): Disposable & { readonly baseUrl: string; count(): number } {
  let count = 0
  const server = Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      data: socket => {
        const length = count++ < times ? 5000 : text.length
        socket.end(`${HEAD}Content-Length: ${length}\r\n\r\n${text}`)
      },
    },
  })
  return {
    baseUrl: `http://127.0.0.1:${server.port}`,
    count: () => count,
    [Symbol.dispose]: () => server.stop(true),
  }
}

async function errorOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    return `it resolved: ${await call}`
  } catch (error) {
    return error
  }
}

describe('responses', () => {
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
})

describe('headers of responses', () => {
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
})

describe('requests', () => {
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
})

describe('options', () => {
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
})

describe('lists', () => {
  test('a list is also a promise, with then, catch and finally', async () => {
    using fake = fakeServer(() => refusal(401, 'invalid_token'))
    const codes: string[] = []
    const list = createClient(fake).listKeys()
    await list.catch(error => codes.push(error.code)).finally(() => codes.push('finally'))
    expect(codes).toEqual(['invalid_token', 'finally'])
  })

  test('a list continues after a page without items if another page follows', async () => {
    const next = (cursor: string): string => `, <http://x/pets?cursor=${cursor}>; rel=next`
    using fake = fakeServer((_, count) =>
      count === 1
        ? pageOf('[{"id":1}]', next('a'))
        : count === 2
          ? pageOf('[]', next('b'))
          : pageOf('[{"id":2}]'),
    )
    const pets = await Array.fromAsync(createClient(fake).listPets())
    expect(pets.map(({ id }) => id)).toEqual([1n, 2n])
  })
})

describe('failures', () => {
  test('a call that waits for events has this time in addition to its time limit', async () => {
    using fake = fakeServer(() => Bun.sleep(150).then(() => pageOf('[]')))
    const client = createClient({ ...fake, timeoutMs: 50, retriesMax: 0 })
    expect((await client.listEvents({ after: '0', wait: 30 })).status).toBe(200)
    expect(await errorOf(client.listEvents({ after: '0' }))).toBeInstanceOf(TimeoutError)
  })

  test('a program ends right after its last call, without waiting for the time limit of the call', async () => {
    using fake = fakeServer(() => pageOf('[]'))
    const client = new URL('../../src/client/client.ts', import.meta.url).pathname
    const program = `import { createClient } from '${client}'
      await createClient({ baseUrl: '${fake.baseUrl}' }).listPets()`
    const child = Bun.spawn([process.execPath, '-e', program], { stdin: 'ignore', timeout: 15_000 })
    expect([await child.exited, fake.requests.length]).toEqual([0, 1])
  }, 30_000)

  test('a signal that is used for many calls keeps no trace of the calls that have ended', async () => {
    using fake = fakeServer((_, count) => (count % 2 === 1 ? refusal(503, 'overloaded') : pageOf('[]')))
    const { signal } = new AbortController()
    for (const _ of [1, 2]) await createClient(fake).listPets({}, { signal })
    expect(fake.requests).toHaveLength(4)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('a failed connection is retried, and reported once the retries are used up', async () => {
    const retries: Retry[] = []
    using fake = cuttingServer(2, '[]')
    const client = createClient({ baseUrl: fake.baseUrl, onRetry: retry => retries.push(retry) })
    expect((await client.listPets()).data.items).toEqual([])
    expect(retries.map(({ number, error }) => [number, error.name])).toEqual([
      [1, 'ConnectionError'],
      [2, 'ConnectionError'],
    ])
    const none = createClient({ baseUrl: 'http://127.0.0.1:1', retriesMax: 1 })
    expect(await errorOf(none.listPets())).toBeInstanceOf(ConnectionError)
  })

  test('a failure is not retried if the command may have run and has no idempotency key', async () => {
    using fake = cuttingServer(1, '{}')
    expect(await errorOf(createClient(fake).createKey({ body: { name: 'x', scopes: [] } }))).toBeInstanceOf(
      ConnectionError,
    )
    expect(fake.count()).toBe(1)
  })

  test('a failure with Retry-After is not retried before that time', async () => {
    using fake = fakeServer((_, count) =>
      count === 1 ? refusal(429, 'rate_limited', { 'Retry-After': '1' }) : new Response('{}'),
    )
    const startedMs = performance.now()
    await createClient(fake).createKey({ body: { name: 'x', scopes: [] } })
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990)
  })

  test('a call whose complete response does not arrive in time fails with a TimeoutError', async () => {
    for (const respond of [
      () => Bun.sleep(20_000).then(() => pageOf('[]')),
      () => new Response(new ReadableStream({ start: controller => controller.enqueue(Buffer.from('[')) })),
    ]) {
      using fake = fakeServer(respond)
      const startedMs = performance.now()
      const error = await errorOf(createClient({ ...fake, timeoutMs: 100, retriesMax: 1 }).listPets())
      expect(error).toBeInstanceOf(TimeoutError)
      expect(performance.now() - startedMs).toBeLessThan(10_000)
      expect(fake.requests).toHaveLength(2)
    }
  })

  test('an aborted call fails with the reason of the caller, before, during or between the attempts', async () => {
    using fake = fakeServer((_, count) =>
      count === 1
        ? Bun.sleep(20_000).then(() => new Response())
        : refusal(503, 'overloaded', { 'Retry-After': '30' }),
    )
    const client = createClient(fake)
    const reason = new Error('the user left')
    expect(await errorOf(client.listPets({}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(fake.requests.length).toBeLessThanOrEqual(1)
    for (const _ of [1, 2]) {
      const aborting = new AbortController()
      setTimeout(() => aborting.abort(reason), 100)
      const startedMs = performance.now()
      expect(await errorOf(client.listPets({}, { signal: aborting.signal }))).toBe(reason)
      expect(performance.now() - startedMs).toBeLessThan(10_000)
    }
  })
})

async function* chunksOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

function streamOf(body: string | ReadableStream): Response {
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
}

describe('streams of events', () => {
  const event = (id: number): string => `id: ${id}\ndata: {"type":"petstore.future.type","id":"${id}"}\n\n`

  test('a stream continues after the last event if the connection breaks, and keeps unknown types', async () => {
    using fake = fakeServer((_, count) =>
      count === 1
        ? streamOf(`retry: 1\n\n${event(5)}${event(6)}data: {"torn`)
        : streamOf(`retry: 1\n\n${event(7)}`),
    )
    const ids: string[] = []
    for await (const { id, type } of createClient(fake).followEvents({ after: 4n })) {
      ids.push(`${type} ${id}`)
      if (ids.length === 3) break
    }
    expect(ids).toEqual([5, 6, 7].map(id => `petstore.future.type ${id}`))
    expect(fake.requests.map(({ headers }) => headers.get('last-event-id'))).toEqual(['4', '6'])
  })

  test('a stream of events with an id that is not a position is opened again at the last valid position', async () => {
    using fake = fakeServer((_, count) =>
      streamOf(count === 1 ? `retry: 1\n\n${event(5)}id: \u4e16\n\n` : event(6)),
    )
    const ids: string[] = []
    for await (const { id } of createClient(fake).followEvents()) {
      ids.push(id)
      if (ids.length === 2) break
    }
    expect(ids).toEqual(['5', '6'])
    expect(fake.requests.at(-1)?.headers.get('last-event-id')).toBe('5')
  })

  test('a stream of events on which nothing arrives for too long is opened again', async () => {
    using fake = fakeServer((_, count) =>
      count === 1
        ? streamOf(
            new ReadableStream({
              start: controller => controller.enqueue(Buffer.from(`retry: 1\n\n${event(1)}`)),
            }),
          )
        : streamOf(event(2)),
    )
    const reasons: string[] = []
    const options = { silenceMs: 200, onReconnect: (error: Error) => reasons.push(error.name) }
    const ids: string[] = []
    for await (const { id } of createClient(fake).followEvents(options)) {
      ids.push(id)
      if (ids.length === 2) break
    }
    expect(ids).toEqual(['1', '2'])
    expect(reasons).toEqual(['ConnectionError'])
  })

  test('a stream of events is not opened again without a pause, whatever delay the server demands', async () => {
    const responders = [
      () => refusal(503, 'overloaded', { 'Retry-After': '9999999999' }),
      () => refusal(503, 'overloaded', { 'Retry-After': 'Fri, 31 Dec 9999 23:59:59 GMT' }),
      () => new Response('retry: 0\n\n', { headers: { 'Content-Type': 'text/event-stream' } }),
    ]
    for (const respond of responders) {
      using fake = fakeServer(respond)
      const signal = AbortSignal.timeout(700)
      for await (const _ of createClient(fake).followEvents({ signal, silenceMs: Infinity })) break
      expect(fake.requests.length).toBeLessThanOrEqual(6)
    }
  })

  test('a stream of events waits for as long as the server demands, but at most for ten minutes', async () => {
    const delayAfter = async (retryAfter: string): Promise<number> => {
      using fake = fakeServer(() => refusal(503, 'overloaded', { 'Retry-After': retryAfter }))
      const aborting = new AbortController()
      let delayMs = 0
      const onReconnect = (_: Error, ms: number): void => {
        delayMs = ms
        aborting.abort()
      }
      for await (const _ of createClient(fake).followEvents({ onReconnect, signal: aborting.signal }));
      return delayMs
    }
    for (const [retryAfter, leastMs] of [
      ['599', 599_000],
      ['600', 600_000],
      ['601', 600_000],
      ['9999999999', 600_000],
      ['Fri, 31 Dec 9999 23:59:59 GMT', 600_000],
    ] as const) {
      const delayMs = await delayAfter(retryAfter)
      // A random part of the pause of a second is added.
      expect([retryAfter, delayMs >= leastMs, delayMs <= leastMs + 1000]).toEqual([retryAfter, true, true])
    }
  })

  test('a stream of events ends at once when it is aborted, even in the middle of a chunk', async () => {
    using fake = fakeServer(() => streamOf([1, 2, 3].map(event).join('')))
    const aborting = new AbortController()
    let events = 0
    for await (const _ of createClient(fake).followEvents({ signal: aborting.signal })) {
      events++
      aborting.abort()
    }
    expect(events).toBe(1)
  })

  test('a stream on which something arrives in time stays open for longer than the limit of silence', async () => {
    const silenceMs = 250
    let requests = 0
    const fetch: Fetch = async (_, { signal }) => {
      requests++
      return streamOf(
        new ReadableStream({
          start: async controller => {
            signal?.addEventListener('abort', () => controller.error(signal.reason))
            const endMs = performance.now() + 2 * silenceMs
            while (performance.now() < endMs && !signal?.aborted) {
              controller.enqueue(Buffer.from(': alive\n\n'))
              await Bun.sleep(10)
            }
            if (!signal?.aborted) controller.enqueue(Buffer.from(event(1)))
          },
        }),
      )
    }
    const reasons: string[] = []
    const onReconnect = (error: Error): void => void reasons.push(error.message)
    const signal = AbortSignal.timeout(4 * silenceMs)
    const client = createClient({ baseUrl: 'http://x', fetch })
    const ids: string[] = []
    for await (const { id } of client.followEvents({ silenceMs, onReconnect, signal })) {
      ids.push(id)
      break
    }
    expect({ ids, reasons, requests }).toEqual({ ids: ['1'], reasons: [], requests: 1 })
  })

  test('the pause before a stream is opened again doubles with each failure, until an event arrives', async () => {
    using fake = fakeServer((_, count) => streamOf(`retry: 1\n\n${count === 3 ? event(1) : ''}`))
    const delays: number[] = []
    const aborting = new AbortController()
    const onReconnect = (_: Error, delayMs: number): void => {
      delays.push(delayMs)
      if (delays.length === 3) aborting.abort()
    }
    for await (const _ of createClient(fake).followEvents({ onReconnect, signal: aborting.signal }));
    const [first = 0, second = 0, third = 0] = delays
    expect([first <= 250, second >= 250, third <= 250]).toEqual([true, true, true])
  })

  test('a stream is opened again after a temporary refusal, and ends with any other refusal', async () => {
    const outcomeOf = async (status: number): Promise<string> => {
      using fake = fakeServer(() => refusal(status, 'unknown'))
      const aborting = new AbortController()
      let outcome = 'ended'
      const onReconnect = (): void => {
        outcome = 'opened again'
        aborting.abort()
      }
      const events = createClient(fake).followEvents({ onReconnect, signal: aborting.signal })
      const error = await errorOf(events.next())
      return error instanceof ApiError ? `refused with ${error.status}` : outcome
    }
    for (const status of [408, 429, 500, 503]) expect(await outcomeOf(status)).toBe('opened again')
    for (const status of [401, 403, 410]) expect(await outcomeOf(status)).toBe(`refused with ${status}`)
  })

  test('a stream that its caller ends while nothing arrives is not reported as lost', async () => {
    const aborting = new AbortController()
    using fake = fakeServer(() => {
      setTimeout(() => aborting.abort(), 20)
      return streamOf(
        new ReadableStream({ start: controller => controller.enqueue(Buffer.from(': alive\n\n')) }),
      )
    })
    const reasons: string[] = []
    const onReconnect = (error: Error): void => void reasons.push(error.message)
    const events = createClient(fake).followEvents({ onReconnect, signal: aborting.signal })
    expect(await events.next()).toEqual({ done: true, value: undefined })
    expect(reasons).toEqual([])
  })

  test('a CRLF that is divided between two chunks of a stream is one line end', async () => {
    const chunks = ['id: 7\r', '\ndata: {}\r', '\n\r', '\n'].map(text => Buffer.from(text))
    expect((await Array.fromAsync(readEventStream(chunksOf(chunks)))).map(({ kind }) => kind)).toEqual([
      'event',
      'id',
    ])
  })

  test('a stream that is not an event stream, or that has invalid options, is an error', async () => {
    for (const respond of [
      () => new Response('<html>Login</html>'),
      () => new Response(null, { status: 204 }),
    ]) {
      using fake = fakeServer(respond)
      expect(await errorOf(createClient(fake).followEvents().next())).toBeInstanceOf(ConnectionError)
      expect(fake.requests).toHaveLength(1)
    }
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', key: '\u4e16' })
    expect(await errorOf(client.followEvents().next())).toBeInstanceOf(TypeError)
    for (const silenceMs of [0, -1, Number.NaN]) {
      expect(await errorOf(client.followEvents({ silenceMs }).next())).toBeInstanceOf(RangeError)
    }
    const local = createClient({ baseUrl: 'http://127.0.0.1:1' })
    // An empty list of types is refused, because without a type the stream would not be filtered.
    expect(await errorOf(local.followEvents({ types: [] }).next())).toBeInstanceOf(TypeError)
    for (const after of ['', 'x', 'x7', '7x', 2 ** 53]) {
      expect(await errorOf(client.followEvents({ after }).next())).toBeInstanceOf(RangeError)
    }
  })

  test('a stream is parsed correctly, whatever its chunks and the length of its lines', async () => {
    const text = `retry: 5\r\n\r\nid: 7\rdata: {"type":"${'é'.repeat(500_000)}"}\r\r\nid: 8\n\n`
    const bytes = new TextEncoder().encode(text)
    const chunks: Uint8Array[] = []
    for (let start = 0; start < bytes.length; start += 97) chunks.push(bytes.slice(start, start + 97))
    const startedMs = performance.now()
    const parts = []
    for await (const part of readEventStream(chunksOf(chunks))) parts.push(part.kind)
    expect(parts).toEqual(['retry', 'event', 'id', 'id'])
    expect(performance.now() - startedMs).toBeLessThan(5000)
  })

  test('a stream of events with an event that never ends is cut off', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'a')
    using fake = fakeServer((_, count) =>
      count === 1
        ? streamOf(new ReadableStream({ pull: controller => controller.enqueue(chunk) }))
        : refusal(401, 'invalid_token'),
    )
    const messages: string[] = []
    const events = createClient(fake).followEvents({ onReconnect: error => messages.push(error.message) })
    expect(await errorOf(events.next())).toMatchObject({ code: 'invalid_token' })
    expect(messages.join()).toContain('more than 4194304 characters')
    const line = Buffer.from(`data: ${'a'.repeat(1024 * 1024)}\n`)
    const lines = readEventStream(chunksOf(Array.from({ length: 6 }, () => line)))
    expect(String(await errorOf(lines.next()))).toContain('more than 4194304 characters')
  })
})

describe('webhook requests', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const body = '{"type":"petstore.order.placed","data":{"id":9007199254740993}}'
  const now = new Date('2026-11-22T05:00:00Z')
  const headers = {
    'webhook-id': '721',
    'webhook-timestamp': String(now.getTime() / 1000),
    'webhook-signature': `v1,bm90IHRoaXMgb25l ${new Webhook(secret).sign('721', now, body)} v2,x`,
  }

  test('a webhook request that the library of Standard Webhooks signed is accepted', async () => {
    const event = await verifyWebhook(secret, { headers, body }, now.getTime())
    expect(event.type).toBe('petstore.order.placed')
    expect(Reflect.get(event.data, 'id')).toBe(9007199254740993n)
    const bytes = new TextEncoder().encode(body)
    await verifyWebhook(
      ['whsec_b3RoZXI=', secret],
      { headers: new Headers(headers), body: bytes },
      now.getTime(),
    )
    await verifyWebhook(secret, { headers: { ...headers, 'Webhook-Id': '721' }, body }, now.getTime())
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    await verifyWebhook(secret, { headers: lists, body: bytes.buffer }, now.getTime())
  })

  test('a webhook request is refused if it is changed or incomplete, or if its timestamp is too far off', async () => {
    const refused = async (
      changed: Partial<Record<keyof typeof headers, string>>,
      text = body,
      atMs = now.getTime(),
    ): Promise<boolean> =>
      (await errorOf(
        verifyWebhook(secret, { headers: { ...headers, ...changed }, body: text }, atMs),
      )) instanceof WebhookVerificationError
    const cases = [
      await refused({}, `${body} `),
      await refused({ 'webhook-id': '722' }),
      await refused({ 'webhook-timestamp': String(now.getTime() / 1000 + 1) }),
      await refused({ 'webhook-timestamp': 'now' }),
      await refused({ 'webhook-signature': '' }),
      await refused({ 'webhook-signature': 'v1,%%%' }),
      await refused({}, body, now.getTime() + 301_000),
      await refused({}, body, now.getTime() - 301_000),
    ]
    expect(cases).toEqual(cases.map(() => true))
    expect(await refused({}, body, Number.NaN)).toBe(true)
    expect(await refused({})).toBe(false)
    for (const wrong of ['whsec_!!', '', undefined, ['whsec_!!', secret]]) {
      // @ts-expect-error the types refuse an absent secret
      expect(await errorOf(verifyWebhook(wrong, { headers, body }, now.getTime()))).toBeInstanceOf(TypeError)
    }
    // @ts-expect-error the types refuse a parsed body
    expect(await errorOf(verifyWebhook(secret, { headers, body: {} }, now.getTime()))).toBeInstanceOf(
      TypeError,
    )
    expect(await errorOf(verifyWebhook(secret, { headers: {}, body }))).toBeInstanceOf(
      WebhookVerificationError,
    )
    const repeated = { ...headers, 'webhook-id': ['721', '721'] }
    const request = { headers: repeated, body }
    expect(String(await errorOf(verifyWebhook(secret, request, now.getTime())))).toContain('or repeated')
    expect(await errorOf(verifyWebhook('whsec_', { headers, body }, now.getTime()))).toBeInstanceOf(TypeError)
  })
})

onEveryEngine(engine => {
  const store = sharedStore(engine)

  /** Places an order of three units, loses the first response, and returns the number of units reserved afterwards. */
  async function reservedAfterLoss(send: Fetch): Promise<bigint | undefined> {
    const { petId } = await makePet(store().client, { quantity: 10n })
    let responses = 0
    const client = createClient({
      baseUrl: store().base,
      key: ADMIN_KEY,
      fetch: async (url, init) => {
        const response = await send(url, init)
        if (init.method !== 'POST' || responses++ > 0) return response
        await response.arrayBuffer()
        throw new TypeError('the connection was lost')
      },
    })
    const { data } = await client.placeOrder({ body: { petId, quantity: 3 } })
    expect([responses, data.quantity]).toEqual([2, 3n])
    return (await client.getInventoryItem({ petId })).data.reserved
  }

  test('an order whose response was lost is placed once', async () => {
    expect(await reservedAfterLoss(fetch)).toBe(3n)
  })

  test('control: a client with a new idempotency key for each attempt is detected', async () => {
    const withNewKey: Fetch = (url, init) => {
      const headers = new Headers(init.headers)
      if (headers.has('idempotency-key')) headers.set('idempotency-key', crypto.randomUUID())
      return fetch(url, { ...init, headers })
    }
    expect(await reservedAfterLoss(withNewKey)).toBe(6n)
  })

  test('a list is read page by page, and the feed ends at its head', async () => {
    const client = createClient({ baseUrl: store().base, key: ADMIN_KEY })
    const createdIds = []
    for (let count = 0; count < 7; count++) createdIds.push((await makePet(store().client)).petId)
    const ids = []
    for await (const { id } of client.listPets({ id: createdIds, limit: 3 })) ids.push(id)
    expect(ids).toEqual(createdIds)
    const sizes = []
    for await (const { items } of client.listPets({ id: createdIds, limit: 3 }).pages())
      sizes.push(items.length)
    expect(sizes).toEqual([3, 3, 1])
    const positions = []
    for await (const { sequence } of client.listEvents({ after: '0', limit: 5 }))
      positions.push(BigInt(sequence))
    expect(positions.length).toBeGreaterThan(7)
    expect(positions).toEqual(
      (await client.listEvents({ limit: 100 })).data.items.map(event => BigInt(event.sequence)),
    )
  })

  test('a read with the current ETag has no data', async () => {
    const client = createClient({ baseUrl: store().base, key: ADMIN_KEY })
    const { petId } = await makePet(store().client)
    const { etag = '' } = await client.getInventoryItem({ petId })
    const unchanged = await client.getInventoryItem({ petId }, { ifNoneMatch: etag })
    expect([unchanged.status, unchanged.data]).toEqual([304, undefined])
  })
})
