import { afterAll, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { INSECURE_HOST, launchBrowser } from '../support/browser.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { sharedStore } from '../support/shop.ts'
import { until } from '../support/until.ts'
import { holdRequests } from './requests.ts'
import { keyWith } from './shop-data.ts'

/** More than the six connections that a browser opens to one host. */
const TABS = 7
/** Longer than a stream is silent before a page says so, and polls. Pages with a clock of the test skip this time. */
const SILENCE_MS = 25_000

const store = sharedStore('sqlite')
const browser = await launchBrowser()
afterAll(() => browser.close())

/** Opens tabs of one page, one after the other, and waits until each shows its heading. */
async function openTabs(context: BrowserContext, url: string, heading: string): Promise<Page[]> {
  const tabs: Page[] = []
  for (let count = 0; count < TABS; count++) {
    const tab = await context.newPage()
    await tab.goto(url)
    await tab.getByRole('heading', { name: heading, exact: true }).waitFor()
    tabs.push(tab)
  }
  return tabs
}

const isLive = async (tab: Page | undefined, name: string): Promise<boolean> =>
  (await tab?.getByRole('region', { name: 'Live events' }).getByText(name).first().isVisible()) === true

/** Creates categories until each of the tabs shows an event about one of them. */
async function showEvent(tabs: readonly Page[], name: string): Promise<void> {
  await until('every tab shows an event', async () => {
    await store().client.createCategory({ body: { name } })
    const shown = await Promise.all(tabs.map(tab => isLive(tab, name)))
    return shown.every(Boolean)
  })
}

test.each([
  ['with locks', '127.0.0.1'],
  ['without HTTPS, and so without locks', INSECURE_HOST],
])(
  'seven tabs of the console all load and show events, %s, and another tab reads the stream when one is closed',
  async (_, host) => {
    const context = await browser.newContext()
    // Without audit:read, the tabs show only what the stream brings.
    const key = await keyWith(store(), 'events:read')
    const url = `${store().base.replace('127.0.0.1', host)}/console#key=${key}`
    const tabs = await openTabs(context, url, 'Dashboard')
    await showEvent(tabs, `Before ${host}`)
    // One of these tabs reads the stream.
    for (const tab of tabs.splice(0, TABS - 2)) await tab.close()
    await showEvent(tabs, `After ${host}`)
    await context.close()
  },
)

test('seven tabs with the requests of a sandbox all load and show requests, without HTTPS', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create({ seed: 'empty' })
  const context = await browser.newContext()
  const base = sandbox.created.baseUrl.replace('127.0.0.1', INSECURE_HOST)
  const url = `${base}/console/requests#key=${sandbox.created.adminKey}`
  const tabs = await openTabs(context, url, 'Requests')
  await sandbox.call('GET', '/pets/404404')
  for (const tab of tabs) await tab.getByRole('button', { name: '/pets/404404' }).waitFor()
  await context.close()
})

test.each([
  ['with locks', '127.0.0.1'],
  ['without HTTPS, and so without locks', INSECURE_HOST],
])('tabs with the requests of four sandboxes of one host all load, %s', async (_, address) => {
  await using host = await openSandboxHost()
  const context = await browser.newContext()
  for (let count = 0; count < 4; count++) {
    const { created, call } = await host.create({ seed: 'empty' })
    const page = await context.newPage()
    await page.clock.install()
    const base = created.baseUrl.replace('127.0.0.1', address)
    // Each of these pages opens two streams, if it may.
    await page.goto(`${base}/console/requests#key=${created.adminKey}`)
    await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor()
    await call('GET', '/pets/404404')
    const request = page.getByRole('button', { name: '/pets/404404' })
    // The first two pages have all streams. A page without one polls whenever this time has passed.
    await until('the page shows the request', async () => {
      if (count >= 2) await page.clock.fastForward(SILENCE_MS)
      return await request.isVisible()
    })
  }
  await context.close()
})

test('tabs that read too many streams after a sleep of the computer give them up, without HTTPS', async () => {
  await using host = await openSandboxHost()
  const context = await browser.newContext()
  const open = async (): Promise<Page> => {
    const { created } = await host.create({ seed: 'empty' })
    const page = await context.newPage()
    await page.clock.install()
    const base = created.baseUrl.replace('127.0.0.1', INSECURE_HOST)
    await page.goto(`${base}/console/requests#key=${created.adminKey}`)
    await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor()
    return page
  }
  const pages = [await open(), await open(), await open(), await open()]
  // The last two pages do not hear the others during the sleep, so they read streams, and six connections are in use.
  for (const page of pages.slice(2)) await page.clock.runFor(SILENCE_MS)
  await open()
  await context.close()
})

test('a page whose stream is held back by a proxy says so, and reads its data until the stream arrives', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create({ seed: 'empty' })
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.clock.install()
  const { release } = await holdRequests(page, request => request.url().endsWith('/stream'))
  await page.goto(`${sandbox.created.baseUrl}/console#key=${sandbox.created.adminKey}`)
  const alert = page.getByText('Nothing arrives live')
  await page.getByRole('heading', { name: 'Dashboard', exact: true }).waitFor()
  await page.clock.fastForward(SILENCE_MS)
  await alert.waitFor()
  await page.getByRole('link', { name: 'Requests', exact: true }).click()
  // The log is read even if its stream never begins.
  await sandbox.call('GET', '/pets/404404')
  await page.clock.fastForward(SILENCE_MS)
  await alert.waitFor()
  await page.getByRole('button', { name: '/pets/404404' }).waitFor()
  await page.getByRole('link', { name: 'Categories', exact: true }).click()
  await sandbox.call('POST', '/categories', { body: { name: 'Polled' } })
  await page.getByRole('link', { name: 'Polled' }).waitFor()
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await alert.waitFor()
  release()
  await alert.waitFor({ state: 'detached' })
  await context.close()
})
