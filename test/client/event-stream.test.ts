import { expect, test } from 'bun:test'
import { createClient, createHostClient } from '../../src/client/client.ts'
import { ApiError, ConnectionError } from '../../src/client/errors.ts'
import { readEventStream } from '../../src/client/event-stream.ts'
import type { Fetch } from '../../src/client/request.ts'
import { errorOf, fakeServer, refusal } from './fake-server.ts'

async function* chunksOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

function streamOf(body: string | ReadableStream): Response {
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
}

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

test('a stream of requests throws the reason of its signal, which may be aborted before it begins', async () => {
  using fake = fakeServer(() =>
    streamOf(new ReadableStream({ start: to => to.enqueue('id: 1\ndata: {}\n\n') })),
  )
  const read = async (signal: AbortSignal, then = () => {}): Promise<unknown> => {
    const stream = createHostClient(fake).streamRequests({ sandboxId: 'x' }, { signal })
    try {
      for await (const _ of stream) then()
    } catch (error) {
      return error
    }
  }
  const reason = new Error('the page was closed')
  expect(await read(AbortSignal.abort(reason))).toBe(reason)
  expect(fake.requests).toHaveLength(0)
  const later = new AbortController()
  expect(await read(later.signal, () => later.abort(reason))).toBe(reason)
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

test('the time that a caller needs for an item is no silence of the stream', async () => {
  const timeoutMs = 100
  using fake = fakeServer(() =>
    streamOf(
      new ReadableStream({
        start: async to => {
          for (const id of [1, 2, 3]) {
            to.enqueue(event(id))
            await Bun.sleep(timeoutMs / 5)
          }
          to.close()
        },
      }),
    ),
  )
  let items = 0
  for await (const _ of createHostClient(fake).streamRequests({ sandboxId: 'x' }, { timeoutMs })) {
    items++
    await Bun.sleep(3 * timeoutMs)
  }
  expect(items).toBe(3)
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
    const requests = createHostClient({ baseUrl: 'http://127.0.0.1:1' }).streamRequests(
      { sandboxId: 'x' },
      { timeoutMs: silenceMs },
    )
    expect(await errorOf(requests[Symbol.asyncIterator]().next())).toBeInstanceOf(RangeError)
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
