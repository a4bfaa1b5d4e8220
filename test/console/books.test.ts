import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { DAY_MS } from '../../src/values/time-zone.ts'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore } from '../support/shop.ts'
import { consoleBrowser } from './console-session.ts'
import { holdRequests, setStoreTime } from './requests.ts'
import { addPet, isTooWide, keyWith, LONG_NAME } from './shop-data.ts'

/** The zone of the shop is west of Greenwich: at 22:00 there, it is the next day in UTC. */
const ZONE = 'America/St_Johns'
let nowMs = Date.parse('2026-11-22T22:00:00-03:30')
const store = sharedStore('sqlite', { timeZone: ZONE, clock: () => nowMs, shopName: 'Käthe & <Söhne>' })
const browser = consoleBrowser()

/** The width of a receipt on the paper of a till, 72 mm, in CSS pixels. */
const RECEIPT_PX = (72 / 25.4) * 96

/** Creates a pet with 90 units and a price. */
async function addPriced(name: string, price: bigint): Promise<bigint> {
  const { petId } = await addPet(store(), name, 90n)
  await store().client.updatePet({ petId, body: { price } })
  return petId
}

/** Returns the number of pages of a page on paper. */
async function pagesOf(page: Page, paper: Parameters<Page['pdf']>[0]): Promise<number> {
  return (await page.pdf(paper)).toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0
}

test('a receipt has the name of the shop, the sale and its returns, and fits on paper of 80 mm and A4', async () => {
  const { client } = store()
  const leash = await addPriced('Leash <b>', 1250n)
  const { petId: unpriced } = await addPet(store(), LONG_NAME, 9n)
  const { data: sale } = await client.recordSale({
    body: { lines: [{ petId: leash, quantity: 3n }, { petId: unpriced }], reference: 'R-0041' },
  })
  nowMs += DAY_MS
  await client.returnOrder({ orderId: sale.receipt, body: { quantity: 1n, note: 'Too small' } })
  const page = await browser.open(store(), `/orders/${sale.lines[1]?.orderId}`, { width: 390 })
  await page.getByRole('link', { name: `Receipt ${sale.receipt}` }).click()
  const receipt = page.locator('.receipt')
  await receipt.waitFor()
  expect((await receipt.innerText()).split(/\n+/)).toEqual([
    ...['Käthe & <Söhne>', `Receipt ${sale.receipt}`, 'Nov 22, 2026, 10:00 PM', 'Reference R-0041'],
    ...['Leash <b>', '3 × €12.50', '€37.50', LONG_NAME, '1 × no price', '–', 'Sum of the sale', '€37.50'],
    ...['Returned', 'Nov 23, 2026, 10:00 PM', 'Leash <b>', '−1 × €12.50', '−€12.50', 'Sum', '€25.00'],
  ])
  expect([await isTooWide(page), await seriousViolations(page)]).toEqual([false, []])
  for (const paper of [{ width: '80mm', height: '297mm' }, { format: 'A4' }])
    expect(await pagesOf(page, paper)).toBe(1)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  for (const hidden of ['Print', 'Sign out']) expect(await page.getByText(hidden).isVisible()).toBe(false)
  for (const widthMm of [80, 210]) {
    await page.setViewportSize({ width: Math.floor((widthMm / 25.4) * 96), height: 900 })
    const width = await receipt.evaluate(element => element.getBoundingClientRect().width)
    expect([width <= RECEIPT_PX + 0.01, await isTooWide(page)]).toEqual([true, false])
  }
  const colors = await page.evaluate<string[]>(`(() => {
    const { color, backgroundColor } = getComputedStyle(document.querySelector('.receipt'))
    return [color, backgroundColor]
  })()`)
  expect(colors).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)'])
  await page.emulateMedia({ media: 'screen' })
  for (const none of ['999999', 'x', '-1', '99999999999999999999']) {
    await page.goto(`${store().base}/console/receipts/${none}`)
    await page.getByText('There is no such receipt').waitFor()
  }
})

