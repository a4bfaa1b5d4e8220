import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { makePet, sharedStore } from '../support/shop.ts'
import { openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { delayRequests } from './requests.ts'
import { addPet } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

/** Creates 45 pets, which need three pages. Their names are `name` and a number. Returns the id of their category. */
async function createThreePages({ client }: TestStore, name: string): Promise<bigint> {
  const { data: category } = await client.createCategory({ body: { name: `Kind of ${name}` } })
  for (let number = 1; number <= 45; number++) {
    await client.createPet({ body: { name: `${name} ${number}`, categoryId: category.id } })
  }
  return category.id
}

const shownNames = (page: Page, name: string) =>
  page
    .getByRole('table')
    .getByRole('link', { name: new RegExp(`^${name} \\d+$`) })
    .allInnerTexts()

/** Waits until the first and the last pet of a table have these numbers. */
async function untilShows(page: Page, name: string, first: number, last: number): Promise<void> {
  await until(`the table shows ${first} to ${last}`, async () => {
    const shown = await shownNames(page, name)
    return shown[0] === `${name} ${first}` && shown.at(-1) === `${name} ${last}`
  })
}

test('Back, Forward and a reload show the same page of a list, and a filter starts at the first page', async () => {
  const categoryId = await createThreePages(store(), 'Vole')
  const page = await browser.open(store(), `/pets?categoryId=${categoryId}`)
  const next = page.getByRole('button', { name: 'Next' })
  await untilShows(page, 'Vole', 1, 20)
  await next.click()
  await untilShows(page, 'Vole', 21, 40)
  await next.click()
  await untilShows(page, 'Vole', 41, 45)
  await page.getByText('Page 3').waitFor()
  await page.getByRole('link', { name: 'Vole 43' }).click()
  await page.getByRole('heading', { name: 'Vole 43' }).waitFor()
  await page.goBack()
  await untilShows(page, 'Vole', 41, 45)
  await page.reload()
  await untilShows(page, 'Vole', 41, 45)
  await page.getByText('Page 3').waitFor()
  await page.getByRole('button', { name: 'Previous' }).click()
  await untilShows(page, 'Vole', 21, 40)
  await page.goBack()
  await untilShows(page, 'Vole', 41, 45)
  await page.goBack()
  await untilShows(page, 'Vole', 21, 40)
  await page.goForward()
  await untilShows(page, 'Vole', 41, 45)
  await page.getByRole('textbox', { name: 'Search' }).fill('Vole 4')
  await page.getByText('Page 3').waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe(`?categoryId=${categoryId}&search=Vole+4`)
})

test('a link to a later page of a list works in a new tab, and an invalid cursor leads to the first page', async () => {
  const categoryId = await createThreePages(store(), 'Newt')
  const path = `/pets?categoryId=${categoryId}`
  const first = await browser.open(store(), path)
  await first.getByRole('button', { name: 'Next' }).click()
  await untilShows(first, 'Newt', 21, 40)
  const { search } = new URL(first.url())
  const page = await browser.open(store(), `/pets${search}`)
  await untilShows(page, 'Newt', 21, 40)
  await page.getByRole('button', { name: 'Next' }).click()
  await untilShows(page, 'Newt', 41, 45)
  await page.getByRole('button', { name: 'First page' }).click()
  await untilShows(page, 'Newt', 1, 20)
  await page.getByText('Page 1').waitFor()
  const oldest = { path, first: 1, last: 20 }
  const newest = { path: `${path}&sort=-id`, first: 45, last: 26 }
  const cases = [
    { cursor: 'nonsense', list: oldest },
    { cursor: '%00%E2', list: oldest },
    { cursor: 'a'.repeat(3000), list: oldest },
    // The cursor of another list.
    { cursor: new URLSearchParams(search).get('cursor'), list: newest },
  ]
  for (const { cursor, list } of cases) {
    const invalid = await browser.open(store(), `${list.path}&cursor=${cursor}`)
    await untilShows(invalid, 'Newt', list.first, list.last)
    expect(new URL(invalid.url()).searchParams.has('cursor')).toBe(false)
    expect(await invalid.getByRole('alert').count()).toBe(0)
  }
})

test('the filters of orders, of the audit log and of deliveries are in the address', async () => {
  const { client } = store()
  const { orderId } = await makePet(client, { quantity: 9n, reserved: 1n })
  await client.updateOrder({ orderId, body: { reference: 'R-1' } })
  const page = await browser.open(store(), '/orders')
  await page.getByRole('textbox', { name: 'Reference' }).fill('R-1')
  await page.waitForURL('**/orders?reference=R-1')
  await page.getByRole('link', { name: `Order ${orderId}`, exact: true }).waitFor()
  await page.getByRole('textbox', { name: 'Reference' }).fill('R-2')
  await page.getByText('No order matches').waitFor()
  await page.getByRole('textbox', { name: 'Reference' }).fill('')
  await page.getByText('Complete', { exact: true }).click()
  await page.getByRole('link', { name: `Order ${orderId}`, exact: true }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).search).toBe('?state=complete')
  await page.reload()
  await page.getByText('No order matches').waitFor()
  await page.goto(`${store().base}/console/audit?since=2001-02-03&until=2001-02-04`)
  await page.getByText('No change matches').waitFor()
  expect(await page.getByLabel('From').inputValue()).toBe('2001-02-03')
  await page.getByLabel('To', { exact: true }).fill('2099-01-01')
  await page
    .getByText(/was placed for/)
    .first()
    .waitFor()
  expect(new URL(page.url()).search).toBe('?since=2001-02-03&until=2099-01-01')
  const { data: webhook } = await client.createWebhook({ body: { url: 'http://127.0.0.1:1/events' } })
  await page.goto(`${store().base}/console/webhooks/${webhook.id}?state=failed`)
  await page.getByText('No delivery is failed').waitFor()
  expect(await page.getByText('Send a test event to see').count()).toBe(0)
})

