import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { z } from 'zod'
import { readLesson } from '../../src/sandboxes/classes/lesson.ts'
import { launchBrowser } from '../support/browser.ts'
import { ROOT } from '../support/root.ts'
import { sharedStore } from '../support/shop.ts'

const TIMEOUT_MS = 120_000

/** The text of each guide, by its name. */
const guides = new Map(
  readdirSync(join(ROOT, 'docs'))
    .filter(file => file.endsWith('.md') && file !== 'README.md')
    .map(file => [file.slice(0, -3), readFileSync(join(ROOT, 'docs', file), 'utf8')]),
)
/** The paths of the index and of all guides. */
const paths = ['/docs/guide', ...[...guides.keys()].map(name => `/docs/guide/${name}`)]

/** Returns the targets of the links and pictures of a page, as absolute addresses. */
function addressesIn(page: string, url: string): string[] {
  return [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address = '']) => new URL(address, url).href)
}

describe('guides', () => {
  const store = sharedStore('sqlite')

  const pageAt = async (path: string): Promise<string> => {
    const response = await fetch(store().base + path)
    expect([path, response.status, response.headers.get('content-type')]).toEqual([
      path,
      200,
      'text/html; charset=utf-8',
    ])
    return response.text()
  }

  test('the guides are the pages of docs/, and the index links to each of them', async () => {
    const index = await pageAt('/docs/guide')
    const linked = addressesIn(index, `${store().base}/docs/guide`)
    for (const [name, text] of guides) {
      const title = /^# (.*)$/m.exec(text)?.[1] ?? ''
      expect(await pageAt(`/docs/guide/${name}`)).toContain(`>${title}</h1>`)
      expect(linked).toContain(`${store().base}/docs/guide/${name}`)
    }
    expect(guides.size).toBeGreaterThan(10)
  })

  test('the guides have no broken link within the store, to a page or to a heading', async () => {
    const isServed = new Map<string, boolean>()
    const broken: string[] = []
    let anchors = 0
    for (const path of paths) {
      const here = store().base + path
      for (const address of addressesIn(await pageAt(path), here)) {
        if (!address.startsWith(store().base)) continue
        const [url = '', anchor] = address.split('#')
        if (!isServed.has(url)) isServed.set(url, (await fetch(url)).status === 200)
        if (!isServed.get(url)) broken.push(`${path}: ${address}`)
        if (anchor === undefined) continue
        anchors += 1
        const target = await (await fetch(url)).text()
        if (!target.includes(`id="${decodeURIComponent(anchor)}"`)) broken.push(`${path}: ${address}`)
      }
    }
    expect(broken).toEqual([])
    expect(anchors).toBeGreaterThan(100)
  })

  test('the guides are linked from the home page and from the introduction of the description', async () => {
    expect(await (await fetch(store().base, { headers: { Accept: 'text/html' } })).text()).toContain(
      'href="/docs/guide"',
    )
    const { info } = z
      .object({ info: z.object({ description: z.string() }) })
      .parse(await (await fetch(`${store().base}/openapi.json`)).json())
    const links = [...info.description.matchAll(/\]\(([^)]*)\)/g)].map(([, address = '']) => address)
    expect(links).toContain(`${store().base}/docs/guide`)
    for (const link of links) expect([link, (await fetch(link)).status]).toEqual([link, 200])
  })

  test('the guides show the path of a file that the store does not serve, without a link', async () => {
    const page = await pageAt('/docs/guide/shop')
    expect(page).toContain('<code>examples/till.mjs</code>')
    expect(page).not.toMatch(/href="[^"]*examples/)
    expect(await pageAt('/docs/guide/start')).toContain('href="../../openapi.yaml"')
  })

  test('the guides contain every code block unchanged', async () => {
    const unescaped = (text: string): string =>
      text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    for (const [name, text] of guides) {
      const page = unescaped(await pageAt(`/docs/guide/${name}`))
      // The page of a lesson has no block for teachers.
      const shown = name.startsWith('lesson') ? readLesson(text).studentText : text
      for (const [, , code = ''] of shown.matchAll(/^(`{3,}).*\n([\s\S]*?)^\1$/gm))
        expect(page).toContain(`>${code}<`)
    }
  })

  test('the guides have a content security policy without scripts, an ETag, and gzip on request', async () => {
    for (const path of [
      '/docs/guide',
      '/docs/guide/cli',
      '/docs/guide/guide.css',
      '/docs/guide/states.svg',
    ]) {
      const packed = await fetch(store().base + path, { headers: { 'Accept-Encoding': 'gzip' } })
      const policy = packed.headers.get('content-security-policy') ?? ''
      expect([path, packed.headers.get('content-encoding')]).toEqual([path, 'gzip'])
      expect(policy).toStartWith("default-src 'none';")
      expect(policy).not.toContain('script')
      const plain = await fetch(store().base + path, { headers: { 'Accept-Encoding': 'identity' } })
      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(await plain.text()).toBe(await packed.text())
      const etag = packed.headers.get('etag') ?? ''
      const again = await fetch(store().base + path, { headers: { 'If-None-Match': etag } })
      expect([path, again.status]).toEqual([path, 304])
    }
  })

  test('the guides support HEAD and OPTIONS, and refuse other methods and unknown names', async () => {
    const head = await store().send('HEAD', '/docs/guide/cli')
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1000)
    const options = await store().send('OPTIONS', '/docs/guide/cli')
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
    const post = await store().send('POST', '/docs/guide/cli')
    expect([post.status, await post.json()]).toEqual([
      405,
      expect.objectContaining({ code: 'method_not_allowed' }),
    ])
    // The pages of docs/internals are for developers, and no guides.
    const internals = ['internals', 'engines', 'internals%2fengines']
    for (const name of ['none', 'index', 'cli.html', 'README', '..%2f..%2fpackage.json', '', ...internals]) {
      const response = await store().send('GET', `/docs/guide/${name}`)
      expect([name, response.status, await response.json()]).toEqual([
        name,
        404,
        expect.objectContaining({ code: 'route_not_found' }),
      ])
    }
  })
})

describe('the guides in a real browser', () => {
  const store = sharedStore('sqlite')
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  let browser: Browser | undefined

  beforeAll(async () => {
    browser = await launchBrowser()
  }, TIMEOUT_MS)
  afterAll(async () => {
    await browser?.close()
  })

  for (const width of [390, 1440]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(
        `the guides fit in ${width} px, ${colorScheme}, within their policy; the shop guide is accessible`,
        async () => {
          const page = await browser?.newPage({ viewport: { width, height: 900 }, colorScheme })
          if (!page) throw new Error('the browser did not start')
          const faults: string[] = []
          page.on('request', request => {
            if (!request.url().startsWith(store().base) && !request.url().startsWith('data:'))
              faults.push(`a guide requested ${request.url()}`)
          })
          page.on('console', message => {
            if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
          })
          for (const path of paths) {
            await page.goto(store().base + path)
            const scrollWidth = Number(await page.evaluate('document.documentElement.scrollWidth'))
            if (scrollWidth > width) faults.push(`${path} is ${scrollWidth} px wide`)
          }
          await page.goto(`${store().base}/docs/guide/shop`)
          const image = await page.evaluate(`document.querySelector('img').naturalWidth`)
          expect(Number(image)).toBeGreaterThan(100)
          const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
          expect(String(background)).toBe(colorScheme === 'dark' ? 'rgb(18, 22, 29)' : 'rgb(255, 255, 255)')
          // The debugger of the browser evaluates the script, so the content security policy does not apply to it.
          await page.evaluate(axe)
          const violations = await page.evaluate<readonly { id: string }[]>(
            'axe.run().then(({ violations }) => violations)',
          )
          expect([faults, violations.map(({ id }) => id)]).toEqual([[], []])
          await page.close()
        },
        TIMEOUT_MS,
      )
    }
  }
})
