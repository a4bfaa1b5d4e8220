import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { DAY_MS } from '../../src/values/time-zone.ts'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore, stockOf } from '../support/shop.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { setStoreTime } from './requests.ts'
import { addPet, isTooWide } from './shop-data.ts'

const ZONE = 'Pacific/Auckland'
/** In Auckland, it is half past one on the next day. */
let nowMs = Date.parse('2026-11-26T12:30:00Z')

const store = sharedStore('sqlite', { timeZone: ZONE, clock: () => nowMs })
const browser = consoleBrowser()

/** The width of a phone, on which all jobs of an owner's day are done. */
const PHONE = 390
const WIDE = 1440

async function open(path: string, width = PHONE) {
  const page = await browser.open(store(), path, { width })
  const dialog = page.getByRole('dialog')
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  /** Checks what the job leaves, on both screens. */
  const end = async (): Promise<void> => {
    for (const size of [width, width === PHONE ? WIDE : PHONE]) {
      await page.setViewportSize({ width: size, height: 900 })
      await until(`the page fits ${size} pixels`, async () => !(await isTooWide(page)))
      expect(await seriousViolations(page)).toEqual([])
    }
  }
  return { page, dialog, press, end }
}

test.each([PHONE, WIDE])(
  'on %p pixels, an owner finds a pet by any word, sells three by keyboard, and undoes a wrong sale',
  async width => {
    const { petId } = await addPet(store(), `Käthe ${width} (Golden Retriever)`, 30n)
    const { page, dialog, end } = await open('/', width)
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
    if (width === PHONE) await page.getByRole('button', { name: 'Menu' }).click()
    const search = page.getByRole('combobox', { name: 'Find a pet or an order' }).filter({ visible: true })
    await search.fill(`retr kathe ${width}`)
    await page.getByRole('option', { name: `Käthe ${width} (Golden Retriever) (available)` }).waitFor()
    // The highlighted option leaves the list with the next letters. Enter opens the first of the new ones.
    await search.press('ArrowDown')
    await search.fill(`golden ${width}`)
    await page.getByRole('option', { name: `Käthe ${width} (Golden Retriever) (available)` }).waitFor()
    await search.press('Enter')
    await page.getByRole('heading', { name: `Käthe ${width}` }).waitFor()

    await page.getByRole('banner').getByRole('button', { name: 'Sell', exact: true }).click()
    const pet = dialog.getByRole('combobox', { name: 'Pet' })
    for (let sale = 1; sale <= 3; sale++) {
      await until('the field of the pet has the focus', () => pet.evaluate(field => field.matches(':focus')))
      expect(await pet.inputValue()).toBe('')
      if (sale === 1) await dialog.getByLabel('Reference').fill(`B-${width}-09`)
      if (sale === 1) await pet.focus()
      else await dialog.locator(`input[value="B-${width}-${String(sale + 8).padStart(2, '0')}"]`).waitFor()
      await page.keyboard.type(`kath ${width}`)
      await page.getByRole('option', { name: `Käthe ${width}` }).waitFor()
      // The keys beside the name: Enter for the pet, six times Tab, Enter for the button.
      await page.keyboard.press('Enter')
      for (let key = 0; key < 6; key++) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      const sold = `Sold: 1 × Käthe ${width} (Golden Retriever).`
      await page
        .getByRole('alert')
        .filter({ hasText: `B-${width}-${String(sale + 8).padStart(2, '0')}` })
        .waitFor()
      await page.getByText(sold).first().waitFor()
    }
    expect(await stockOf(store().client, petId)).toBe('available 27/0')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const last = page.getByRole('alert').filter({ hasText: `B-${width}-11` })
    await last.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The sale was taken back: its units are in the stock again.').waitFor()
    expect(await stockOf(store().client, petId)).toBe('available 28/0')
    await end()
  },
)