test('the note of a sale has its receipt beside Undo, and a return changes the receipt that is shown', async () => {
  const petId = await addPriced('Collar', 640n)
  const page = await browser.open(store(), `/pets/${petId}`)
  await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sell', exact: true }).click()
  const note = page.getByRole('alert').filter({ hasText: 'Sold: 1 × Collar' })
  await note.getByRole('button', { name: 'Undo' }).waitFor()
  await note.getByRole('link', { name: /^Receipt \d+$/ }).click()
  await page.getByText('1 × €6.40').waitFor()
  await note.getByRole('button', { name: 'Undo' }).click()
  await page.locator('.receipt').getByText('€0.00').waitFor()
})

test('a sale shows its note, although nobody has closed those of sales that were not taken back', async () => {
  const page = await browser.open(store(), `/pets/${await addPriced('Bell', 640n)}`)
  await page.route('**/returns', route => route.fulfill({ status: 422 }))
  const undo = page.getByRole('button', { name: 'Undo' })
  const sell = async (): Promise<void> => {
    await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sell', exact: true }).click()
  }
  for (let refused = 0; refused < 5; refused++) {
    await sell()
    await undo.click()
    await page.getByText('was not taken back').nth(refused).waitFor()
  }
  await sell()
  await undo.waitFor()
})

test('the takings of a week stand beside those of as many days of the week before, in days of the shop', async () => {
  const { client } = store()
  const petId = await addPriced('Ball', 1250n)
  const sell = async (day: string, quantity: bigint): Promise<bigint> => {
    // Late in the evening, it is the next day in UTC. The clocks of the shop are changed on March 14.
    nowMs = Date.parse(`${day}T22:00:00-0${day < '2027-03-14' ? 3 : 2}:30`)
    return (await client.placeOrder({ body: { petId, quantity, complete: true } })).data.id ?? 0n
  }
  await sell('2027-03-07', 8n)
  await sell('2027-03-08', 1n)
  await sell('2027-03-11', 8n)
  const orderId = await sell('2027-03-15', 3n)
  nowMs += DAY_MS
  await client.returnOrder({ orderId, body: { quantity: 2n } })
  nowMs += DAY_MS
  const page = await browser.open(store(), '/orders', { width: 390 })
  await setStoreTime(page, nowMs)
  for (const [period, ...texts] of [
    [
      'This week',
      'takings €12.50: 3 units sold',
      'As much as from 2027-03-08 to 2027-03-10 (€12.50). Today is not',
    ],
    ['Yesterday', 'takings −€25.00: 0 units sold', '€62.50 less than on 2027-03-15 (€37.50).'],
    ['Today', 'takings €0.00', '€25.00 more than on 2027-03-16 (−€25.00). Today is not over.'],
    ['Last month', 'takings €0.00', 'As much as from 2027-01-01 to 2027-01-31, 31 days (€0.00).'],
  ] as const) {
    await page.getByText(period, { exact: true }).click()
    for (const text of texts) await page.getByText(text).waitFor()
  }
  // At another till, a sale makes the week better.
  await page.getByText('This week', { exact: true }).click()
  await client.placeOrder({ body: { petId, complete: true } })
  await page.getByText('100% more than from 2027-03-08 to 2027-03-10 (€12.50).').waitFor()
  await client.placeOrder({ body: { petId, quantity: 10n, complete: true } })
  await page.getByText('12 times as much as from 2027-03-08 to 2027-03-10 (€12.50).').waitFor()
  expect([await isTooWide(page), await seriousViolations(page)]).toEqual([false, []])
})

/** Clicks a button that saves a file. Returns its name and its lines. */
async function savedFile(page: Page, button: string): Promise<{ name: string; lines: string[] }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ])
  const text = readFileSync(await download.path(), 'utf8')
  return { name: download.suggestedFilename(), lines: text.split('\n').slice(0, -1) }
}

