import { expect, test } from 'bun:test'
import type { Request } from 'playwright-core'
import { seriousViolations } from '../support/accessibility.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { delayRequests, holdRequests } from './requests.ts'
import { addPet } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

test('an order is placed, edited and completed', async () => {
  const { petId } = await makePet(store().client, { quantity: 5n })
  await store().client.updatePet({ petId, body: { name: 'Biscuit' } })
  const page = await browser.open(store(), '/orders')
  await page.getByText('No orders').waitFor()
  expect(await seriousViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Reserve', exact: true }).click()
  await page.getByLabel('For whom').fill('R-77')
  await page.getByRole('combobox', { name: 'Pet', exact: true }).fill('Bis')
  await page.getByRole('option', { name: 'Biscuit (5 for sale)' }).click()
  await page.getByLabel('Units').fill('0')
  await page.getByRole('dialog').getByRole('button', { name: 'Reserve' }).click()
  await page.getByRole('dialog').getByText('Units must be at least 1').waitFor()
  await page.getByLabel('Units').fill('9')
  const dialog = page.getByRole('dialog')
  expect(await seriousViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Reserve' }).click()
  // The dialog shows the message with which the store refuses the order.
  await dialog.getByText('Biscuit has 5 of 5 units for sale; 9 are requested.').waitFor()
  await page.getByLabel('Units').fill('2')
  await dialog.getByRole('button', { name: 'Reserve' }).click()
  await page.getByRole('table').getByRole('link', { name: 'Order 1' }).click()
  await page.getByRole('heading', { name: 'Order 1' }).waitFor()
  expect(await seriousViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Units').fill('3')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Order changed').waitFor()
  await page.getByRole('button', { name: 'Complete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Complete' }).click()
  await page.getByText('Order completed').waitFor()
  const { data } = await store().client.getOrder({ orderId: 1n })
  expect([data.quantity, data.complete, data.reference]).toEqual([3n, true, 'R-77'])
  // After the message appears, the page reads the order again.
  await page.getByRole('button', { name: 'Edit' }).waitFor({ state: 'detached' })
})

test('before an order is completed, its dialog shows a price that was changed at another till', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), 'Repriced', 5n)
  const { data } = await client.placeOrder({ body: { petId, unitPrice: 1250n } })
  const { id: orderId = 0n } = data
  const page = await browser.open(store(), `/orders/${orderId}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Complete' }).click()
  await client.updateOrder({ orderId, body: { unitPrice: 990n } })
  await dialog.getByRole('button', { name: 'Complete' }).click()
  await dialog.getByRole('row', { name: 'Price of one (EUR) €12.50 €9.90' }).waitFor()
  expect((await client.getOrder({ orderId })).data.complete).toBe(false)
})

test('amounts have the decimals of their currency, also where the browser writes it without any', async () => {
  await using shop = await openTestStore('sqlite', { currency: 'HUF' })
  const { petId } = await addPet(shop, 'Goulash cat', 5n)
  await shop.client.updatePet({ petId, body: { price: 129_050n } })
  const page = await browser.open(shop, `/pets/${petId}`)
  await page.getByText('HUF 1,290.50').waitFor()
  await page.getByRole('main').getByRole('button', { name: 'Edit', exact: true }).click()
  const price = page.getByRole('dialog').getByLabel('Price')
  expect(await price.inputValue()).toBe('1290.50')
  await price.fill('1300')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('HUF 1,300.00').waitFor()
  expect((await shop.client.getPet({ petId })).data.price).toBe(130_000n)
})

test('with three decimals, a price is read as the page writes one', async () => {
  await using shop = await openTestStore('sqlite', { currency: 'KWD' })
  const { petId } = await addPet(shop, 'Pearl', 5n)
  for (const [locale, typed, amount] of [
    ['en-US', '1,250', 1_250_000n],
    ['en-US', '1.250', 1250n],
    ['de-DE', '1,250', 1250n],
    ['de-DE', '1.250', 1_250_000n],
  ] as const) {
    const page = await browser.open(shop, `/pets/${petId}`, { locale })
    await page
      .getByRole('main')
      .getByRole('button', { name: locale === 'en-US' ? 'Edit' : 'Bearbeiten' })
      .click()
    await page
      .getByRole('dialog')
      .getByLabel(/^(Price|Preis)/)
      .fill(typed)
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^(Save|Speichern)$/ })
      .click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect([locale, typed, (await shop.client.getPet({ petId })).data.price]).toEqual([locale, typed, amount])
  }
})

/** Opens the page of a new order for one unit, and enters 3 units in its dialog, without saving. */
async function enterThreeUnits() {
  const { client } = store()
  const { orderId } = await makePet(client, { quantity: 9n, reserved: 1n })
  const page = await browser.open(store(), `/orders/${orderId}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Units').fill('3')
  return { client, orderId, page, dialog }
}

test('after an edit, the next dialog is about the new version, although the page reads it slowly', async () => {
  const { page, dialog } = await enterThreeUnits()
  await delayRequests(page, request => request.method() === 'GET', 500)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Order changed').waitFor()
  await page.getByRole('button', { name: 'Complete' }).click()
  await dialog.getByText('3 units will leave the stock.').waitFor()
  await dialog.getByRole('button', { name: 'Complete' }).click()
  await page.getByText('Order completed').waitFor()
})

test('an edit ends, and cannot be stopped, while a store does not respond to reads', async () => {
  const { client, orderId, page, dialog } = await enterThreeUnits()
  const reads = await holdRequests(page, request => request.method() === 'GET')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await until('the change is made', async () => (await client.getOrder({ orderId })).data.quantity === 3n)
  let couldStop = false
  await until('the dialog closes', async () => {
    couldStop ||= (await dialog.getByRole('button', { name: 'Stop waiting' }).count()) > 0
    return (await dialog.count()) === 0
  })
  expect(couldStop).toBe(false)
  await page.getByText('Order changed').waitFor()
  reads.release()
  await page.getByText('3', { exact: true }).waitFor()
})

test('the order dialogs ask for a pet, tell namesakes apart, and refuse a year with five digits', async () => {
  const { client } = store()
  const twin = await makePet(client, { quantity: 5n })
  const { petId, orderId } = await makePet(client, { quantity: 9n, reserved: 1n })
  for (const id of [twin.petId, petId]) await client.updatePet({ petId: id, body: { name: 'Twin' } })
  const page = await browser.open(store(), `/orders/${orderId}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Ship date').fill('20261-01-01T10:00')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('This is not a valid date').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Cancel order' }).click()
  await dialog.getByRole('button', { name: 'Keep the order' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Orders', exact: true }).click()
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  const pet = dialog.getByRole('combobox', { name: 'Pet' })
  await until('the first field has the focus', () => pet.evaluate(input => input.matches(':focus')))
  await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
  await dialog.getByText('Pet is required').waitFor()
  expect(await dialog.getByRole('alert').count()).toBe(0)
  await pet.fill('Twin')
  await page.getByRole('option', { name: `Twin – pet ${twin.petId} (5 for sale)` }).waitFor()
  await page.getByRole('option', { name: `Twin – pet ${petId} (8 for sale)` }).click()
  await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const { data } = await client.listOrders({ sort: '-id', limit: 1 })
  expect(data.items[0]?.petId).toBe(petId)
})

/** Whether a request reads pets. */
const readsPets = (request: Request): boolean => new URL(request.url()).pathname === '/pets'

test('Enter chooses the only pet of the list, and the button orders the pet whose whole name is typed', async () => {
  const { client } = store()
  const { petId } = await makePet(client, { quantity: 5n })
  await client.updatePet({ petId, body: { name: 'Xolo the first' } })
  const page = await browser.open(store(), '/orders')
  const dialog = page.getByRole('dialog')
  for (const [typed, key] of [
    ['xolo', 'Enter'],
    ['Xolo the first', undefined],
  ] as const) {
    await page.getByRole('button', { name: 'Sell', exact: true }).click()
    const field = dialog.getByRole('combobox', { name: 'Pet' })
    await field.click()
    await page.keyboard.type(typed)
    await page.getByRole('option', { name: 'Xolo the first' }).waitFor()
    expect(await page.getByRole('option').count()).toBe(1)
    if (key) {
      await page.keyboard.press(key)
      await until('the pet is chosen', async () => (await field.inputValue()).startsWith('Xolo the first ('))
      expect(await page.getByRole('option').count()).toBe(0)
    }
    // Another read of the pets would end after this click.
    const hold = await holdRequests(page, readsPets)
    await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    hold.release()
    const { data } = await client.listOrders({ sort: '-id', limit: 1 })
    expect(data.items[0]?.petId).toBe(petId)
  }
  const { data: pets } = await client.listPets({ name: 'Xolo', include: 'stock' })
  expect(pets.items[0]?.quantity).toBe(3n)
})

test('an open list of pets does not change under the highlighted option', async () => {
  const { client } = store()
  const { petId: first } = await makePet(client, { quantity: 1n })
  const { petId: second } = await makePet(client, { quantity: 1n })
  await client.updatePet({ petId: first, body: { name: 'Stable A' } })
  await client.updatePet({ petId: second, body: { name: 'Stable B' } })
  const page = await browser.open(store(), '/orders')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  const field = dialog.getByRole('combobox', { name: 'Pet' })
  await field.fill('Stable')
  await page.getByRole('option', { name: 'Stable A (1 for sale)' }).waitFor()
  await page.keyboard.press('ArrowDown')
  // The first pet is sold, and would now be the last one of the list. The page behind the dialog shows the order.
  const { data: order } = await client.placeOrder({ body: { petId: first, complete: true } })
  await page.getByRole('link', { name: `Order ${order.id}`, exact: true, includeHidden: true }).waitFor()
  await page.keyboard.press('Enter')
  await until('the highlighted pet is chosen', async () => (await field.inputValue()).startsWith('Stable A'))
})

test('the field for a pet lists available pets first, and says why the other pets cannot be ordered', async () => {
  const { client } = store()
  const setups = [{ onHold: true }, { quantity: 0n }, { reserved: 1n }, { quantity: 2n }]
  const names = ['Otto A', 'Otto B', 'Otto C', 'Otto D']
  for (const [index, setup] of setups.entries()) {
    const { petId } = await makePet(client, setup)
    await client.updatePet({ petId, body: { name: names[index] } })
  }
  const page = await browser.open(store(), '/orders')
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  const field = page.getByRole('dialog').getByRole('combobox', { name: 'Pet' })
  await field.fill('Otto')
  const options = page.getByRole('option')
  await until('only the pets of that name are listed', async () => (await options.count()) === 4)
  expect(await options.allInnerTexts()).toEqual([
    'Otto D (2 for sale)',
    'Otto A (on hold)',
    'Otto B (sold)',
    'Otto C (all reserved)',
  ])
  // Typing the whole name chooses the pet, even without a click in the list.
  await field.fill('otto d')
  await field.press('Tab')
  await until('the pet is chosen', async () => (await field.inputValue()) === 'Otto D (2 for sale)')
  await page.getByRole('dialog').getByRole('button', { name: 'Sell', exact: true }).click()
  await page.getByText('Sold: 1 ×').waitFor()
})

test('the next receipt number is proposed, although a customer is the reference of the last order', async () => {
  const { petId } = await makePet(store().client, { quantity: 5n })
  for (const reference of ['R-0099', 'Ms Novak'])
    await store().client.placeOrder({ body: { petId, reference } })
  const page = await browser.open(store(), '/orders')
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  await page.getByRole('dialog').locator('input[value="R-0100"]').waitFor()
})

test('a pet gets a price, a sale proposes it, and another price and another pet replace it', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), 'Priced', 9n)
  const { petId: otherId } = await addPet(store(), 'Unpriced', 9n)
  const page = await browser.open(store(), `/pets/${petId}`)
  const dialog = page.getByRole('dialog')
  const price = dialog.getByLabel(/^Price/)
  await page.getByRole('button', { name: 'Edit' }).click()
  await price.fill('1,250')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Enter an amount such as 12.50').waitFor()
  await price.fill('€ 12,50')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('€12.50', { exact: true }).waitFor()
  expect((await client.listPets({ id: [petId] })).data.items[0]?.price).toBe(1250n)

  await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click()
  await until('the price is proposed', async () => (await price.inputValue()) === '12.50')
  await dialog.getByLabel('Units').fill('3')
  await dialog.getByText('3 × €12.50 = €37.50').waitFor()
  await price.fill('10')
  await dialog.getByRole('button', { name: 'Sell another' }).click()
  await page.getByText('Sold: 3 × Priced, €30.00.').waitFor()
  const pet = dialog.getByRole('combobox', { name: 'Pet' })
  await pet.fill('Priced')
  await page.getByRole('option', { name: /^Priced/ }).click()
  await price.fill('11')
  await pet.fill('Unpriced')
  await page.getByRole('option', { name: /^Unpriced/ }).click()
  await until('the typed price is gone', async () => (await price.inputValue()) === '')
  await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
  await page.getByText(/Sold: 1 × Unpriced\./).waitFor()
  const { data } = await client.listOrders({ petId: [petId, otherId] })
  expect(data.items.map(({ unitPrice }) => unitPrice)).toEqual([1000n, undefined])
  await page.goto(`${store().base}/console/orders/${data.items[0]?.id}`)
  await page.getByText('€30.00').waitFor()

  await page.goto(`${store().base}/console/pets/${petId}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await price.fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await client.listPets({ id: [petId] })).data.items[0]?.price).toBeUndefined()
})

test('a pet that is sold while the field reads its list is in the list once', async () => {
  const { client } = store()
  const { petId } = await makePet(client)
  await client.updatePet({ petId, body: { name: 'Twice read' } })
  const page = await browser.open(store(), '/orders')
  const available = page.waitForResponse(
    response => response.url().includes('status=available') && response.url().includes('Twice'),
  )
  let isSold = false
  await page.route(/search=Twice.*status=sold|status=sold.*search=Twice/, async route => {
    await available
    if (!isSold) await client.placeOrder({ body: { petId, complete: true } })
    isSold = true
    await route.continue()
  })
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  await page.getByRole('dialog').getByRole('combobox', { name: 'Pet' }).fill('Twice')
  await page.getByRole('option', { name: /^Twice read/ }).waitFor()
  expect([isSold, await page.getByRole('option').count()]).toEqual([true, 1])
})
