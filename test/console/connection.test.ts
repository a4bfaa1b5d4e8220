import { expect, test } from 'bun:test'
import { sharedStore } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'
import { consoleBrowser } from './console-session.ts'
import { holdRequests } from './requests.ts'
import { addPet, keyWith } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

/** How soon the page must report a store that does not respond: 5 seconds, and a reserve for a busy machine. */
const REPORTED_MS_MAX = 20_000

test('a change that is submitted offline fails at once, and is not sent later', async () => {
  const { petId } = await addPet(store(), 'Still here')
  const page = await browser.open(store(), `/pets/${petId}`)
  const dialog = page.getByRole('dialog')
  const alert = page.getByText('The store does not respond', { exact: true })
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.context().setOffline(true)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('The store did not respond.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.getByRole('button', { name: 'Close it' }).click()
  await alert.waitFor()
  await page.context().setOffline(false)
  await alert.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('heading', { name: 'Still here' }).waitFor()
  expect((await store().client.listPets({ id: [petId] })).data.items).toHaveLength(1)
})

test('a view that was opened while the store did not respond appears once the store responds', async () => {
  const page = await browser.open(store(), '')
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await page.getByText('The store does not respond', { exact: true }).waitFor()
  await page.context().setOffline(false)
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  // The page can be used, and leads to further views.
  await page.getByRole('button', { name: 'Create key' }).waitFor()
  await page.getByRole('link', { name: 'Orders', exact: true }).click()
  await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor()
})

test('a store that accepts requests but does not respond is reported until it responds', async () => {
  const page = await browser.open(store(), '/pets')
  await page.getByRole('heading', { name: 'Pets' }).waitFor()
  const alert = page.getByText('The store does not respond', { exact: true })
  const hold = await holdRequests(page, () => true)
  await page.getByRole('link', { name: 'Categories', exact: true }).click()
  await alert.waitFor({ timeout: REPORTED_MS_MAX })
  hold.release()
  await alert.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Categories' }).waitFor()
})

test('an idle page reports that the store stopped, whether or not the page follows the events', async () => {
  const stoppingStore = await openTestStore('sqlite')
  const page = await browser.open(stoppingStore, '')
  const secondTab = await browser.open(stoppingStore, '/pets', { tabOf: page })
  const polling = await browser.open(stoppingStore, '/pets', {
    key: await keyWith(stoppingStore, 'orders:read'),
  })
  const pages = [page, secondTab, polling]
  await page.getByRole('region', { name: 'Live events' }).waitFor()
  for (const tab of pages.slice(1)) await tab.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
  await stoppingStore[Symbol.asyncDispose]()
  for (const tab of pages) {
    const alert = tab.getByText('The store does not respond', { exact: true })
    await alert.waitFor({ timeout: REPORTED_MS_MAX })
    await tab.close()
  }
})
