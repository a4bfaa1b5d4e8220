import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore, stockOf } from '../support/shop.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { delayRequests, holdRequests } from './requests.ts'
import { addPet, isTooWide, keyWith } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

/** Types as a scanner does: all at once, then Enter. */
async function scan(page: Page, ...codes: string[]): Promise<void> {
  for (const code of codes) {
    await page.keyboard.insertText(code)
    await page.keyboard.press('Enter')
  }
}

const nextArticle = (page: Page) => page.locator('input[placeholder^="A word of the name"]:focus')

test('a delivery is entered with a scanner and a keyboard, and booked with one note', async () => {
  const first = await addPet(store(), 'Barley flakes', 2n)
  const second = await addPet(store(), 'Corn flakes', 0n)
  await store().client.updatePet({ petId: first.petId, body: { barcode: '4006381333931' } })
  const page = await browser.open(store(), '/inventory')
  await page.getByRole('link', { name: 'Goods in' }).click()
  await nextArticle(page).waitFor()
  // A scanner does not wait for the store.
  await scan(page, '4006381333931', 'Corn', '4006381333931', '999', '4006381333931')
  await page.getByText('2 articles, 4 units').waitFor()
  await page.getByRole('alert').getByText('999: no pet has this barcode or name.').waitFor()
  await nextArticle(page).waitFor()
  await page.getByRole('textbox', { name: 'Units of Barley flakes' }).fill('15')
  await page.getByText('2 articles, 16 units').waitFor()
  await page.getByRole('textbox', { name: 'Note' }).fill('Futterhaus 4711')
  expect(await seriousViolations(page)).toEqual([])
  // What was entered stays when the page is loaded again.
  await page.reload()
  await page.getByRole('button', { name: 'Book 2 articles' }).click()
  await page.getByText('Booked: 2 articles, +16 units.').waitFor()
  await page.getByRole('button', { name: 'Book', exact: true, disabled: true }).waitFor()
  expect(await stockOf(store().client, first.petId)).toBe('available 17/0')
  expect(await stockOf(store().client, second.petId)).toBe('available 1/0')
  const { data } = await store().client.listMovements({ petId: first.petId, sort: '-id' })
  expect(data.items.slice(0, 1)).toMatchObject([
    { reason: 'adjustment', quantityChange: 15n, note: 'Futterhaus 4711' },
  ])
})

test('a delivery that is booked while an article is searched for loses neither it nor what was not found', async () => {
  const { petId } = await addPet(store(), 'Oat flakes', 0n)
  await addPet(store(), 'Rye flakes', 0n)
  const page = await browser.open(store(), '/inventory/delivery')
  await nextArticle(page).waitFor()
  await scan(page, 'Oat', '998')
  await page.getByText('1 article, 1 unit').waitFor()
  await page.getByText('998: no pet has this barcode or name.').waitFor()
  await delayRequests(page, request => request.url().includes('Rye'), 1000)
  await scan(page, 'Rye')
  await page.getByRole('button', { name: 'Book 1 article' }).click()
  await page.getByText('Nothing is booked yet: what you entered last was added.').waitFor()
  await page.getByText('2 articles, 2 units').waitFor()
  await page.getByRole('button', { name: 'Book 2 articles' }).click()
  await page.getByText('Booked: 2 articles, +2 units.').waitFor()
  await page.getByText('998: no pet has this barcode or name.').waitFor()
  expect(await stockOf(store().client, petId)).toBe('available 1/0')
})

test('of several pets with one name, a delivery offers each with its price and stock', async () => {
  const { petId, categoryId } = await addPet(store(), 'Twin flakes', 2n)
  await store().client.updatePet({ petId, body: { price: 250n } })
  await store().client.createPet({ body: { name: 'Twin flakes', categoryId, price: 300n } })
  const page = await browser.open(store(), '/inventory/delivery')
  await nextArticle(page).waitFor()
  await scan(page, 'Twin flakes')
  await page.getByText('Twin flakes: several pets match. Choose one:').waitFor()
  await page.getByRole('button', { name: 'Twin flakes, €3.00' }).waitFor()
  await page.getByRole('button', { name: 'Twin flakes, €2.50 (2 for sale)' }).click()
  await page.getByRole('button', { name: 'Book 1 article' }).click()
  await page.getByText('Booked: 1 article, +1 unit.').waitFor()
  expect(await stockOf(store().client, petId)).toBe('available 3/0')
})

