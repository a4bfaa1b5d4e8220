import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore } from '../support/shop.ts'
import { consoleBrowser } from './console-session.ts'
import { setStoreTime } from './requests.ts'
import { addPet, isTooWide, LONG_NAME } from './shop-data.ts'

/** The zone of the shop is west of Greenwich: at 22:00 there, it is the next day in UTC. */
const ZONE = 'America/St_Johns'
const DAY_MS = 86_400_000
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
    ...['Returned', 'Nov 23, 2026, 10:00 PM', 'Leash <b>', '-1 × €12.50', '-€12.50', 'Sum', '€25.00'],
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
    ['Yesterday', 'takings -€25.00: 0 units sold', '€62.50 less than on 2027-03-15 (€37.50).'],
    ['Today', 'takings €0.00', '€25.00 more than on 2027-03-16 (-€25.00). Today is not over.'],
    ['Last month', 'takings €0.00', 'As much as from 2027-01-01 to 2027-01-31, 31 days (€0.00).'],
  ] as const) {
    await page.getByText(period, { exact: true }).click()
    for (const text of texts) await page.getByText(text).waitFor()
  }
  // At another till, a sale makes the week better.
  await page.getByText('This week', { exact: true }).click()
  await client.placeOrder({ body: { petId, complete: true } })
  await page.getByText('100% more than from 2027-03-08 to 2027-03-10 (€12.50).').waitFor()
  expect([await isTooWide(page), await seriousViolations(page)]).toEqual([false, []])
})