test('a day of the audit log is typed digit by digit', async () => {
  const page = await browser.open(store(), '/audit')
  await page.getByLabel('From').click()
  await page.keyboard.type('02032001', { delay: 30 })
  await page.waitForURL('**/audit?since=2001-02-03')
  expect(await page.getByLabel('From').inputValue()).toBe('2001-02-03')
})

test('an empty page of a search of orders leads on to the older ones', async () => {
  const { petId } = await makePet(store().client, { quantity: 9n })
  // More orders than the console looks through for a page, and one match before them.
  await store().database(`
    INSERT INTO orders (id, pet_id, quantity, complete, reference, version, created_at, updated_at)
    WITH RECURSIVE n (id) AS (SELECT 1000 UNION ALL SELECT id + 1 FROM n WHERE id < 23000)
    SELECT id, ${petId}, 1, 1, CASE WHEN id = 1000 THEN 'Anna needle' ELSE 'R' END, 1,
      '2026-11-01T00:00:00.000000Z', '2026-11-01T00:00:00.000000Z' FROM n RETURNING 1`)
  const page = await browser.open(store(), '/orders')
  await page.getByRole('textbox', { name: 'Reference' }).fill('needle')
  await page.getByText('No order matches').waitFor()
  for (const _ of ['first', 'second']) await page.getByRole('button', { name: 'Next' }).click()
  await page.getByText('Anna needle').waitFor()
})

test('a list that is read slowly shows what is new, although changes follow each other without a pause', async () => {
  const page = await browser.open(store(), '/categories?name=Steady')
  await page.getByText('No category matches').waitFor()
  await delayRequests(page, request => request.url().includes('/categories?'), 1000)
  let count = 0
  await until(
    'the list shows a new category',
    async () => {
      await store().client.createCategory({ body: { name: `Steady ${count++}` } })
      return (await page.getByText('Steady 0').count()) > 0
    },
    20_000,
  )
  // The last change is read, too, although a read was running when it came.
  await store().client.createCategory({ body: { name: 'Steady - the last' } })
  await page.getByText('Steady - the last').waitFor()
})

test('what was read stays below the refusal of a later read', async () => {
  await addPet(store(), 'Read before')
  const page = await browser.open(store(), '/pets?search=read')
  let isRefused = false
  await page.route(/\/(pets|store\/summary)(\?|$)/, route =>
    isRefused ? route.fulfill({ status: 500 }) : route.continue(),
  )
  const refusal = page.getByRole('alert', { name: 'Request refused' }).first()
  for (const read of [page.getByRole('link', { name: 'Read before' }), page.getByText('Pets available')]) {
    await read.waitFor()
    isRefused = true
    await addPet(store(), 'Not read')
    await refusal.waitFor()
    expect(await read.isVisible()).toBe(true)
    isRefused = false
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  }
})

test('the names of keys are visible when a user goes from the history of a pet to the audit log and back', async () => {
  const { petId } = await addPet(store(), 'Watched')
  const page = await browser.open(store(), `/pets/${petId}`)
  const cell = page.getByRole('cell', { name: 'admin (environment)' }).first()
  await cell.waitFor()
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByRole('heading', { name: 'Audit log' }).waitFor()
  await cell.waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Watched' }).waitFor()
  await cell.waitFor()
})

test('for an id that does not exist, the console says that there is no such resource or page', async () => {
  const page = await browser.open(store(), '/orders/9223372036854775807')
  await page.getByText('There is no such order').waitFor()
  for (const [path, text] of [
    ['orders/9223372036854775808', 'There is no such order'],
    ['webhooks/9223372036854775808', 'There is no such webhook'],
    ['webhooks/9223372036854775807', 'There is no such webhook'],
    ['pets/9223372036854775807', 'There is no pet 9223372036854775807'],
    ['pets/9223372036854775808', 'There is no such page'],
  ]) {
    await page.goto(`${store().base}/console/${path}`)
    await page.getByText(text ?? '').waitFor()
  }
})

test('while the client waits after too many requests, the page says so, and then continues', async () => {
  await using strict = await openTestStore('sqlite', { rateLimit: { requests: 100, seconds: 5 } })
  const page = await browser.open(strict, '/inventory')
  await page.getByText('No stock yet').waitFor()
  while ((await strict.send('GET', '/keys/current')).status !== 429);
  await page.getByRole('link', { name: 'Categories', exact: true }).click()
  await page.getByText(/This page continues in \d+ s by itself/).waitFor()
  await page.getByText('No categories yet').waitFor()
  await page.getByText('This page continues').waitFor({ state: 'detached' })
  await page.close()
})