/** Enters a delivery of one unit, and loads the page again after the store has booked it and before the reply. */
async function loseReply(name: string): Promise<Page> {
  const page = await browser.open(store(), '/inventory/delivery')
  await nextArticle(page).waitFor()
  await scan(page, name)
  const isMade = Promise.withResolvers<void>()
  let isLost = true
  await page.route('**/adjustments', async route => {
    if (!isLost) return await route.continue()
    await route.fetch()
    isMade.resolve()
  })
  await page.getByRole('button', { name: 'Book 1 article' }).click()
  await isMade.promise
  await page.reload()
  // The route stays: to remove it while the page loads can leave a request of the page waiting for ever.
  isLost = false
  await unknownAlert(page).waitFor()
  return page
}

const unknownAlert = (page: Page) =>
  page.getByRole('alert', { name: 'It is not known whether the change was made' })

test('a delivery whose page was loaded again before the reply is booked once, unaltered', async () => {
  const { petId } = await addPet(store(), 'Late flakes', 1n)
  const page = await loseReply('Late')
  expect(await page.getByRole('textbox', { name: 'Note' }).isDisabled()).toBe(true)
  expect(await page.getByRole('textbox', { name: 'Units of Late flakes' }).isDisabled()).toBe(true)
  await unknownAlert(page).getByRole('button', { name: 'Send again' }).dblclick()
  await page.getByText('Booked: 1 article, +1 unit.').waitFor()
  expect(await stockOf(store().client, petId)).toBe('available 2/0')
})

test('lines whose keys the store has forgotten, or knows of another user, are not sent again', async () => {
  const { petId } = await addPet(store(), 'Old flakes', 1n)
  const page = await loseReply('Old')
  await page.clock.setSystemTime(Date.now() + 25 * 3_600_000)
  await unknownAlert(page).getByRole('button', { name: 'Send again' }).click()
  await unknownAlert(page).getByText('another one would be made too').waitFor()
  expect(await unknownAlert(page).getByRole('button').allTextContents()).toEqual(['Start a new change'])
  const other = await loseReply('Old')
  const key = await keyWith(store(), 'inventory:read', 'inventory:write')
  await other.getByRole('button', { name: 'Sign out' }).click()
  await other.locator('input[placeholder="pst_..."], input[placeholder="pst_…"]').fill(key)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await unknownAlert(other).getByText('another one would be made too').waitFor()
  await unknownAlert(other).getByRole('button', { name: 'Start a new change' }).click()
  await other.getByRole('button', { name: 'Book', exact: true, disabled: true }).waitFor()
  // Each of the two was booked by its first attempt.
  expect(await stockOf(store().client, petId)).toBe('available 3/0')
})