test('the sales of a period by pet and by category have all pages of its lines, and can be stopped', async () => {
  const { client } = store()
  const [leash, collar, gone] = [
    await addPriced('Leash two', 1250n),
    await addPriced('=Collar two', 640n),
    await addPriced('Gone', 100n),
  ]
  const { data: pets } = await client.listPets({ id: [collar] })
  // Two pets of one category, and one pet that is deleted after its sale.
  await client.updatePet({ petId: leash, body: { categoryId: pets.items[0]?.categoryId ?? 0n } })
  for (const petId of [leash, collar]) await client.setInventory({ petId, body: { quantity: 900n } })
  const sell = (petId: bigint, count: number) =>
    client.recordSale({ body: { lines: Array.from({ length: count }, () => ({ petId })) } })
  nowMs = Date.parse('2027-04-30T23:59:00-02:30')
  await sell(leash, 50)
  nowMs = Date.parse('2027-05-01T00:00:00-02:30')
  for (const count of [50, 50, 20]) await sell(collar, count)
  nowMs = Date.parse('2027-05-31T23:59:59-02:30')
  const { data: sale } = await sell(leash, 50)
  await client.returnOrder({ orderId: sale.receipt, body: { note: 'Torn' } })
  await sell(gone, 1)
  await client.setInventory({ petId: gone, body: { quantity: 0n } })
  await client.deletePet({ petId: gone })
  nowMs = Date.parse('2027-06-01T00:00:00-02:30')
  await sell(leash, 50)

  const page = await browser.open(store(), '/orders?day=range&from=2027-05-01&to=2027-05-31', { width: 390 })
  await page.getByText('takings €1,381.50: 171 units sold').waitFor()
  const hold = await holdRequests(page, request => /store\/sales\?.*cursor=/.test(request.url()))
  await page.getByText('By pet', { exact: true }).click()
  await page.getByText('100 lines read…').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Read again' }).waitFor()
  hold.release()
  await page.getByRole('button', { name: 'Read again' }).click()
  const rows = async (): Promise<string[]> =>
    (await page.getByRole('row').allInnerTexts()).slice(1).map(text => text.replaceAll(/\s+/g, ' '))
  const report = page.locator('.printed')
  await report.getByText('takings €1,381.50: 171 units sold for €1,394.00, 1 unit returned').waitFor()
  const sums = ['=Collar two 120 €768.00 0 €0.00 €768.00', 'Leash two 50 €625.00 1 €12.50 €612.50']
  expect(await rows()).toEqual([...sums, 'Gone 1 €1.00 0 €0.00 €1.00'])
  expect([await isTooWide(page), await seriousViolations(page)]).toEqual([false, []])
  const byPet = await savedFile(page, 'CSV for Excel')
  expect(byPet).toEqual({
    name: 'sales-pets-2027-05-01-to-2027-05-31-excel.csv',
    lines: [
      '\ufeffpet,petId,sold,sales,returned,returns,takings,currency,from,to',
      `'=Collar two,${collar},120,768.00,0,0.00,768.00,EUR,2027-05-01,2027-05-31`,
      `Leash two,${leash},50,625.00,1,12.50,612.50,EUR,2027-05-01,2027-05-31`,
      `Gone,${gone},1,1.00,0,0.00,1.00,EUR,2027-05-01,2027-05-31`,
    ],
  })
  await page.getByText('By category', { exact: true }).click()
  await page.getByText('Deleted pets').waitFor()
  expect(await rows()).toEqual([
    ...['Kind of =Collar two 170 €1,393.00 1 €12.50 €1,380.50', 'Deleted pets 1 €1.00 0 €0.00 €1.00'],
  ])
  // A sale at another till is in the takings at once, and in the report when it is read again.
  nowMs = Date.parse('2027-05-31T23:59:59-02:30')
  await sell(leash, 1)
  await page.getByText('takings €1,394.00').waitFor()
  await report.getByText('takings €1,381.50').waitFor()
  await page.getByRole('button', { name: 'Read again' }).click()
  await report.getByText('takings €1,394.00').waitFor()

  await page.getByText('Sales and returns', { exact: true }).click()
  const { name, lines } = await savedFile(page, 'CSV')
  expect([name, lines.length]).toEqual(['sales-lines-2027-05-01-to-2027-05-31.csv', 174])
  const returned = `,Leash two,${leash},-1,12.50,-12.50,EUR,,Torn,yes,${ZONE}`
  expect(lines.filter(line => line.endsWith(returned))).toHaveLength(1)
  await page.emulateMedia({ media: 'print' })
  await page.getByRole('heading', { name: 'Käthe & <Söhne>: sales and returns' }).waitFor()
  expect(await page.getByRole('heading').allInnerTexts()).toEqual(['Käthe & <Söhne>: sales and returns'])
  for (const hidden of ['By category', 'Read again'])
    expect(await page.getByText(hidden, { exact: true }).isVisible()).toBe(false)
})

