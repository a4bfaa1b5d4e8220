import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { sharedStore } from '../support/shop.ts'
import { consoleBrowser } from './console-session.ts'
import { holdRequests, setStoreTime } from './requests.ts'
import { addPet } from './shop-data.ts'

/** The zone of the shop is west of Greenwich, where it is 20:30 at midnight in UTC. */
const ZONE = 'America/St_Johns'
let nowMs = Date.parse('2026-11-22T23:00:00-03:30')
const store = sharedStore('sqlite', { timeZone: ZONE, clock: () => nowMs })
const browser = consoleBrowser()

/** The number of orders that a page lists at most. */
const LISTED_MAX = 1000

test('the rows of a day are never under another day, and the day turns at midnight in the shop', async () => {
  const { petId } = await addPet(store(), 'Dated', 9n)
  await store().client.placeOrder({ body: { petId, reference: 'Late at night' } })
  const page = await browser.open(store(), '/orders')
  await page.getByText('Late at night').waitFor()
  // The clock of the browser is days away.
  await setStoreTime(page, Date.parse('2026-11-22T23:59:55-03:30'))
  await page.getByText('Today', { exact: true }).click()
  await page.getByText('2026-11-22: 1 order, 1 unit').waitFor()
  const hold = await holdRequests(page, request => request.url().includes('/store/orders'))
  await page.getByText('Yesterday', { exact: true }).click()
  await page.getByText('2026-11-21: reading…').waitFor()
  expect(await page.getByText('Late at night').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'CSV', exact: true }).count()).toBe(0)
  hold.release()
  await page.getByText('2026-11-21: no orders').waitFor()
  // At midnight, what was today is yesterday.
  await page.getByText('2026-11-22: 1 order, 1 unit').waitFor()
  await page.getByText('Today', { exact: true }).click()
  await page.getByText('2026-11-23: no orders').waitFor()
  await page.getByText('Range', { exact: true }).click()
  await page.getByText('All days: 1 order').waitFor()
  await page.getByLabel('From').fill('2026-11-22')
  await page.getByText('From 2026-11-22: 1 order').waitFor()
  await page.getByLabel('To', { exact: true }).fill('2026-11-01')
  await page.getByText('The days are reversed').waitFor()
})

test('a file has all orders of a list, not only those of the page, and reading them can be stopped', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), 'Popular', BigInt(LISTED_MAX) * 2n)
  nowMs += 3_600_000 * 48
  const count = LISTED_MAX + 20
  const place = (): Promise<unknown> => client.placeOrder({ body: { petId } })
  for (let placed = 0; placed < count; placed += 60) await Promise.all(Array.from({ length: 60 }, place))
  const page = await browser.open(store(), '/orders?day=range&from=2026-11-24&state=open')
  await page.getByText('From 2026-11-24, open: the newest 1,000 orders; there are more.').waitFor()
  const hold = await holdRequests(page, request => request.url().includes('cursor='))
  await page.getByRole('button', { name: 'CSV', exact: true }).click()
  await page.getByText('orders read…').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  hold.release()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV', exact: true }).click(),
  ])
  expect(download.suggestedFilename()).toBe('orders-from-2026-11-24-open.csv')
  const lines = readFileSync((await download.path()) ?? '', 'utf8').split('\n')
  expect(lines.length).toBe(Math.ceil(count / 60) * 60 + 2)
})

test('the history has the names of then, who changed the stock and why, after a pet and a key are gone', async () => {
  const { client } = store()
  const { petId, categoryId } = await addPet(store(), 'Before')
  const { data: till } = await client.createKey({ body: { name: 'till 4', scopes: ['inventory:write'] } })
  const page = await browser.open(store(), `/pets/${petId}`)
  await page.getByRole('button', { name: 'Adjust' }).waitFor()
  const adjustment = { quantityChange: 3, note: 'Found behind the shelf' }
  await store().send('POST', `/store/inventory/${petId}/adjustments`, {
    headers: { Authorization: `Bearer ${till.key}` },
    body: JSON.stringify(adjustment),
  })
  const history = page.getByRole('table', { name: 'History' })
  await history.getByText('Found behind the shelf').waitFor()
  await client.updatePet({ petId, body: { name: 'After' } })
  await client.updateCategory({ categoryId, body: { name: 'Renamed kind' } })
  await client.revokeKey({ keyId: till.id })
  await page.getByRole('heading', { name: 'After' }).waitFor()
  await history.getByText('Before has 4 units in stock').waitFor()
  await page.reload()
  await history.getByText('Before was added to Kind of Before.').waitFor()
  const movement = page.getByRole('table', { name: 'Movements' }).getByRole('row', { name: 'Found' })
  await movement.getByText('till 4').waitFor()
  await client.deletePet({ petId })
  await page.getByRole('heading', { name: 'After' }).waitFor()
  await page.goto(`${store().base}/console/audit?petId=${petId}&keyId=${till.id}`)
  await page.getByText('Before has 4 units in stock').waitFor()
  expect(await page.getByRole('combobox', { name: 'Pet', exact: true }).inputValue()).toBe('After')
  expect(await page.getByRole('combobox', { name: 'Key' }).inputValue()).toBe('till 4 (revoked)')
})

test('the days of the filters of the audit log are those of the shop', async () => {
  const { petId } = await addPet(store(), 'Logged')
  const page = await browser.open(store(), `/audit?petId=${petId}`)
  const entry = page.getByText('Logged was added to')
  await entry.waitFor()
  expect(await page.getByRole('combobox', { name: 'Pet', exact: true }).inputValue()).toBe('Logged')
  const day = (ms: number) => new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE }).format(ms)
  await page.getByLabel('From').fill(day(nowMs + 86_400_000))
  await page.getByText('No change matches.').waitFor()
  await page.getByLabel('From').fill(day(nowMs))
  await page.getByLabel('To', { exact: true }).fill(day(nowMs))
  await entry.waitFor()
})