test('a copied tab does not book again what the first one has booked', async () => {
  const { petId } = await addPet(store(), 'Copied flakes', 1n)
  const page = await browser.open(store(), '/inventory/delivery')
  await nextArticle(page).waitFor()
  await scan(page, 'Copied')
  await page.getByText('1 article, 1 unit').waitFor()
  const copied = page.context().waitForEvent('page')
  await page.evaluate("void open(location.href, '_blank')")
  const copy = await copied
  await copy.getByText('1 article, 1 unit').waitFor()
  await page.getByRole('button', { name: 'Book 1 article' }).click()
  await page.getByText('Booked: 1 article, +1 unit.').waitFor()
  await copy.getByRole('textbox', { name: 'Note' }).fill('Another note')
  await copy.getByRole('button', { name: 'Book 1 article' }).click()
  await copy.getByText('It is booked already, in another tab.').waitFor()
  await copy.getByRole('button', { name: 'Book', exact: true, disabled: true }).waitFor()
  expect(await stockOf(store().client, petId)).toBe('available 2/0')
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
  // Enter goes to the next field.
  await counted('Counted carp').press('Enter')
  await page.keyboard.type('3')
  await page.keyboard.press('Enter')
  await page.keyboard.type('2')
  await page.keyboard.press('Enter')
  await page.getByText('3 of 3 articles counted').waitFor()
  await page.getByText('2 articles differ: −5 units, −€7.50 at the prices of the store.').waitFor()
  // Three are sold after the count. The shelf has 5, and so has the store in the end.
  await client.placeOrder({ body: { petId, quantity: 3n, complete: true } })
  await page
    .getByRole('row', { name: /Counted carp/ })
    .getByText('7', { exact: true })
    .waitFor()
  await page.getByRole('button', { name: 'Book 2 articles' }).click()
  await page.getByText('Booked: 1 article, −2 units.').waitFor()
  await page.getByRole('alert', { name: '1 article was not booked' }).getByText('Counted crab').waitFor()
  expect(await stockOf(client, petId)).toBe('available 5/0')
  expect(await stockOf(client, same)).toBe('available 3/0')
  expect(await stockOf(client, reserved)).toBe('available 5/4')
  const { data } = await client.listMovements({ petId, sort: '-id' })
  expect(data.items[0]?.note).toStartWith('Stock take ')
  // The refused article stays, and can be counted again.
  await counted('Counted crab').fill('4')
  await counted('Counted cod').fill('2')
  // The click takes the focus from the field, whose difference it has not shown.
  await page.getByRole('button', { name: 'Book 1 article' }).click()
  await page.getByText('Nothing is booked yet').waitFor()
  await page.getByText('Counted cod: 3 in the store, 2 counted').waitFor()
  expect(await stockOf(client, same)).toBe('available 3/0')
  await counted('Counted cod').fill('3')
  await counted('Counted cod').press('Enter')
  await page.getByRole('button', { name: 'Book 1 article' }).click()
  await page.getByText('Booked: 1 article, −1 unit.').waitFor()
  expect(await stockOf(client, reserved)).toBe('pending 4/4')
})

