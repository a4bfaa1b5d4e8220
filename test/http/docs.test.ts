import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { INSECURE_HOST, launchBrowser } from '../support/browser.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { until } from '../support/until.ts'

const TIMEOUT_MS = 120_000

/** An open page, with the faults that were observed on it. */
interface WatchedPage {
  readonly page: Page
  /** The requests to other hosts, and the errors and warnings, such as violations of the content security policy. */
  readonly faults: string[]
}

describe('the docs page in a real browser', () => {
  const store = sharedStore('sqlite')
  let browser: Browser | undefined
  /** The pages that several tests use, because a load of this page takes seconds of processor time. */
  const pages = new Map<string, WatchedPage>()

  beforeAll(async () => {
    browser = await launchBrowser()
  }, TIMEOUT_MS)
  afterAll(async () => {
    await browser?.close()
  })

  async function open(
    path: string,
    width: number,
    colorScheme: 'light' | 'dark',
    host = '127.0.0.1',
  ): Promise<WatchedPage> {
    const page = await browser?.newPage({ viewport: { width, height: 900 }, colorScheme })
    if (!page) throw new Error('the browser did not start')
    const faults: string[] = []
    const base = store().base.replace('127.0.0.1', host)
    page.on('request', request => {
      const isLocal = request.url().startsWith(base) || /^(data|blob):/.test(request.url())
      if (!isLocal) faults.push(`the page requested ${request.url()}`)
    })
    page.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
    })
    page.on('pageerror', error => faults.push(error.message))
    await page.goto(base + path)
    await page.getByRole('heading', { name: 'Petstore', exact: true }).waitFor()
    return { page, faults }
  }

  /** Goes to a part of the page of this host and width that the first test of them opened. */
  async function show(
    path: string,
    width: number,
    colorScheme: 'light' | 'dark',
    host = '127.0.0.1',
  ): Promise<WatchedPage> {
    const name = `${host} ${width}`
    const opened = pages.get(name)
    if (opened === undefined) {
      const watched = await open(path, width, colorScheme, host)
      pages.set(name, watched)
      return watched
    }
    const { page } = opened
    await page.emulateMedia({ colorScheme })
    const url = store().base.replace('127.0.0.1', host) + path
    if (page.url() !== url) await page.goto(url)
    return opened
  }

  /** Returns the section of an operation, by its method and path. */
  function sectionOf(page: Page, operation: string): Locator {
    return page.locator(`section[id$="/${operation}"]`)
  }

  // One page of each width loads in each scheme, and then changes to the other.
  for (const [width, scheme] of [
    [390, 'light'],
    [390, 'dark'],
    [1440, 'dark'],
    [1440, 'light'],
  ] as const) {
    test(
      `the docs page renders at ${width} px, ${scheme}, from this host only and within its content security policy`,
      async () => {
        const { page, faults } = await show('/docs', width, scheme)
        const expected = scheme === 'dark' ? 'rgb(15, 15, 15)' : 'rgb(255, 255, 255)'
        await until(`the background is ${expected}`, async () => {
          const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
          return background === expected
        })
        const picture = await page.screenshot()
        expect(picture.length).toBeGreaterThan(20_000)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        expect(faults).toEqual([])
      },
      TIMEOUT_MS,
    )
  }

  test(
    'the docs page shows the deprecation of an operation at the target of its Link with rel="deprecation"',
    async () => {
      const { petId } = await makePet(store().client)
      const link = (await store().send('GET', `/pets/${petId}`)).headers.get('link') ?? ''
      const target = /<([^>]+)>; rel="deprecation"/.exec(link)?.[1] ?? ''
      expect(target).toStartWith(`${store().base}/docs#`)
      // The first test with a page of this host, so that it loads at the target.
      const { page, faults } = await show(target.slice(store().base.length), 1440, 'light', INSECURE_HOST)
      const operation = page.locator('section', { hasText: 'Read a pet' }).last()
      await operation.getByText('Deprecated').first().waitFor()
      expect(faults).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    'the docs page shows the stability, the name of the preview and the errors of an operation',
    async () => {
      const { page, faults } = await show('/docs#tag/store/GET/store/summary', 1440, 'light')
      await page.getByText('store-summary').first().waitFor()
      await page.getByText('experimental', { exact: false }).first().waitFor()
      const shown = page.locator('body')
      for (const text of ['preview_required', 'insufficient_scope', 'rate_limited']) {
        expect(await shown.getByText(text).count()).toBeGreaterThan(0)
      }
      expect(faults).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    'the docs page shows the stage of an operation that is not stable, and the last day of a deprecated one',
    async () => {
      const { page, faults } = await show('/docs#tag/webhooks/POST/webhooks', 1440, 'light')
      await sectionOf(page, 'POST/webhooks').getByText('Beta', { exact: true }).first().waitFor()
      await show('/docs#tag/pets/GET/pets/%7BpetId%7D', 1440, 'light')
      await sectionOf(page, 'GET/pets/{petId}').getByText('until 2027-12-31').first().waitFor()
      expect(faults).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    'samples have a key only where one is required, and the sample of an order has an Idempotency-Key',
    async () => {
      const { page, faults } = await show('/docs#tag/pets/GET/pets', 1440, 'light')
      const list = sectionOf(page, 'GET/pets').locator('.examples')
      await list.getByText('/pets').first().waitFor()
      expect(await list.innerText()).not.toContain('Authorization')
      await show('/docs#tag/store/POST/store/orders', 1440, 'light')
      const order = sectionOf(page, 'POST/store/orders').locator('.examples')
      await order.getByText('Authorization: Bearer').first().waitFor()
      expect(await order.innerText()).toContain('Idempotency-Key: "place-order-0042"')
      expect(faults).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    'at 390 px, the sample of an operation is between its text and its request body',
    async () => {
      const { page } = await show('/docs#tag/store/POST/store/orders', 390, 'light')
      const section = sectionOf(page, 'POST/store/orders')
      const topOf = async (selector: string): Promise<number> =>
        (await section.locator(selector).first().boundingBox())?.y ?? Number.NaN
      await section.locator('.examples').waitFor()
      const [text, sample, body] = [
        await topOf('.markdown'),
        await topOf('.examples'),
        await topOf('.request-body'),
      ]
      expect(text).toBeLessThan(sample)
      expect(sample).toBeLessThan(body)
    },
    TIMEOUT_MS,
  )

  test(
    'without HTTPS, a link on the docs page can be copied',
    async () => {
      const { page, faults } = await show('/docs#tag/pets/GET/pets', 1440, 'light', INSECURE_HOST)
      await page.evaluate(`document.addEventListener('copy', () => {
        globalThis.copiedText = document.activeElement.value
      })`)
      await page.getByRole('button', { name: 'Copy link', exact: true }).first().click()
      await page.waitForFunction('globalThis.copiedText !== undefined', undefined, { timeout: 5000 })
      expect(await page.evaluate<string>('copiedText')).toContain('/docs#tag/pets')
      expect(faults).toEqual([])
    },
    TIMEOUT_MS,
  )

  test.each([
    ['from a page with a secure context', '127.0.0.1'],
    ['without HTTPS', INSECURE_HOST],
  ])(
    'the docs page sends a request to the running store, with a key and without one, %s',
    async (_, host) => {
      const { page, faults } = await show('/docs#tag/store/GET/store/orders', 1440, 'light', host)
      const send = async (): Promise<void> => {
        await page.getByRole('button', { name: /^Send\b.*store\/orders/ }).click()
      }
      await sectionOf(page, 'GET/store/orders')
        .getByRole('button', { name: /Test Request ?\(get \/store\/orders\)/ })
        .click()
      await send()
      await page.getByText('401 Unauthorized').waitFor()
      const refusals = faults.splice(0)
      expect(refusals.every(fault => fault.includes('401'))).toBe(true)
      await page.getByPlaceholder('Token').last().fill(ADMIN_KEY)
      await send()
      await page.getByText('200 OK').waitFor()
      expect(faults).toEqual([])
    },
    TIMEOUT_MS,
  )
})

describe('the entry pages of the service', () => {
  const store = sharedStore('sqlite')

  test('the docs page has a strict content security policy', async () => {
    const policy = (await store().send('GET', '/docs')).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toContain('http')
  })

  test('the script of the docs page is compressed if the client accepts that, and has an ETag for caches', async () => {
    const packed = await fetch(`${store().base}/docs/scalar.js`, { headers: { 'Accept-Encoding': 'gzip' } })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    const etag = packed.headers.get('etag') ?? ''
    const plain = await fetch(`${store().base}/docs/scalar.js`, {
      headers: { 'Accept-Encoding': 'identity' },
    })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await plain.text()).toBe(await packed.text())
    const again = await fetch(`${store().base}/docs/scalar.js`, { headers: { 'If-None-Match': etag } })
    expect(again.status).toBe(304)
  })
})