test('an owner sells several articles to one customer by keyboard, and takes all of them back', async () => {
  const { client } = store()
  const first = await addPet(store(), `Leash`, 9n)
  const second = await addPet(store(), `Collar`, 9n)
  await client.updatePet({ petId: first.petId, body: { price: 1250n } })
  await client.updatePet({ petId: second.petId, body: { price: 640n } })
  const { page, dialog, press, end } = await open('/')
  await page.getByRole('banner').getByRole('button', { name: 'Sell', exact: true }).click()
  const pet = dialog.getByRole('combobox', { name: 'Pet' })
  const choose = async (name: string): Promise<void> => {
    await until('the field of the pet has the focus', () => pet.evaluate(field => field.matches(':focus')))
    await page.keyboard.type(name)
    await page.getByRole('option', { name }).waitFor()
    await page.keyboard.press('Enter')
  }
  await choose(`Leash`)
  await dialog.getByLabel('Price of one (EUR)').and(page.locator('[value="12.50"]')).waitFor()
  await dialog.getByLabel('Units').fill('2')
  await page.keyboard.press('Alt+A')
  await dialog.getByText('1 article, €25.00 so far').waitFor()
  await choose(`Collar`)
  await dialog.getByLabel('Price of one (EUR)').and(page.locator('[value="6.40"]')).waitFor()
  await dialog.getByRole('button', { name: 'Add another article' }).click()
  await choose(`Collar`)
  await dialog.getByRole('button', { name: 'Add another article' }).click()
  await dialog.getByText('3 articles, €37.80 so far').waitFor()
  await choose(`Leash`)
  await dialog.getByRole('button', { name: `Remove Collar` }).last().click()
  await dialog.getByText('2 articles, €31.40 so far').waitFor()
  // The field still shows the pet that would be sold.
  expect(await pet.inputValue()).toStartWith('Leash')
  await pet.fill('never chosen')
  await press('Sell')
  await dialog.getByText('“never chosen” was not chosen. Choose a pet, or sell without it.').waitFor()
  expect(await seriousViolations(page)).toEqual([])
  // Units and a price without a pet are not left out in silence either, whatever was asked before.
  await dialog.getByLabel('Units').fill('3')
  await press('Sell')
  await dialog.getByText('“never chosen” was not chosen for 3 units. Choose a pet').waitFor()
  await dialog.getByLabel('Price of one (EUR)').fill('4.20')
  await press('Sell')
  await dialog.getByText('was not chosen for 3 units at 4.20. Choose a pet').waitFor()
  await press('Sell')
  const note = page.getByRole('alert').filter({ hasText: /^Sold: receipt \d+, 3 units, €31\.40\./ })
  await note.waitFor()
  expect([await stockOf(client, first.petId), await stockOf(client, second.petId)]).toEqual([
    ...['available 7/0', 'available 8/0'],
  ])
  await note.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The sale was taken back: its units are in the stock again.').waitFor()
  expect([await stockOf(client, first.petId), await stockOf(client, second.petId)]).toEqual([
    ...['available 9/0', 'available 9/0'],
  ])
  // The clock of the store is not that of its Date header, which decides on today.
  await page.goto(`${store().base}/console/orders?day=range&from=2026-11-01&to=2026-12-31`)
  await page.getByText(/takings €\d+\.\d\d: .*, \d+ units returned for €31\.40\./).waitFor()
  await page
    .getByRole('cell', { name: /€31\.40/ })
    .first()
    .waitFor()
  await page.goto(`${store().base}/console/pets/${first.petId}`)
  await page.getByText('has a return. It was for').first().waitFor()
  await page.getByText('2 units came back so far.').first().waitFor()
  await end()
})

test('an owner takes back a sale of yesterday, and takes, changes and completes orders for collection', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), `Collected`, 9n)
  const { data: sale } = await client.placeOrder({ body: { petId, quantity: 2n, complete: true } })
  const { page, dialog, press, end } = await open(`/orders/${sale.id}`)
  await page.getByRole('button', { name: 'Return' }).click()
  await dialog.getByLabel('Units').fill('3')
  await press('Return')
  await dialog.getByText('Enter 1 to 2 units.').waitFor()
  await dialog.getByLabel('Units').fill('2')
  await press('Return')
  await page.getByText('The return is in the books').waitFor()
  expect(await page.getByRole('button', { name: 'Return' }).count()).toBe(0)
  expect(await stockOf(client, petId)).toBe('available 9/0')

  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('button', { name: 'Reserve', exact: true }).click()
  await dialog.getByRole('combobox', { name: 'Pet' }).fill(`coll`)
  await page.getByRole('option', { name: `Collected` }).click()
  await press('Reserve')
  await dialog.getByText('Enter the name of the customer.').waitFor()
  await dialog.getByLabel('For whom').fill('Ms Novak')
  await press('Reserve')
  await page.getByText('Reserved: 1 × ').getByRole('link').click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Units').fill('3')
  await dialog.getByLabel('Price of one (EUR)').fill('1.250')
  await press('Save')
  await dialog.getByText('Enter an amount such as 12.50').waitFor()
  await dialog.getByLabel('Price of one (EUR)').fill('9,50')
  await dialog.getByLabel('Ship date').fill('2027-01-02T10:30')
  await press('Save')
  await page.getByText('Order changed').waitFor()
  const { data: orders } = await client.listOrders({ petId: [petId], complete: false })
  // Half past ten in Auckland, in summer.
  expect(orders.items).toMatchObject([
    { quantity: 3n, unitPrice: 950n, shipDate: '2027-01-01T21:30:00Z', complete: false },
  ])
  await page.getByRole('button', { name: 'Complete', exact: true }).click()
  await press('Complete')
  await page.getByRole('button', { name: 'Return' }).waitFor()
  expect(await stockOf(client, petId)).toBe('available 6/0')
  await end()
})