test('a refused line stays once, although the page that sent it was left, and it was sent again', async () => {
  const { petId, categoryId } = await addPet(store(), 'Doubled dace', 5n)
  await store().client.placeOrder({ body: { petId, quantity: 4n } })
  const page = await browser.open(store(), `/inventory/count?categoryId=${categoryId}`)
  const { held, release } = await holdRequests(page, request => request.url().endsWith('/adjustments'))
  await page.getByRole('textbox', { name: 'Counted units of Doubled dace' }).fill('2')
  await page.getByRole('textbox', { name: 'Note' }).fill('Counted twice')
  await page.getByRole('button', { name: 'Book 1 article' }).click()
  await page.getByRole('link', { name: 'Inventory', exact: true }).click()
  await page.getByRole('link', { name: 'Stock take' }).click()
  await unknownAlert(page).getByRole('button', { name: 'Send again' }).click()
  await until('the line was sent twice', () => held.length === 2)
  release()
  await page.getByRole('alert', { name: '1 article was not booked' }).waitFor()
  await page.getByText('Booked: 0 articles').nth(1).waitFor()
  await page.getByRole('button', { name: 'Book 1 article' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('Counted twice')
})

test('the sheet of a stock take is printed with or without the numbers, and nothing else is', async () => {
  const { categoryId } = await addPet(store(), 'Printed perch', 4321n)
  const page = await browser.open(store(), `/inventory/count?categoryId=${categoryId}`, { width: 390 })
  await page.getByText('4,321').waitFor()
  expect(await isTooWide(page)).toBe(false)
  await page.getByRole('switch', { name: 'Hide the numbers of the store' }).click()
  await page.getByText('4,321').waitFor({ state: 'detached' })
  await page.getByRole('textbox', { name: 'Counted units of Printed perch' }).fill('7')
  await page.getByRole('textbox', { name: 'Counted units of Printed perch' }).press('Enter')
  await page.getByText('1 of 1 article counted').waitFor()
  // A blind count shows the numbers only when it is asked for them.
  expect(await page.getByText('in the store').count()).toBe(0)
  await page.getByRole('button', { name: 'Show the differences' }).click()
  await page.getByText('4,321 in the store, 7 counted').waitFor()
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('textbox', { name: 'Note' }).isVisible()).toBe(false)
  expect(await page.getByRole('link', { name: 'Printed perch' }).isVisible()).toBe(true)
  // Also small paper has a table, not the cards of a phone.
  expect(await page.evaluate<string>("getComputedStyle(document.querySelector('.printed tr')).display")).toBe(
    'table-row',
  )
  const heading = /, Kind of Printed perch: 1 of 1 article counted/
  expect(await page.getByRole('status').filter({ hasText: heading }).isVisible()).toBe(true)
})

test('a count is compared with the stock of its moment, although the page shows an older one', async () => {
  const { petId, categoryId } = await addPet(store(), 'Stale sole', 10n)
  // Without this scope, the page gets no live events.
  const key = await keyWith(store(), 'inventory:read', 'inventory:write')
  const page = await browser.open(store(), `/inventory/count?categoryId=${categoryId}`, { key })
  const field = page.getByRole('textbox', { name: 'Counted units of Stale sole' })
  await field.waitFor()
  await store().client.placeOrder({ body: { petId, quantity: 3n, complete: true } })
  await field.fill('7')
  await page.getByRole('textbox', { name: 'Note' }).click()
  await page.getByText('What you counted is what the store has.').waitFor()
  // An entry that cannot be compared is not booked, and neither are the others before it is entered again.
  const { data: other } = await store().client.createPet({ body: { name: 'Stale salmon', categoryId } })
  let isDown = true
  await page.route(`**/store/inventory/${petId}`, route => (isDown ? route.abort() : route.continue()))
  await field.fill('5')
  await page.getByRole('textbox', { name: 'Note' }).click()
  await page.getByText('Not entered: the store did not respond.').waitFor()
  expect(await page.getByRole('button', { name: 'Book', exact: true }).isDisabled()).toBe(true)
  await page.reload()
  await field.fill('5')
  await page.getByRole('textbox', { name: 'Counted units of Stale salmon' }).fill('3')
  await page.getByRole('textbox', { name: 'Note' }).click()
  const lost = page.getByRole('alert', { name: 'Not entered' })
  await lost.getByText('Stale sole').waitFor()
  await page.getByRole('button', { name: 'Book 1 article' }).click()
  isDown = false
  await field.press('Enter')
  await lost.waitFor({ state: 'detached' })
  expect(await stockOf(store().client, other.id)).toBe('available 1/0')
  await page.getByRole('button', { name: 'Book 2 articles' }).click()
  await page.getByText('Booked: 2 articles').waitFor()
})

test('of several counts of one pet, the last one is entered, in whatever order the store responds', async () => {
  const { categoryId } = await addPet(store(), 'Spelt flakes', 5n)
  const page = await browser.open(store(), `/inventory/count?categoryId=${categoryId}`)
  const field = page.getByRole('textbox', { name: 'Counted units of Spelt flakes' })
  const delays = [1000, 0, 1000]
  let answers = 0
  await page.route('**/store/inventory/*', async route => {
    await Bun.sleep(delays.shift() ?? 0)
    await route.fulfill({ response: await route.fetch() })
    answers++
  })
  const count = async (...entries: string[]): Promise<void> => {
    for (const units of entries) {
      await field.fill(units)
      await field.blur()
    }
  }
  await count('1', '12')
  await until('both responses have arrived', () => answers === 2)
  await page.getByText('1 article differs: +7 units').waitFor()
  expect(await field.inputValue()).toBe('12')
  await count('13', '')
  await until('the late response has arrived', () => answers === 3)
  await page.getByText('0 of 1 article counted').waitFor()
  expect(await field.inputValue()).toBe('')
})

test('a key that cannot change the stock is offered neither page', async () => {
  const key = await keyWith(store(), 'orders:read')
  const page = await browser.open(store(), '/inventory', { key })
  await page.getByRole('link', { name: 'List to order' }).waitFor()
  expect(await page.getByRole('link', { name: /Goods in|Stock take/ }).count()).toBe(0)
})
