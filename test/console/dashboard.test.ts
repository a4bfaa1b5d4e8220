import { expect, test } from 'bun:test'
import { version } from '../../src/files/version.ts'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'
import { consoleBrowser } from './console-session.ts'
import { addPet, keyWith } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

test('the dashboard shows the last changes at once and each event as it happens, with links', async () => {
  const { petId } = await addPet(store(), 'Biscuit', 9n)
  const page = await browser.open(store(), '')
  await page.getByText(`Times are those of UTC. Petstore ${version}.`).waitFor()
  const feed = page.getByRole('region', { name: 'Live events' })
  await feed.getByText('Biscuit has 9 units in stock and is available.').waitFor()
  await feed.getByText('Biscuit was added to Kind of Biscuit.').waitFor()
  // The stream may connect after the first order, so the page may show only a later order.
  const sentence = feed.getByText(/Order \d+ was placed for Biscuit, 2 units\./).first()
  while (!(await sentence.isVisible())) {
    await store().client.placeOrder({ body: { petId, quantity: 2n, complete: true } })
    await store().client.adjustInventory({ petId, body: { quantityChange: 2n } })
    await sentence.waitFor({ timeout: 2000 }).catch(() => {})
  }
  await page.getByRole('img', { name: /orders? in the last 30 days/ }).waitFor()
  await page.getByRole('region', { name: 'Orders per day' }).locator('svg path').first().waitFor()
  expect(await seriousViolations(page)).toEqual([])
  // The page reads the last changes again after each event, and shows no change twice.
  for (const name of ['Once', 'Later']) {
    const reading = page.waitForResponse(
      async response => response.url().includes('/audit') && (await response.text()).includes(name),
    )
    await store().client.createCategory({ body: { name } })
    await reading
  }
  await feed.getByText('The category Later was added.').waitFor()
  expect(await feed.getByText('The category Once was added.').count()).toBe(1)
  await sentence.getByRole('link', { name: 'Biscuit' }).click()
  await page.getByRole('heading', { name: 'Biscuit' }).waitFor()
})

/** Returns the parts of a chart that are beyond its edges, and so are cut. */
const CUT_PARTS = `(() => {
  const parts = [...document.querySelectorAll(
    '.recharts-wrapper :is(.recharts-line-dot, .recharts-rectangle, .recharts-cartesian-axis-tick-value)',
  )]
  if (parts.length === 0) throw new Error('the chart has no parts')
  return parts
    .map(part => [part, part.getBoundingClientRect(), part.closest('.recharts-wrapper').getBoundingClientRect()])
    .filter(([, box, chart]) => box.left < chart.left || box.right > chart.right || box.top < chart.top)
    .map(([part]) => part.textContent || part.getAttribute('class'))
})()`

test.each([
  ['a wide', 1440],
  ['a narrow', 390],
])('the right-most point of a chart and its label are not cut on %s screen', async (_, width) => {
  const { petId } = await addPet(store(), 'Charted', 9n)
  await store().client.placeOrder({ body: { petId, quantity: 2n } })
  const page = await browser.open(store(), `/pets/${petId}`, { width })
  await page.locator('.recharts-line-dot').first().waitFor()
  expect(await page.evaluate<string[]>(CUT_PARTS)).toEqual([])
  await page.goto(`${store().base}/console`)
  await page.locator('.recharts-bar path').first().waitFor()
  expect(await page.evaluate<string[]>(CUT_PARTS)).toEqual([])
})

test('what is to be reordered is listed, sold out or not, also in the list that the card links to', async () => {
  const level = async (name: string, quantity: bigint, reorderAt: bigint): Promise<void> => {
    const { petId } = await addPet(store(), name, quantity)
    await store().client.setInventory({ petId, body: { quantity, reorderAt } })
  }
  await level('Nearly gone', 2n, 2n)
  await level('Gone', 0n, 1n)
  await level('Enough of it', 3n, 2n)
  const page = await browser.open(store(), '')
  const lowStock = page.getByRole('region', { name: 'To reorder' })
  await lowStock.getByText('2 units (level 2)').waitFor()
  await lowStock.getByRole('link', { name: 'Nearly gone' }).waitFor()
  await lowStock.getByRole('link', { name: 'Gone', exact: true }).waitFor()
  expect(await lowStock.getByRole('link').allInnerTexts()).toEqual(['See all', 'Gone', 'Nearly gone'])
  await lowStock.getByRole('link', { name: 'See all' }).click()
  const all = page.getByRole('table', { name: 'Inventory' })
  await all.getByRole('link', { name: 'Nearly gone' }).waitFor()
  expect(await all.getByRole('link').allInnerTexts()).toEqual(['Gone', 'Nearly gone'])
  expect(await page.getByRole('combobox', { name: 'Show' }).inputValue()).toBe('What to reorder')
  await page.goBack()
  await page.getByRole('region', { name: 'Pets by status' }).getByRole('link', { name: 'sold' }).click()
  await page.getByRole('link', { name: 'Gone', exact: true }).waitFor()
})

test('the dashboard of an empty shop says how to give a pet a level, and that there are no orders', async () => {
  await using empty = await openTestStore('sqlite')
  const page = await browser.open(empty, '')
  await page.getByText('No pet is at or below its level. To give a pet a level').waitFor()
  await page.getByText(/No orders in the last 30 days\. .*, unless it was cancelled\./).waitFor()
  await page.locator('svg path.recharts-sector').first().waitFor()
  expect(await seriousViolations(page)).toEqual([])
  const start = page.getByRole('region', { name: 'Start here' })
  await start.getByRole('link', { name: 'import a file' }).waitFor()
  await start.getByRole('link', { name: 'Add a pet' }).click()
  await page.getByRole('button', { name: 'Add pet' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('There is no category yet.').waitFor()
  expect(await seriousViolations(page)).toEqual([])
  await dialog.getByRole('link', { name: 'Categories' }).click()
  await page.getByRole('button', { name: 'Add category' }).waitFor()
  await addPet(empty, 'The first')
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await page.getByRole('link', { name: 'The first' }).first().waitFor()
  await start.waitFor({ state: 'detached' })
  await page.close()
})

test('a key with few scopes gets the parts of the dashboard that it may read', async () => {
  const key = await keyWith(store(), 'pets:write')
  const page = await browser.open(store(), '', { key })
  await page.getByText('Your key may not read orders').waitFor()
  await page.getByRole('region', { name: 'To reorder' }).waitFor()
  expect(await page.getByRole('region', { name: 'Live events' }).count()).toBe(0)
  expect(await seriousViolations(page)).toEqual([])
  // Only the audit log has the changes before now, newest first.
  const follower = await browser.open(store(), '', { key: await keyWith(store(), 'events:read') })
  await follower.getByText('Changes appear here from now on.').waitFor()
})

test('on a dark system, the button for the colours first offers light colours, and then dark colours', async () => {
  const page = await browser.open(store(), '', { colorScheme: 'dark' })
  const schemeOfPage = () => page.locator('html').getAttribute('data-mantine-color-scheme')
  await page.getByRole('button', { name: 'Use light colours' }).click()
  await page.getByRole('button', { name: 'Use dark colours' }).waitFor()
  expect(await schemeOfPage()).toBe('light')
  await page.getByRole('button', { name: 'Use dark colours' }).click()
  await page.getByRole('button', { name: 'Use light colours' }).waitFor()
  expect(await schemeOfPage()).toBe('dark')
})
