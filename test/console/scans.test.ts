import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { sharedStore, stockOf } from '../support/shop.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { holdRequests } from './requests.ts'
import { addPet } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

async function addScanned(name: string, barcode: string, quantity = 1n): Promise<bigint> {
  const { petId } = await addPet(store(), name, quantity)
  await store().client.updatePet({ petId, body: { barcode } })
  return petId
}

/** Types as a scanner does. */
async function scan(page: Page, code: string): Promise<void> {
  await page.keyboard.type(code)
  await page.keyboard.press('Enter')
}

/** Types a code without a field as a scanner does: a busy browser would have the keys of `scan` too late. */
async function scanQuickly(page: Page, code: string): Promise<void> {
  await page.evaluate(`for (const key of ${JSON.stringify([...code, 'Enter'])})
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))`)
}

/** Takes the focus from every field. */
async function leaveFields(page: Page): Promise<void> {
  await page.evaluate('document.activeElement.blur()')
}

test('a scan on any page opens the pet with this barcode, although a name starts with it, too', async () => {
  await addPet(store(), '40 Zebra finches')
  await addScanned('Scanned finch', '40')
  await addScanned('Scanned budgie', '4006381333931')
  const page = await browser.open(store(), '/orders')
  // The list of pets has a field that searches by name, and takes no scan.
  for (const view of ['Orders', 'Pets']) {
    await page.getByRole('link', { name: view, exact: true }).click()
    await page.getByRole('heading', { name: view, exact: true }).waitFor()
    await leaveFields(page)
    await scanQuickly(page, '4006381333931')
    await page.getByRole('heading', { name: 'Scanned budgie' }).waitFor()
  }
  await page.getByText('Barcode 4006381333931').waitFor()
  // Another scanner reads the UPC-A of a label as an EAN-13.
  await addScanned('Scanned siskin', '012345678905')
  await leaveFields(page)
  await scanQuickly(page, '0012345678905')
  await page.getByRole('heading', { name: 'Scanned siskin' }).waitFor()
  // The focus on a button keeps neither the scan from the search, nor a person from pressing it.
  await page.getByRole('button', { name: 'Edit' }).focus()
  await scanQuickly(page, '4006381333900')
  await page.getByText('No pet matches').waitFor()
  expect(page.url()).toEndWith('/pets?search=4006381333900')
  const search = page.getByRole('combobox', { name: 'Find a pet or an order' }).filter({ visible: true })
  await search.fill('40')
  await search.press('Enter')
  await page.getByRole('heading', { name: 'Scanned finch' }).waitFor()
  // A result that comes late does not take away a dialog that was opened meanwhile.
  const reads = await holdRequests(page, request => request.url().includes('search=4006381333931'))
  await leaveFields(page)
  await scanQuickly(page, '4006381333931')
  await until('the store is asked', () => reads.held.length > 0)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').waitFor()
  reads.release()
  await page
    .getByRole('option', { name: /^Scanned budgie/, includeHidden: true })
    .waitFor({ state: 'attached' })
  expect(await page.getByRole('dialog').count()).toBe(1)
})

test('a scan into the search of the pets finds the one with it', async () => {
  await addScanned('Found by its code', 'X-77-1')
  const page = await browser.open(store(), '/pets')
  await page.getByRole('textbox', { name: 'Search' }).focus()
  await scan(page, 'X-77-1')
  await until('one pet is listed', async () => (await page.getByRole('row').count()) === 2)
  await page.getByRole('link', { name: 'Found by its code' }).waitFor()
  // The list of the header shows what the store finds, too.
  await addPet(store(), 'O’Brien カメ')
  const header = page.getByRole('combobox', { name: 'Find a pet or an order' }).filter({ visible: true })
  await header.fill('obrien かめ')
  await page.getByRole('option', { name: /^O’Brien/ }).waitFor()
})

test('a search that finds no pet offers the closest words as links', async () => {
  await addPet(store(), 'Schildkröte')
  const page = await browser.open(store(), '/pets?search=schidlkrote')
  await page.getByText('No pet matches').waitFor()
  await page.getByRole('link', { name: 'Schildkröte' }).click()
  await page.waitForURL('**/pets?search=Schildkr%C3%B6te')
  await page.getByRole('row').getByRole('link', { name: 'Schildkröte' }).waitFor()
  const header = page.getByRole('combobox', { name: 'Find a pet or an order' }).filter({ visible: true })
  await header.fill('shildkrote')
  await page.getByRole('option', { name: 'Schildkröte', exact: true }).click()
  await page.waitForURL('**/pets?search=Schildkr%C3%B6te')
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  const field = page.getByRole('dialog').getByRole('combobox', { name: 'Pet' })
  await field.fill('schidlkrote')
  await page.getByText('No word of a pet name starts with this. Did you mean:').waitFor()
  await page.getByRole('option', { name: 'Schildkröte', exact: true }).click()
  await page.getByRole('option', { name: 'Schildkröte (1 for sale)' }).click()
  await until('the pet is chosen', async () => (await field.inputValue()).startsWith('Schildkröte'))
})

