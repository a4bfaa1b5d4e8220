import { describe, expect, test } from 'bun:test'
import { CommitSignal } from '../../src/database/commit-signal.ts'
import { TimeSlices } from '../../src/database/time-slices.ts'
import { LongPoll } from '../../src/http/events/long-poll.ts'
import { Admission } from '../../src/http/limits/admission.ts'
import { Deadlines } from '../../src/http/limits/deadlines.ts'
import { bodyInChunks, largeBody, type Receiving } from '../../src/http/pipeline/large-body.ts'
import { sendHalfBody } from '../support/half-body.ts'
import { ADMIN_KEY, openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

const HALF_BODIES = 600

/**
 * Opens connections that announce a body of 1 MiB and send one byte of it. `refused` returns how many of them got 503.
 * Disposing the result closes them.
 */
async function sendHalfBodies({ base }: TestStore, count: number, key: string) {
  const head =
    `POST /categories HTTP/1.1\r\nHost: store\r\nAuthorization: Bearer ${key}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 1048576\r\n\r\n{'
  let refused = 0
  const sockets = await Promise.all(
    Array.from({ length: count }, () =>
      Bun.connect({
        hostname: '127.0.0.1',
        port: Number(new URL(base).port),
        socket: {
          open: socket => void socket.write(head),
          data: (_, chunk) => {
            if (chunk.toString('latin1').startsWith('HTTP/1.1 503')) refused++
          },
        },
      }),
    ),
  )
  return {
    refused: () => refused,
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.terminate()
    },
  }
}

describe('incomplete bodies', () => {
  test('clients that send half a body block neither probes, nor reads, nor the bodies of other callers', async () => {
    await using store = await openTestStore('sqlite')
    const { data: till } = await store.client.createKey({ body: { name: 'till', scopes: ['pets:write'] } })
    using half = await sendHalfBodies(store, HALF_BODIES, ADMIN_KEY)
    // One key may send 64 bodies of 1 MiB at once. Another is refused, unless it is small and comes with its headers.
    await until('the others are refused', () => half.refused() >= HALF_BODIES - 64)
    expect(half.refused()).toBe(HALF_BODIES - 64)
    for (const path of ['/livez', '/readyz', '/pets', '/metrics']) {
      expect([path, (await fetch(store.base + path)).status]).toEqual([path, 200])
    }
    const headers = { Authorization: `Bearer ${till.key}` }
    const created = await store.send('POST', '/categories', { headers, body: '{"name":"Otters"}' })
    expect(created.status).toBe(201)
    const small = await store.send('POST', '/categories', { body: `{"name":"Otters"}${' '.repeat(1000)}` })
    expect(small.status).toBe(201)
    const large = await store.send('POST', '/categories', { body: `{"name":"Otters"}${' '.repeat(20_000)}` })
    expect([large.status, large.headers.get('retry-after')]).toEqual([503, '1'])
    const late = await sendHalfBody(`${store.base}/categories`, 'POST', {
      Authorization: `Bearer ${ADMIN_KEY}`,
      'Content-Type': 'application/json',
    })
    expect(late.status).toBe(503)
  })
})

test('a client that waits for events holds no slot, and at most 500 requests of one caller may wait', async () => {
  await using store = await openTestStore('sqlite')
  const admission = new Admission()
  const commitSignal = new CommitSignal(store.engine.watch)
  const runQuery = async () => ({ status: 200, body: '[]', isAtHead: true })
  const feed = new LongPoll({ commitSignal, slices: new TimeSlices(), runQuery })
  const query = { id: 'listEvents', input: { wait: 30 }, now: '', base: '', keyId: null } as const
  const read = (caller: string) => {
    const slot = admission.enter('203.0.113.1')
    const { signal } = new AbortController()
    return feed.read(query, { caller, signal, slot }).finally(() => slot.leave())
  }
  const waiting = Array.from({ length: 500 }, () => read('key 1'))
  await expect(read('key 1')).rejects.toThrow('Too many clients are waiting for events')
  const others = Array.from({ length: 500 }, () => read('key 2'))
  await Bun.sleep(0)
  const codes = Array.from({ length: 1000 }, () => codeOf(() => admission.enter('203.0.113.1').leave()))
  expect(new Set(codes)).toEqual(new Set(['admitted']))
  commitSignal.end()
  const outcomes = await Promise.all([...waiting, ...others])
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([200]))
})

describe('large responses', () => {
  test('clients that do not read get a bounded number of large responses, one chunk at a time', async () => {
    const { largeBodies } = new Admission()
    const from = (address: string): Receiving => ({ address, largeBodies, closeConnection: () => {} })
    const bytes = new Uint8Array(1_000_000)
    const bodies = Array.from({ length: 100 }, () => streamOf(bodyInChunks(from('slow'), bytes)))
    const readers = bodies.map(body => body.getReader())
    for (const reader of readers) expect((await reader.read()).value?.length).toBe(64 * 1024)
    expect(codeOf(() => bodyInChunks(from('slow'), bytes))).toBe('overloaded')
    expect(codeOf(() => bodyInChunks(from('other'), bytes))).toBe('admitted')
    expect(bodyInChunks(from('slow'), new Uint8Array(1000))).toHaveLength(1000)
    await readers[0]?.cancel()
    expect(codeOf(() => bodyInChunks(from('slow'), bytes))).toBe('admitted')
    // Like the cancelled response above, a response that was read to its end does not count.
    for (;;) if ((await readers[1]?.read())?.done) break
    expect(codeOf(() => bodyInChunks(from('slow'), bytes))).toBe('admitted')
  })

  test('a large response arrives completely, and HEAD gives its length', async () => {
    await using store = await openTestStore('sqlite')
    const description = 'x'.repeat(2000)
    for (let name = 0; name < 60; name++)
      await store.client.createCategory({ body: { name: `${name}`, description } })
    const reply = await fetch(`${store.base}/categories?limit=100`)
    const items: unknown = await reply.json()
    expect(Array.isArray(items) && items.length).toBe(60)
    const head = await fetch(`${store.base}/categories?limit=100`, { method: 'HEAD' })
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(120_000)
  })
})

describe('slots of requests', () => {
  test('the slots of requests are never all held by one address', () => {
    const admission = new Admission()
    const codes = Array.from({ length: 1500 }, () => codeOf(() => admission.enter('203.0.113.1')))
    expect([codes.filter(code => code === 'admitted').length, codes.at(-1)]).toEqual([1000, 'overloaded'])
    expect(codeOf(() => admission.enter('203.0.113.2'))).toBe('admitted')
  })

  test('the slot of a request is free while its body arrives, and is needed again afterwards', async () => {
    const admission = new Admission()
    const body = Promise.withResolvers<string>()
    const waiting = Array.from({ length: 400 }, () =>
      admission.enter('203.0.113.1').whileBodyArrives('key 1', 1000, () => body.promise),
    )
    const others = Array.from({ length: 1000 }, () => codeOf(() => admission.enter('203.0.113.1')))
    expect(new Set(others)).toEqual(new Set(['admitted']))
    body.resolve('whole')
    // The address now holds its maximum number of slots, so there is no free slot when its bodies are complete.
    const outcomes = await Promise.allSettled(waiting)
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']))
  })

  test('the slot of a request is released after a success and after a failure, so the drain ends', async () => {
    const admission = new Admission()
    const slots = Array.from({ length: 10 }, () => admission.enter('203.0.113.1'))
    const failing = slots.map((slot, index) =>
      slot.whileBodyArrives('key 1', 1000, async () => {
        if (index % 2 === 0) throw new Error('cut off')
      }),
    )
    await Promise.allSettled(failing)
    let isDrained = false
    const drain = admission.drain().then(() => {
      isDrained = true
    })
    for (const slot of slots.slice(1)) slot.leave()
    await Promise.resolve()
    expect(isDrained).toBe(false)
    slots[0]?.leave()
    await drain
    expect(codeOf(() => admission.enter('203.0.113.2'))).toBe('shutting_down')
  })
})

function streamOf(body: ReturnType<typeof bodyInChunks>): ReadableStream<Uint8Array> {
  if (!(body instanceof ReadableStream)) throw new Error('the body is not sent in chunks')
  return body
}

function codeOf(enter: () => unknown): string {
  try {
    enter()
    return 'admitted'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}

test('a client that stops reading a large response is disconnected, and its share is free again', async () => {
  const { largeBodies } = new Admission()
  const closed = Promise.withResolvers<void>()
  const context: Receiving = { address: 'slow', largeBodies, closeConnection: closed.resolve }
  let isSourceClosed = false
  const body = largeBody(
    context,
    {
      next: async () => new Uint8Array(1000),
      close: async () => {
        isSourceClosed = true
      },
    },
    new Deadlines(10),
  )
  const reader = body.getReader()
  expect((await reader.read()).value).toHaveLength(1000)
  await closed.promise
  expect(isSourceClosed).toBe(true)
  expect(largeBodies.take('slow', 100)).toBe(true)
  // What was sent must not look complete.
  await expect(reader.read()).rejects.toThrow()
})