test('a report of more than 10,000 lines says that it has only the newest ones', async () => {
  const { client } = store()
  const petId = await addPriced('Food', 100n)
  await client.setInventory({ petId, body: { quantity: 20_000n } })
  nowMs = Date.parse('2027-07-01T12:00:00Z')
  const lines = Array.from({ length: 50 }, () => ({ petId }))
  await client.recordSale({ body: { lines: [{ petId, quantity: 7n }] } })
  nowMs += 1000
  for (let sales = 0; sales < 200; sales++) await client.recordSale({ body: { lines } })
  const page = await browser.open(store(), '/orders?day=range&from=2027-07-01&to=2027-07-02&show=pets')
  await page.getByText('Only the newest 10,000 lines are in this report; there are more.').waitFor()
  await page.getByText('10,000 units sold for €10,000.00').waitFor()
  await page.getByText('10,007 units sold for €10,007.00').waitFor()
})

test('the chart of the dashboard has the takings of each day, also one on which more came back', async () => {
  const { client } = store()
  const petId = await addPriced('Cage', 250_000n)
  nowMs = Date.parse('2027-09-01T22:00:00-02:30')
  const { data: order } = await client.placeOrder({ body: { petId, complete: true } })
  nowMs += DAY_MS
  await client.returnOrder({ orderId: order.id ?? 0n, body: {} })
  const page = await browser.open(store(), '', { width: 390 })
  const panel = page.getByRole('region', { name: 'Takings per day' })
  const sums = 'Sep 1: €2,500.00, Sep 2: −€2,500.00.'
  await panel.getByRole('img', { name: `Takings of €0.00 in the last 30 days. ${sums}` }).waitFor()
  await panel
    .getByText(/^−€\d(\.\d)?K$/)
    .first()
    .waitFor()
  expect([await isTooWide(page), await seriousViolations(page)]).toEqual([false, []])
})

test('a reservation lasts until the end of its day in the shop, then stands out, and Sell still sells', async () => {
  const { client } = store()
  const petId = await addPriced('Kept', 900n)
  nowMs = Date.parse('2028-03-10T22:00:00-03:30')
  const page = await browser.open(store(), `/pets/${petId}`, { width: 390 })
  await setStoreTime(page, nowMs)
  const dialog = page.getByRole('dialog')
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  await page.getByRole('main').getByRole('button', { name: 'Reserve', exact: true }).click()
  await dialog.getByLabel('For whom').fill('Ms Novak')
  await dialog.getByLabel('Until').fill('2028-03-09')
  await press('Reserve')
  await dialog.getByText('Choose today or a later day.').waitFor()
  // On this day, the clocks of the shop are changed.
  await dialog.getByLabel('Until').fill('2028-03-12')
  expect([await isTooWide(page), await seriousViolations(page)]).toEqual([false, []])
  await press('Reserve')
  await page.getByText('Reserved: 1 × Kept').waitFor()
  const { data: open } = await client.listOrders({ petId: [petId] })
  expect(open.items).toMatchObject([
    { complete: false, reference: 'Ms Novak', unitPrice: 900n, shipDate: '2028-03-13T02:29:59.999Z' },
  ])
  await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click()
  await press('Sell')
  await page.getByText('Sold: 1 × Kept').waitFor()

  const orderId = open.items[0]?.id
  await page.goto(`${store().base}/console/orders?state=open`)
  const row = page.getByRole('row', { name: `Order ${orderId}` })
  await row.waitFor()
  await setStoreTime(page, Date.parse('2028-03-12T23:59:55-02:30'))
  await page.getByText('Today', { exact: true }).click()
  await page.getByText('2028-03-12, open: no orders').waitFor()
  expect(await page.getByText('overdue').count()).toBe(0)
  // At midnight, the day is over.
  await page.getByText(`Order ${orderId} for Ms Novak: 1 unit of Kept, until Mar 12.`).waitFor()
  await page.getByText('Any day', { exact: true }).click()
  await row.getByText('⚠ overdue').waitFor()
  expect([await isTooWide(page), await seriousViolations(page)]).toEqual([false, []])
  await client.cancelOrder({ orderId: orderId ?? 0n })
  await page.getByText('for Ms Novak:').waitFor({ state: 'detached' })
})

