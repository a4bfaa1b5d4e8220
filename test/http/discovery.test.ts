import { expect, test } from 'bun:test'
import type { Operation } from '../../src/contract/operation.ts'
import { contract, operationIds } from '../../src/shop/operations.ts'
import { launchBrowser } from '../support/browser.ts'
import { sharedStore } from '../support/shop.ts'

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

test('the API catalogue is an RFC 9727 link set, and llms.txt names every described operation', async () => {
  const catalog = await fetch(`${store().base}/.well-known/api-catalog`)
  expect(catalog.headers.get('content-type')).toBe(
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  )
  expect(await catalog.json()).toMatchObject({
    linkset: [{ anchor: `${store().base}/`, 'service-desc': [{ href: `${store().base}/openapi.json` }, {}] }],
  })
  const text = await (await fetch(`${store().base}/llms.txt`)).text()
  const described = operationIds.filter(id => !('hidden' in contract[id]))
  expect([...text.matchAll(/^- (\w+): /gm)].map(([, id]) => id).toSorted()).toEqual(described.toSorted())
  expect(text).not.toContain('applyImport')
  expect([...text.matchAll(/, (\w+)\)\.$/gm)].map(([, stability]) => stability).toSorted()).toEqual(
    described
      .map((id): Operation => contract[id])
      .map(({ stability = 'stable' }) => stability)
      .filter(stability => stability !== 'stable')
      .toSorted(),
  )
})
