import { expect, test } from 'bun:test'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore, stockOf } from '../support/shop.ts'
import { consoleBrowser } from './console-session.ts'
import { addPet } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

test('the stock is filtered, and the names of its pets are read in one request', async () => {
  await addPet(store(), 'Few of them', 2n)
  const { petId } = await addPet(store(), 'Many of them', 40n)
  await store().client.placeOrder({ body: { petId, quantity: 15n } })
  const page = await browser.open(store(), '/inventory')
  const row = page.getByRole('row', { name: /Many of them/ })
  await row.waitFor()
  const nameRequests: string[] = []
  page.on('request', request => {
    if (request.url().includes('/pets?id=')) nameRequests.push(request.url())
  })
  await page.reload()
  await row.waitFor()
  expect(await row.getByRole('cell').allInnerTexts()).toEqual([
    'Many of them',
    'AVAILABLE',
    '40',
    '15',
    '25',
    '–',
    'Adjust\nReorder at',
  ])
  expect(nameRequests).toHaveLength(1)
  await page.getByRole('textbox', { name: 'In stock, at most' }).fill('5')
  await row.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Few of them' }).waitFor()
  expect(new URL(page.url()).search).toBe('?atMost=5')
  expect(await seriousViolations(page)).toEqual([])
})

test('the stock is adjusted from the list, and a refusal says why', async () => {
  const { petId } = await addPet(store(), 'Adjusted', 5n)
  await store().client.placeOrder({ body: { petId, quantity: 4n } })
  const page = await browser.open(store(), '/inventory')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Adjust Adjusted' }).click()
  await dialog.getByRole('textbox', { name: 'Change' }).fill('-2')
  await dialog.getByRole('button', { name: 'Adjust' }).click()
  const refusal = 'Adjusted would have 3 units in stock, but open orders reserve 4.'
  await dialog.getByText(refusal).waitFor()
  expect(await stockOf(store().client, petId)).toBe('available 5/4')
  expect(await seriousViolations(page)).toEqual([])
  await dialog.getByRole('textbox', { name: 'Change' }).fill('-1')
  await dialog.getByRole('button', { name: 'Adjust' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await stockOf(store().client, petId)).toBe('pending 4/4')
})