test('a return knows the money to give back after a return at another till; a reference can be corrected', async () => {
  const { client } = store()
  const petId = await addPriced('Bowl', 1250n)
  const { data: order } = await client.placeOrder({ body: { petId, quantity: 3n, complete: true } })
  const orderId = order.id ?? 0n
  // Without events, this till learns of the other one only by asking.
  const key = await keyWith(store(), 'orders:read', 'orders:write', 'orders:return')
  const page = await browser.open(store(), `/orders/${orderId}`, { width: 390, key })
  const dialog = page.getByRole('dialog')
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  await page.getByRole('button', { name: 'Return' }).click()
  await dialog.getByText('Money to give back: €37.50').waitFor()
  await client.returnOrder({ orderId, body: { quantity: 2n } })
  await press('Return')
  await dialog.getByText('Enter 1 unit.').waitFor()
  await dialog.getByText('1 unit can still be returned.').waitFor()
  await dialog.getByLabel('Units').fill('1')
  await dialog.getByText('Money to give back: €12.50').waitFor()
  await press('Return')
  await page.getByText('The return is in the books').waitFor()
  expect((await client.getOrder({ orderId })).data.returned).toBe(3n)

  await page.getByRole('button', { name: 'Change reference' }).click()
  expect(await dialog.getByLabel('Units').count()).toBe(0)
  await dialog.getByLabel('Reference').fill('R-0077')
  expect([await isTooWide(page), await seriousViolations(page)]).toEqual([false, []])
  await press('Save')
  await page.getByText('R-0077', { exact: true }).waitFor()
  expect((await client.listSales({ receipt: orderId })).data.items.map(({ reference }) => reference)).toEqual(
    [...['R-0077', 'R-0077', 'R-0077']],
  )
})

test('a key for the till may take back any sale if the owner ticks that, and only then', async () => {
  const page = await browser.open(store(), '/keys', { width: 390 })
  const dialog = page.getByRole('dialog')
  const box = dialog.getByLabel('May take back any sale')
  await page.getByRole('button', { name: 'Create key' }).click()
  expect(await box.count()).toBe(0)
  await dialog.getByRole('button', { name: 'Till (sell and look)' }).click()
  await box.check()
  expect(await dialog.getByLabel('orders:return').isChecked()).toBe(true)
  expect([await isTooWide(page), await seriousViolations(page)]).toEqual([false, []])
  await dialog.getByLabel('Name').fill('Till with returns')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('Copy the key now.').waitFor()
  const { data } = await store().client.listKeys({ limit: 100 })
  expect(data.items.find(({ name }) => name === 'Till with returns')?.scopes.toSorted()).toEqual([
    ...(['events:read', 'orders:read', 'orders:return', 'orders:write'] as const),
  ])
})

