import { expect, test } from 'bun:test'
import { z } from 'zod'
import type { Operation } from '../../src/contract/operation.ts'
import { securityText } from '../../src/http/pages/discovery.ts'
import { contract, operationIds } from '../../src/shop/registry/operations.ts'
import { launchBrowser } from '../support/browser.ts'
import { sharedStore } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'

const store = sharedStore('sqlite')

test('the root has the same links as a page and as JSON, and every link works', async () => {
  const page = await (await fetch(store().base, { headers: { Accept: 'text/html' } })).text()
  const json = await (await fetch(store().base)).text()
  const paths = [...page.matchAll(/<a href="([^"]+)"/g)].map(match => match[1] ?? '')
  expect(paths.length).toBeGreaterThan(10)
  expect(Object.values(JSON.parse(json).links)).toHaveLength(paths.length)
  for (const path of paths) {
    expect([path, (await fetch(store().base + path)).status]).toEqual([path, 200])
    expect(json).toContain(`"${store().base}${path}"`)
  }
})

test('the root page has a content security policy that allows its style sheet and no frame', async () => {
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    const faults: string[] = []
    page.on('console', message => faults.push(message.text()))
    const response = await page.goto(store().base)
    const policy = response?.headers()['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'; style-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(await page.evaluate<string>('getComputedStyle(document.body).maxWidth')).toBe('1056px')
    expect(faults).toEqual([])
  } finally {
    await browser.close()
  }
}, 120_000)

const Catalog = z.object({
  linkset: z.tuple([
    z.looseObject({
      anchor: z.string(),
      'service-desc': z.array(z.object({ href: z.string(), type: z.string() })),
    }),
  ]),
})

test('security.txt names the contact of the setting for half a year, and is absent without the setting', async () => {
  const path = '/.well-known/security.txt'
  expect((await fetch(store().base + path)).status).toBe(404)
  const clock = (): number => Date.parse('2026-11-21T09:30:00.120Z')
  await using own = await openTestStore('sqlite', { securityContact: 'mailto:security@shop.example', clock })
  const response = await fetch(own.base + path)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await response.text()).toBe(`Contact: mailto:security@shop.example\nExpires: 2027-05-20T09:30:00Z\n`)
  // RFC 9116, section 2.5.2: the URI must begin with https.
  const secure = securityText('https://shop.example/api', 'mailto:a@shop.example', clock())
  expect(secure).toContain('Canonical: https://shop.example/api/.well-known/security.txt\n')
})

test('the API catalogue is an RFC 9727 link set, and llms.txt names every described operation', async () => {
  const catalog = await fetch(`${store().base}/.well-known/api-catalog`)
  expect(catalog.headers.get('content-type')).toBe(
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  )
  const { linkset } = Catalog.parse(await catalog.json())
  const [{ anchor, 'service-desc': documents }] = linkset
  expect(anchor).toBe(`${store().base}/`)
  const paths = documents.map(({ href }) => href.slice(store().base.length))
  expect(paths).toEqual(
    expect.arrayContaining(['/openapi.json', '/openapi-3.2.yaml', '/asyncapi.yaml', '/arazzo.yaml']),
  )
  for (const { href, type } of documents) {
    const response = await fetch(href)
    expect([href, response.status, response.headers.get('content-type')]).toEqual([href, 200, type])
  }
  const text = await (await fetch(`${store().base}/llms.txt`)).text()
  const described = operationIds.filter(id => !('hidden' in contract[id]))
  expect([...text.matchAll(/^- (\w+): /gm)].map(([, id]) => id).toSorted()).toEqual(described.toSorted())
  expect(text).not.toContain('loadImportSlice')
  expect([...text.matchAll(/, (\w+)\)\.$/gm)].map(([, stability]) => stability).toSorted()).toEqual(
    described
      .map((id): Operation => contract[id])
      .map(({ stability = 'stable' }) => stability)
      .filter(stability => stability !== 'stable')
      .toSorted(),
  )
})