test('keys that a person types without a field are no scan, and the shortcuts of a person work', async () => {
  const page = await browser.open(store(), '/orders')
  await page.getByRole('heading', { name: 'Orders', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Sell', exact: true }).focus()
  await page.keyboard.type('40063', { delay: 120 })
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('combobox', { name: 'Pet' }).waitFor()
  expect(page.url()).toContain('/orders')
})

test('a scan in the sale chooses the pet, with the focus in the field or in none', async () => {
  const petId = await addScanned('Canary', '0041 7', 5n)
  const otherId = await addScanned('Gecko', '5000159407236', 5n)
  const page = await browser.open(store(), '/')
  // A slow network: the next article is scanned before the first one is read once more.
  await page.route('**/pets?id=*', () => {})
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  const field = dialog.getByRole('combobox', { name: 'Pet' })
  await until('the field has the focus', () => field.evaluate(input => input.matches(':focus')))
  await scan(page, '0041 7')
  await until('the canary is chosen', async () => (await field.inputValue()).startsWith('Canary'))
  // The blank and the Enter of the scan press no button.
  await dialog.getByRole('button', { name: 'Add another article' }).click()
  await leaveFields(page)
  await dialog.getByRole('button', { name: 'Cancel' }).focus()
  await scanQuickly(page, '5000159407236')
  await until('the gecko is chosen', async () => (await field.inputValue()).startsWith('Gecko'))
  await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
  await page.getByText('2 units, ').first().waitFor()
  const stocks = [await stockOf(store().client, petId), await stockOf(store().client, otherId)]
  expect(stocks).toEqual(['available 4/0', 'available 4/0'])
})

test('a scan in the sale sells nothing by itself, and is not left out without a warning', async () => {
  const petId = await addScanned('Toucan', '4012345678901', 5n)
  const page = await browser.open(store(), '/')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  const field = dialog.getByRole('combobox', { name: 'Pet' })
  await until('the field has the focus', () => field.evaluate(input => input.matches(':focus')))
  await leaveFields(page)
  // Two equal units are scanned before the first search ends.
  const search = await holdRequests(page, request => request.url().includes('search=4012345678901'))
  await scanQuickly(page, '4012345678901')
  await scanQuickly(page, '4012345678901')
  await until('the store is asked', () => search.held.length > 0)
  search.release()
  await until('the toucan is chosen', async () => (await field.inputValue()).startsWith('Toucan'))
  await dialog.getByRole('button', { name: 'Add another article' }).click()
  await leaveFields(page)
  await scanQuickly(page, '4012345678999')
  await until('the code is shown', async () => (await field.inputValue()) === '4012345678999')
  await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
  await dialog.getByText('“4012345678999” was not chosen').waitFor()
  expect(await stockOf(store().client, petId)).toBe('available 5/0')
})

test('a name that is read late does not replace the pet that was scanned since', async () => {
  await addPet(store(), 'Budgerigar')
  await addScanned('Parakeet', '4099999999995', 5n)
  const page = await browser.open(store(), '/')
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  const field = page.getByRole('dialog').getByRole('combobox', { name: 'Pet' })
  const reads = await holdRequests(page, request => /[?&](name|search)=Budgerigar/.test(request.url()))
  await field.fill('Budgerigar')
  await field.blur()
  await until('the store is asked', () => reads.held.length > 0)
  await scanQuickly(page, '4099999999995')
  await until('the parakeet is chosen', async () => (await field.inputValue()).startsWith('Parakeet'))
  const answered = page.waitForResponse(response => response.url().includes('Budgerigar'))
  reads.release()
  await answered
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
  expect(await field.inputValue()).toStartWith('Parakeet')
})

test('the list of the search does not change, and is not read again, while the user chooses', async () => {
  await addPet(store(), 'Picked parrot')
  const page = await browser.open(store(), '/pets?search=parrot')
  const header = page.getByRole('combobox', { name: 'Find a pet or an order' }).filter({ visible: true })
  await header.fill('parrot')
  const option = page.getByRole('option', { name: /^Picked parrot/ })
  await option.waitFor()
  const { held, release } = await holdRequests(page, request => request.url().includes('/orders?'))
  await addPet(store(), 'Newer parrot')
  await page.getByRole('link', { name: 'Newer parrot' }).waitFor()
  const options = await page.getByRole('option').count()
  release()
  expect([options, held.length]).toEqual([1, 0])
  await option.click()
  await page.getByRole('heading', { name: 'Picked parrot' }).waitFor()
  // A new search finds what is new.
  await header.fill('parrot')
  await page.getByRole('option', { name: /^Newer parrot/ }).waitFor()
})

test('the barcode of a pet is edited, and that of another pet is refused at the field', async () => {
  await addScanned('Owner of the code', 'taken-1')
  const { petId } = await addPet(store(), 'Wants the code')
  const page = await browser.open(store(), `/pets/${petId}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Barcode' }).fill('taken-1')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('"Owner of the code", has the barcode taken-1').waitFor()
  await dialog.getByRole('textbox', { name: 'Barcode' }).fill(' free-1 ')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Barcode free-1').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Barcode' }).fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await until('the barcode is gone', async () => (await page.getByText('Barcode free-1').count()) === 0)
})