test('an owner gives a pet a level, and sees what to reorder', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), `Stocked`, 6n)
  const { page, dialog, press, end } = await open(`/pets/${petId}`)
  await page.getByRole('button', { name: 'Reorder at' }).click()
  await dialog.getByLabel('Reorder at').fill('5')
  // A sale between the reading and the writing of the quantity is not overwritten.
  let hasSold = false
  await page.route('**/store/inventory/*', async route => {
    if (route.request().method() === 'PUT' && !hasSold) {
      hasSold = true
      await client.placeOrder({ body: { petId, complete: true } })
    }
    await route.continue()
  })
  await press('Save')
  await page.getByText(`Stocked is to reorder at 5 units.`).waitFor()
  const { data: item } = await client.getInventoryItem({ petId })
  expect(item).toMatchObject({ quantity: 5n, reorderAt: 5n })
  await page.goto(`${store().base}/console/`)
  const card = page.getByRole('region', { name: 'To reorder' })
  await card.getByRole('link', { name: `Stocked` }).waitFor()
  await card.getByRole('link', { name: 'See all' }).click()
  await page.getByRole('button', { name: `Reorder at Stocked` }).click()
  await dialog.getByLabel('Reorder at').fill('five')
  await press('Save')
  await dialog.getByText('Enter a whole number with digits only').waitFor()
  expect((await client.getInventoryItem({ petId })).data.reorderAt).toBe(5n)
  await dialog.getByLabel('Reorder at').fill('')
  await press('Save')
  await page.getByText(`Stocked has no level.`).waitFor()
  expect('reorderAt' in (await client.getInventoryItem({ petId })).data).toBe(false)
  await end()
})

test('an owner lists, sums, saves and prints the orders of a day, and finds one by its receipt', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), `=Diary`, 90n)
  await client.updatePet({ petId, body: { price: 1250n } })
  nowMs += 10 * DAY_MS
  for (const [quantity, complete] of [
    [2n, true],
    [3n, false],
    [1n, true],
  ] as const)
    await client.placeOrder({ body: { petId, quantity, complete, reference: `D-${quantity}` } })
  nowMs += DAY_MS
  await client.placeOrder({ body: { petId, complete: true } })
  const { page, end } = await open('/orders')
  // The days are those of the store, whatever the clock of the browser shows.
  await setStoreTime(page, nowMs)
  await page.getByText('Today', { exact: true }).click()
  await page.getByText(`1 order, 1 unit, €12.50. Times: ${ZONE}.`).waitFor()
  await page.getByText('Yesterday', { exact: true }).click()
  const sums = '3 orders, 6 units, €75.00, of which 1 open with 3 units, €37.50'
  const totals = page.getByText(`${sums}. Times: ${ZONE}.`)
  await totals.waitFor()
  await page.getByText('Range', { exact: true }).click()
  const day = (ms: number) => new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE }).format(ms)
  await page.getByLabel('From').fill(day(nowMs - DAY_MS))
  await page.getByLabel('To', { exact: true }).fill(day(nowMs))
  await page.getByText('4 orders, 7 units').waitFor()
  await page.getByLabel('To', { exact: true }).fill(day(nowMs - DAY_MS))
  await totals.waitFor()
  const [plain, excel] = [await savedFile(page, 'CSV'), await savedFile(page, 'CSV for Excel')]
  expect(plain.name).toBe(`orders-${day(nowMs - DAY_MS)}.csv`)
  expect(plain.text.split('\n')[0]).toBe(
    'order,placed,pet,petId,units,state,shipDate,reference,timeZone,unitPrice,amount,currency,completedAt,receipt,returnedUnits',
  )
  expect(plain.text.split('\n')[2]).toContain(`,=Diary,${petId},3,open,,D-3,${ZONE},12.50,37.50,EUR,`)
  // The browser is in American English, whose decimal sign is a point.
  expect(excel.text).toBe(`\ufeff${plain.text.replaceAll('=Diary', "'=Diary")}`)
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('row', { name: `D-3` }).isVisible()).toBe(true)
  for (const hidden of [page.getByRole('banner'), page.getByText('Range'), page.getByText('Print')])
    expect(await hidden.isVisible()).toBe(false)
  // The width of an A4 page within its margins.
  await page.setViewportSize({ width: 718, height: 900 })
  const table = page.getByRole('table', { name: 'Orders' })
  expect(await table.evaluate(({ scrollWidth }) => scrollWidth)).toBeLessThanOrEqual(718)
  await until('the page fits', async () => !(await isTooWide(page)))
  await page.setViewportSize({ width: PHONE, height: 900 })
  await page.emulateMedia({ media: 'screen' })
  await page.getByRole('textbox', { name: 'Reference' }).fill(`D-`)
  const cells = page.getByRole('cell').filter({ hasText: `D-` })
  const expected = [1, 2, 3].map(units => `D-${units}`).join()
  await until('the orders are found', async () => (await cells.allInnerTexts()).join() === expected)
  await end()
})

/** Clicks a button that saves a file. Returns the name of the file, and its text. */
async function savedFile(page: Page, button: string): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ])
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
}