test('a sale says at its field what is wrong with units or price, also before it adds an article', async () => {
  const petId = await addPriced('Whistle', 250n)
  const page = await browser.open(store(), `/pets/${petId}`, { width: 390 })
  const dialog = page.getByRole('dialog')
  const add = dialog.getByRole('button', { name: 'Add another article' })
  const [units, price] = [dialog.getByLabel('Units'), dialog.getByLabel('Price of one')]
  const wrong = dialog.getByText('Enter an amount such as 12.50, without separators between thousands.')
  await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click()
  await price.fill('1.000')
  expect(await wrong.count()).toBe(0)
  await units.fill('0')
  await wrong.waitFor()
  await price.focus()
  await dialog.getByText('Units must be at least 1.').waitFor()
  await price.fill('2,00')
  await units.fill('2')
  expect(await dialog.getByText(/^Enter |must be/).count()).toBe(0)

  // The keys add nothing while a field is wrong, although no field was left.
  await price.fill('x')
  await page.keyboard.press('Alt+A')
  await wrong.waitFor()
  expect([await dialog.getByText('1 article,').count(), await seriousViolations(page)]).toEqual([0, []])
  await price.fill('3')
  await dialog.getByLabel('Reference').fill('R-12')
  await add.click()
  await dialog.getByText('1 article, €6.00 so far').waitFor()
  expect(await dialog.getByText(/^Enter |must be/).count()).toBe(0)
  await add.click()
  await dialog.getByText('Choose a pet.').waitFor()
  await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
  await page.getByText(/^Sold: receipt \d+, 2 units, €6.00. Order \d+, R-12$/).waitFor()

  // A barcode that was scanned into the wrong field.
  await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click()
  await units.fill('4006381333931')
  await add.click()
  await dialog.getByText('Units must be at most 1,000,000.').waitFor()
  await units.fill('1')
  await price.fill('4006381333931')
  await add.click()
  await dialog.getByText('The amount must be at most €10,000,000,000.00.').waitFor()
  await price.fill('3')
  await add.click()
  await dialog.getByText('1 article, €3.00 so far').waitFor()
  await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('main').getByRole('button', { name: 'Edit', exact: true }).click()
  await dialog.getByLabel('Price').fill('1.000')
  await dialog.getByLabel('Name').focus()
  await wrong.waitFor()
})

test('a till without the stock sees how many units are left, and Option+A adds an article on a Mac', async () => {
  const petId = await addPriced('Ball of wool', 250n)
  const key = await keyWith(store(), 'orders:read', 'orders:write')
  const page = await browser.open(store(), `/pets/${petId}`, { key })
  await page.addInitScript(`Object.defineProperty(navigator, 'platform', { value: 'MacIntel' })`)
  await page.reload()
  const dialog = page.getByRole('dialog')
  await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click()
  await dialog.getByLabel('Units').fill('80')
  const optionA = `new KeyboardEvent('keydown', { key: 'å', code: 'KeyA', altKey: true, bubbles: true })`
  await page.evaluate(`document.activeElement.dispatchEvent(${optionA})`)
  await dialog.getByText('1 article, €200.00 so far').waitFor()
  await dialog.getByRole('combobox', { name: 'Pet' }).fill('Ball of wool')
  await page.getByRole('option', { name: /^Ball of wool/ }).click()
  await dialog.getByLabel('Units').fill('20')
  await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
  await dialog.getByText('In stock: 90, reserved: 0, for sale: 90.').waitFor()
})

test('a file for Excel has the signs of the computer, whatever the language of the page', async () => {
  const petId = await addPriced('Swiss bell', 1250n)
  await store().client.placeOrder({ body: { petId, complete: true } })
  const lineIn = async (locale: string, language: string) => {
    const page = await browser.open(store(), '/orders', { locale })
    await page.getByText('Swiss bell').first().waitFor()
    await page.evaluate(`localStorage.setItem('petstore-language', '${language}')`)
    await page.reload()
    await setStoreTime(page, nowMs)
    await page.getByText(language === 'de' ? 'Heute' : 'Today', { exact: true }).click()
    const { lines } = await savedFile(page, language === 'de' ? 'CSV für Excel' : 'CSV for Excel')
    return lines.find(line => line.includes('Swiss bell'))
  }
  expect(await lineIn('de-CH', 'de')).toContain(';12.50;12.50;EUR;')
  expect(await lineIn('de-AT', 'en')).toContain(';"12,50";"12,50";EUR;')
  expect(await lineIn('en-GB', 'de')).toContain(',12.50,12.50,EUR,')
})

