import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore, stockOf } from '../support/shop.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { addPet, isTooWide, keyWith } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

/** Types an article and its units as a scanner and a keyboard do, without the mouse. */
async function addByKeyboard(page: Page, name: string, units: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Pet', exact: true })
  await page.locator('input[placeholder="A word of the name"]:focus').waitFor()
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await until('the only match is chosen', async () => /for sale\)$|\(sold\)$/.test(await field.inputValue()))
  await page.keyboard.press('Tab')
  await page.keyboard.type(units)
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText(`Added: ${name}`).waitFor()
  expect(await field.inputValue()).toBe('')
}

test('a delivery of many articles is entered without a mouse, and booked with one note', async () => {
  const first = await addPet(store(), 'Barley flakes', 2n)
  const second = await addPet(store(), 'Corn flakes', 0n)
  const page = await browser.open(store(), '/inventory')
  await page.getByRole('link', { name: 'Goods in' }).click()
  await addByKeyboard(page, 'Barley', '10')
  await addByKeyboard(page, 'Corn', '4')
  await addByKeyboard(page, 'Barley', '5')
  await page.getByText('2 articles, 19 units').waitFor()
  await page.getByRole('textbox', { name: 'Note' }).fill('Futterhaus 4711')
  expect(await seriousViolations(page)).toEqual([])
  // What was entered stays when the page is left and loaded again.
  await page.reload()
  await page.getByRole('button', { name: 'Book 2 articles' }).click()
  await page.getByText('Booked: 2 articles, +19 units.').waitFor()
  await page.getByRole('button', { name: 'Book', exact: true, disabled: true }).waitFor()
  expect(await stockOf(store().client, first.petId)).toBe('available 17/0')
  expect(await stockOf(store().client, second.petId)).toBe('available 4/0')
  const { data } = await store().client.listMovements({ petId: first.petId, sort: '-id' })
  expect(data.items.slice(0, 1)).toMatchObject([
    { reason: 'adjustment', quantityChange: 15n, note: 'Futterhaus 4711' },
  ])
})

test('a delivery whose page was closed before the reply is booked once, unaltered', async () => {
  const { petId } = await addPet(store(), 'Late flakes', 1n)
  const page = await browser.open(store(), '/inventory/delivery')
  await addByKeyboard(page, 'Late', '6')
  const isMade = Promise.withResolvers<void>()
  await page.route('**/adjustments', async route => {
    await route.fetch()
    isMade.resolve()
    // The reply never arrives.
  })
  await page.getByRole('button', { name: 'Book 1 article' }).click()
  await isMade.promise
  await page.reload()
  await page.unroute('**/adjustments')
  const alert = page.getByRole('alert', { name: 'It is not known whether the change was made' })
  await alert.waitFor()
  expect(await page.getByRole('textbox', { name: 'Note' }).isDisabled()).toBe(true)
  expect(await page.getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true)
  await alert.getByRole('button', { name: 'Send again' }).dblclick()
  await page.getByText('Booked: 1 article, +6 units.').waitFor()
  expect(await stockOf(store().client, petId)).toBe('available 7/0')
})

test('a stock take books the differences despite a sale during the count, and says what is refused', async () => {
  const { petId, categoryId } = await addPet(store(), 'Counted carp', 10n)
  const { client } = store()
  const add = async (name: string, quantity: bigint): Promise<bigint> => {
    const { data } = await client.createPet({ body: { name, categoryId, price: 250n } })
    await client.setInventory({ petId: data.id, body: { quantity } })
    return data.id
  }
  const same = await add('Counted cod', 3n)
  const reserved = await add('Counted crab', 5n)
  await client.placeOrder({ body: { petId: reserved, quantity: 4n } })
  const page = await browser.open(store(), `/inventory/count?categoryId=${categoryId}`)
  const counted = (name: string) => page.getByRole('textbox', { name: `Counted units of ${name}` })
  await counted('Counted carp').fill('8')
  await counted('Counted cod').fill('3')
  await counted('Counted crab').fill('2')
  await page.getByText('3 of 3 articles counted').waitFor()
  await page.getByText('2 articles differ: -5 units, -€7.50 at the prices of the store.').waitFor()
  // Three are sold after the count. The shelf has 5, and so has the store in the end.
  await client.placeOrder({ body: { petId, quantity: 3n, complete: true } })
  await page
    .getByRole('row', { name: /Counted carp/ })
    .getByText('7', { exact: true })
    .waitFor()
  await page.getByRole('button', { name: 'Book 2 articles' }).click()
  await page.getByText('Booked: 1 article, -2 units.').waitFor()
  await page.getByRole('alert', { name: '1 article was not booked' }).getByText('Counted crab').waitFor()
  expect(await stockOf(client, petId)).toBe('available 5/0')
  expect(await stockOf(client, same)).toBe('available 3/0')
  expect(await stockOf(client, reserved)).toBe('available 5/4')
  const { data } = await client.listMovements({ petId, sort: '-id' })
  expect(data.items[0]?.note).toStartWith('Stock take 2')
  // The refused article stays, and can be counted again.
  await counted('Counted crab').fill('4')
  await page.getByRole('button', { name: 'Book 1 article' }).click()
  await page.getByText('Booked: 1 article, -1 units.').waitFor()
  expect(await stockOf(client, reserved)).toBe('pending 4/4')
})

test('the sheet of a stock take is printed with or without the numbers, and nothing else is', async () => {
  const { categoryId } = await addPet(store(), 'Printed perch', 4321n)
  const page = await browser.open(store(), `/inventory/count?categoryId=${categoryId}`, { width: 390 })
  await page.getByText('4,321').waitFor()
  expect(await isTooWide(page)).toBe(false)
  await page.getByRole('switch', { name: 'Hide the numbers of the store' }).click()
  await page.getByText('4,321').waitFor({ state: 'detached' })
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('textbox', { name: 'Note' }).isVisible()).toBe(false)
  expect(await page.getByRole('link', { name: 'Printed perch' }).isVisible()).toBe(true)
  const heading = /, Kind of Printed perch: 0 of 1 article counted/
  expect(await page.getByRole('status').filter({ hasText: heading }).isVisible()).toBe(true)
})

test('a key that cannot change the stock is offered neither page', async () => {
  const key = await keyWith(store(), 'orders:read')
  const page = await browser.open(store(), '/inventory', { key })
  await page.getByRole('link', { name: 'List to order' }).waitFor()
  expect(await page.getByRole('link', { name: /Goods in|Stock take/ }).count()).toBe(0)
})
