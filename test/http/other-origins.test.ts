import { describe, expect, test } from 'bun:test'
import { launchBrowser } from '../support/browser.ts'
import { ADMIN_KEY, openTestStore } from '../support/store.ts'

/** Returns the names of all header fields of responses in a description. */
function fieldsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) =>
    name === 'headers' && Reflect.has(part, 'description') ? Object.keys(Object(value)) : fieldsIn(value),
  )
}

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

  test('a page may read every header field that the description names, and no other', async () => {
    await using store = await openTestStore('sqlite', { corsOrigins: ['*'] })
    const described: unknown = await (await fetch(`${store.base}/openapi.json`)).json()
    // The first is readable without a permission (Fetch standard, section 2.2.6), the others say nothing to a page.
    const hidden = ['Cache-Control', 'Vary', 'X-Accel-Buffering', 'Accept-Patch', 'Allow']
    const named = [...new Set(fieldsIn(described))]
    const reply = await ask(store.base, 'https://shop.example')
    const exposed = (reply.headers.get('access-control-expose-headers') ?? '').split(', ')
    // The last ones are those of sandboxes, and of the clock.
    expect(exposed.filter(name => !['Petstore-Fault', 'Date'].includes(name)).sort()).toEqual(
      named.filter(name => !hidden.includes(name)).sort(),
    )
  })

  test('pages of other origins may not call the store by default', async () => {
    await using store = await openTestStore('sqlite')
    const reply = await ask(store.base, 'https://shop.example')
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('in a browser, a page reads a store only with its permission, and an EventSource has no key', async () => {
    await using page = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
    await using closed = await openTestStore('sqlite')
    await using open = await openTestStore('sqlite', { corsOrigins: [page.url.origin] })
    const browser = await launchBrowser()
    try {
      const tab = await browser.newPage()
      await tab.goto(page.url.href)
      const read = (base: string): Promise<string> =>
        tab.evaluate(
          `fetch('${base}/keys/current', { headers: { Authorization: 'Bearer ${ADMIN_KEY}' } })
            .then(reply => reply.status + ' ' + reply.headers.has('ETag'), String)`,
        )
      expect([await read(closed.base), await read(open.base)]).toEqual([
        'TypeError: Failed to fetch',
        '200 true',
      ])
      const state = `new Promise(resolve => {
        const source = new EventSource('${open.base}/events/stream')
        source.onerror = () => resolve(source.readyState === EventSource.CLOSED)
      })`
      expect(await tab.evaluate(state)).toBe(true)
    } finally {
      await browser.close()
    }
  })
})