test('a key that may return its own sales for 15 minutes sees when they are over, before it tries', async () => {
  const { client } = store()
  const petId = await addPriced('Brush', 300n)
  nowMs = Date.parse('2028-06-01T12:00:00Z')
  const key = await keyWith(store(), 'orders:read', 'orders:write')
  const { data: order } = await client.placeOrder({ body: { petId, complete: true } })
  const page = await browser.open(store(), `/orders/${order.id}`, { width: 390, key })
  const dialog = page.getByRole('dialog')
  const late = 'This key had 15 minutes for it. Ask somebody whose key takes back any sale.'
  await setStoreTime(page, nowMs + 14.5 * 60_000)
  await page.getByRole('button', { name: 'Return' }).click()
  await dialog.getByText('This key takes back only what it sold itself').waitFor()
  await setStoreTime(page, nowMs + 15.1 * 60_000)
  await page.getByRole('main').getByText(late).waitFor()
  await dialog.getByRole('button', { name: 'Return' }).click()
  await dialog.getByText(late).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect(await page.getByRole('button', { name: 'Return' }).count()).toBe(0)
  expect([await isTooWide(page), await seriousViolations(page)]).toEqual([false, []])

  // The owner returns it at any time.
  const own = await browser.open(store(), `/orders/${order.id}`)
  await setStoreTime(own, nowMs + DAY_MS)
  await own.getByRole('button', { name: 'Return' }).click()
  await own.getByRole('dialog').getByText('Money to give back: €3.00').waitFor()
})

test('paper has the heading of a list, and no dialog, menu or button, from whichever page it is printed', async () => {
  await addPriced('Printed', 100n)
  const page = await browser.open(store(), '/orders?day=today')
  await page.getByText('no orders').waitFor()
  for (const path of ['/orders', '/pets']) {
    await page.goto(`${store().base}/console${path}`)
    await page.getByRole('row').nth(1).waitFor()
    await page.getByRole('button', { name: 'Sell', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await page.emulateMedia({ media: 'print' })
    expect([path, await page.locator('header, nav').filter({ visible: true }).count()]).toEqual([path, 0])
    await page.emulateMedia({ media: 'screen' })
  }
  nowMs = Date.parse('2028-08-01T12:00:00Z')
  const { client } = store()
  await client.placeOrder({ body: { petId: await addPriced('Sold today', 100n), complete: true } })
  await page.goto(`${store().base}/console/orders?day=range&from=2028-08-01&to=2028-08-01`)
  await page.getByText('1 order, 1 unit').waitFor()
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  await page.getByRole('dialog').waitFor()
  await page.emulateMedia({ media: 'print' })
  expect(
    await page.getByRole('heading', { includeHidden: true }).filter({ visible: true }).allInnerTexts(),
  ).toEqual(['Orders'])
  expect(await page.getByRole('button', { includeHidden: true }).filter({ visible: true }).count()).toBe(0)
  // Nothing is kept free for the menu.
  const heading = await page.getByRole('heading', { name: 'Orders', includeHidden: true }).boundingBox()
  expect([heading?.x, heading?.y]).toEqual([0, 0])
})

test('a name is not shown as a number until it is read', async () => {
  const { petId, categoryId } = await addPet(store(), 'Late', 1n)
  await store().client.placeOrder({ body: { petId, complete: true } })
  const page = await browser.open(store(), '/keys')
  await page.getByRole('heading', { name: 'Keys' }).waitFor()
  const names = new RegExp(`/categories/${categoryId}$|/pets\\?id=`)
  const hold = await holdRequests(page, request => names.test(request.url()))
  for (const [path, unread] of [
    [`/pets?categoryId=${categoryId}`, `Category ${categoryId}`],
    ['/orders', `Pet ${petId}`],
  ] as const) {
    await page.goto(`${store().base}/console${path}`)
    await page.getByRole('cell', { name: '…' }).first().waitFor()
    expect(await page.getByText(unread, { exact: true }).count()).toBe(0)
  }
  hold.release()
  await page.getByRole('cell', { name: 'Late', exact: true }).waitFor()
})
