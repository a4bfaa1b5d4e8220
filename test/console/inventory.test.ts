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

test('the list to order has each pet at its level by category, and what is missing, as a page and a file', async () => {
  const { client } = store()
  const { data: food } = await client.createCategory({ body: { name: 'Zz food' } })
  const add = async (name: string, quantity: bigint, reorderAt: bigint, reserved = 0n): Promise<void> => {
    const { data: pet } = await client.createPet({ body: { name, categoryId: food.id } })
    await client.setInventory({ petId: pet.id, body: { quantity, reorderAt } })
    if (reserved > 0n) await client.placeOrder({ body: { petId: pet.id, quantity: reserved } })
  }
  await add('=Beef', 2n, 10n, 1n)
  await add('At the level', 5n, 5n)
  await add('Above the level', 6n, 5n)
  // More than one page.
  for (let number = 0; number < 101; number++) await add(`Snack ${number}`, 0n, 1n)
  const page = await browser.open(store(), '/inventory')
  await page.getByRole('link', { name: 'List to order' }).click()
  await page.getByText('103 articles to order').waitFor()
  const table = page.getByRole('table', { name: 'Zz food' })
  expect(await table.getByRole('row').nth(1).getByRole('cell').allInnerTexts()).toEqual([
    '=Beef',
    '2',
    '1',
    '10',
    '9',
  ])
  expect(await table.getByRole('row', { name: 'At the level' }).getByRole('cell').last().innerText()).toBe(
    '–',
  )
  expect(await page.getByText('Above the level').count()).toBe(0)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV', exact: true }).click()
  const saved = await download
  expect(saved.suggestedFilename()).toMatch(/^order-list-\d{4}-\d\d-\d\d\.csv$/)
  const lines = (await Bun.file(await saved.path()).text()).trimEnd().split('\n')
  expect([lines.length, lines[0], lines[1]]).toEqual([
    ...[104, 'category,pet,petId,quantity,reserved,reorderAt,missing'],
    expect.stringMatching(/^Zz food,=Beef,\d+,2,1,10,9$/),
  ])
  await page.emulateMedia({ media: 'print' })
  expect([await table.isVisible(), await page.getByRole('banner').isVisible()]).toEqual([true, false])
  await page.emulateMedia({ media: 'screen' })
  expect(await seriousViolations(page)).toEqual([])
})
