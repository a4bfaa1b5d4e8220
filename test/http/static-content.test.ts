import { describe, expect, test } from 'bun:test'
import { sharedStore } from '../support/shop.ts'

const PATHS = ['/docs/scalar.js', '/openapi.json', '/openapi.yaml', '/llms.txt']

describe('content that is the same for every caller', () => {
  const store = sharedStore('sqlite')
  /** Sends a request. The content decoding of fetch is off, so that the body has the bytes that were sent. */
  const get = (path: string, fields: Record<string, string> = {}, method = 'GET') =>
    fetch(store().base + path, {
      method,
      headers: { 'Accept-Encoding': 'identity', ...fields },
      decompress: false,
    })

  for (const path of PATHS) {
    test(`${path} is sent plain or with gzip, each form with its own strong ETag`, async () => {
      const plain = await get(path)
      const packed = await get(path, { 'Accept-Encoding': 'br, gzip' })
      const [plainEtag, packedEtag] = [plain, packed].map(({ headers }) => headers.get('etag'))
      for (const { headers } of [plain, packed]) {
        expect([headers.get('vary'), headers.get('etag')?.startsWith('"')]).toEqual(['Accept-Encoding', true])
      }
      expect(plainEtag === packedEtag).toBe(false)
      expect([plain, packed].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'gzip'])
      const bytes = await plain.bytes()
      expect(Buffer.compare(Bun.gunzipSync(Uint8Array.from(await packed.bytes())), bytes)).toBe(0)
    })

    test(`${path} is not sent again (304) if If-None-Match is * or contains its ETag, strong or weak`, async () => {
      const etag = (await get(path)).headers.get('etag') ?? ''
      for (const field of [etag, `"other",, ${etag}`, `W/${etag}`, '*']) {
        const reply = await get(path, { 'If-None-Match': field })
        expect([field, reply.status, reply.headers.get('etag')]).toEqual([field, 304, etag])
      }
      expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200)
      expect((await get(path, { 'If-Match': '"other"' })).status).toBe(412)
      expect((await get(path, { 'If-None-Match': 'no tag' })).status).toBe(400)
    })
  }

  test('gzip is sent if Accept-Encoding allows it by name or by *, unless its weight is 0', async () => {
    const codingFor = async (field: string): Promise<string> =>
      (await get('/openapi.json', { 'Accept-Encoding': field })).headers.get('content-encoding') ?? 'identity'
    for (const field of ['gzip', 'GZIP;q=0.5', 'br, gzip;q=0.1', '*', 'identity;q=0, *;q=1', 'x-gzip']) {
      expect([field, await codingFor(field)]).toEqual([field, 'gzip'])
    }
    for (const field of ['gzip;q=0', 'gzip; q=0, *', 'br', 'identity', '*;q=0', 'gzip;q=x', 'identity;q=0']) {
      expect([field, await codingFor(field)]).toEqual([field, 'identity'])
    }
  })

  test('HEAD gets Date on every path, Link on the API catalogue, and no Content-Length on the stream', async () => {
    for (const path of [...PATHS, '/docs', '/.well-known/api-catalog', '/', '/pets', '/livez', '/nowhere']) {
      const { headers } = await get(path, {}, 'HEAD')
      const date = Date.parse(headers.get('date') ?? '')
      expect([path, Math.abs(Date.now() - date) < 60_000]).toEqual([path, true])
    }
    const head = await get('/.well-known/api-catalog', {}, 'HEAD')
    expect(head.headers.get('link')).toBe(`<${store().base}/.well-known/api-catalog>; rel="api-catalog"`)
    const stream = await store().send('HEAD', '/events/stream')
    expect([stream.status, stream.headers.get('content-length')]).toEqual([200, null])
  })
})
