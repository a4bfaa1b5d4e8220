import { expect, test } from 'bun:test'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore, stockOf } from '../support/shop.ts'
import { consoleBrowser } from './console-session.ts'
import { addPet, isTooWide, keyWith, LONG_NAME } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

test('the stock is filtered, and the names of its pets are read in one request', async () => {
  await addPet(store(), 'Few of them', 2n)
  const { petId } = await addPet(store(), 'Many of them', 40n)
  await store().client.placeOrder({ body: { petId, quantity: 15n } })
  const { page, faults } = await browser.open(store(), '/inventory')
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
  expect(faults).toEqual([])
  await page.close()
})

test('the stock is adjusted from the list, and a refusal says why', async () => {
  const { petId } = await addPet(store(), 'Adjusted', 5n)
  await store().client.placeOrder({ body: { petId, quantity: 4n } })
  const { page, faults } = await browser.open(store(), '/inventory')
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
  expect(faults).toEqual([])
  await page.close()
})

test('a key without inventory:write sees the stock without buttons, on a small dark screen too', async () => {
  await addPet(store(), LONG_NAME, 0n)
  const key = await keyWith(store(), 'pets:write')
  const screen = { key, width: 390, colorScheme: 'dark' } as const
  const { page, faults } = await browser.open(store(), '/inventory?status=sold', screen)
  await page.getByRole('link', { name: LONG_NAME }).waitFor()
  expect(await page.getByRole('button', { name: /Adjust/ }).count()).toBe(0)
  expect(await isTooWide(page)).toBe(false)
  expect(await seriousViolations(page)).toEqual([])
  expect(faults).toEqual([])
  await page.close()
})
