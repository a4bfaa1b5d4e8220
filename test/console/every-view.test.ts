import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { viewPaths } from '../../src/http/pages/view-paths.ts'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore } from '../support/shop.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { addPet, isTooWide, keyWith, LONG_NAME } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

/** Returns the labels of the parts of a page that the user can scroll sideways. */
const SIDEWAYS = `[...document.querySelectorAll('*')]
  .filter(part => part.scrollWidth > part.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(part).overflowX))
  .map(part => part.getAttribute('aria-label') ?? part.className)`

/** Returns the text of the filled buttons in the content of a page. */
const PRIMARY = `[...document.querySelectorAll('#main .mantine-Button-root')]
  .filter(button => (button.dataset.variant ?? 'filled') === 'filled')
  .map(button => button.textContent)`

test('each view fits a small screen without scrolling sideways, and has at most one primary action', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), LONG_NAME, 5n)
  await client.placeOrder({ body: { petId, reference: LONG_NAME.slice(0, 64) } })
  await client.createWebhook({ body: { url: `http://127.0.0.1:1/${LONG_NAME}` } })
  await client.sendTestEvent({ webhookId: 1n })
  // Its state is then a long text.
  await until('the attempt failed', async () => {
    const { data } = await client.getWebhook({ webhookId: 1n })
    return data.failingSince !== undefined && Date.now() - Date.parse(data.failingSince) > 3_000
  })
  const page = await browser.open(store(), '', { width: 390, colorScheme: 'dark' })
  await page.getByRole('banner').waitFor()
  const guides = new Set<string>()
  for (const path of viewPaths) {
    await page.goto(`${store().base}/console${path.replace(':id', '1')}`)
    // Without the frame, it would be the page to sign in.
    await page.getByRole('banner').waitFor()
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    const skeletons = page.locator('#main .mantine-Skeleton-root')
    await until('the view has its data', async () => (await skeletons.count()) === 0)
    expect([path, await isTooWide(page), await page.evaluate<string[]>(SIDEWAYS)]).toEqual([path, false, []])
    expect([path, (await page.evaluate<string[]>(PRIMARY)).length <= 1]).toEqual([path, true])
    expect([path, await seriousViolations(page)]).toEqual([path, []])
    guides.add((await page.getByRole('link', { name: 'Help', exact: true }).getAttribute('href')) ?? '')
  }
  for (const guide of guides) {
    const [address = '', part] = guide.split('#')
    const text = await (await fetch(store().base + address)).text()
    expect([guide, part === undefined || text.includes(`id="${part}"`)]).toEqual([guide, true])
  }
  expect(guides.size).toBeGreaterThan(5)
})

test('a key that may not change something sees it without the buttons for that', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), 'Only to look at', 5n)
  const { data: order } = await client.placeOrder({ body: { petId } })
  const readsOrders = await keyWith(store(), 'orders:read')
  const writesPets = await keyWith(store(), 'pets:write')
  const views: [path: string, key: string, shown: string, hidden: RegExp][] = [
    [`/pets/${petId}`, readsOrders, 'Only to look at', /Edit|Delete|Adjust|Set stock|Reorder|Sell|hold|sold/],
    ['/pets?sort=-id', readsOrders, 'Only to look at', /Add pet|Sell/],
    ['/categories?sort=-id', readsOrders, 'Kind of Only to look at', /Add|Edit|Delete/],
    ['/inventory?sort=-id', writesPets, 'Only to look at', /Adjust|Reorder/],
    [`/orders/${order.id}`, readsOrders, `Order ${order.id}`, /Edit|Complete|Cancel order/],
    ['/orders', readsOrders, `Order ${order.id}`, /Sell/],
  ]
  for (const [path, key, shown, hidden] of views) {
    const page = await browser.open(store(), path, { key })
    await page.getByRole('main').getByText(shown, { exact: true }).first().waitFor()
    expect([path, await page.getByRole('button', { name: hidden }).allInnerTexts()]).toEqual([path, []])
  }
})

/** Returns the label that the style puts before the first cell of a table, and whether the heads are above. */
async function labelsOf(page: Page): Promise<[label: string, isColumn: boolean]> {
  const label = await page.evaluate<string>(
    `getComputedStyle(document.querySelector('td'), '::before').content`,
  )
  const heads = await page.getByRole('rowgroup').first().boundingBox()
  return [label, (heads?.width ?? 0) > 10]
}

test('a row of a table is a card with labels on a small screen, and has columns on a wide one', async () => {
  await addPet(store(), 'On a card', 3n)
  const page = await browser.open(store(), '/inventory', { width: 390 })
  const row = page.getByRole('row', { name: /On a card/ })
  await row.waitFor()
  expect(await labelsOf(page)).toEqual(['"Pet"', false])
  // The roles remain, so a screen reader still reads a table.
  expect(await row.getByRole('cell').count()).toBe(7)
  await page.setViewportSize({ width: 1440, height: 900 })
  expect(await labelsOf(page)).toEqual(['none', true])
})
