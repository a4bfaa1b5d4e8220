import { expect, test } from 'bun:test'
import type { Page, Request } from 'playwright-core'
import { makePet, sharedStore, stockOf } from '../support/shop.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { delayRequests } from './requests.ts'
import { addPet, isTooWide } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

const reads = (path: string) => (request: Request) =>
  request.method() === 'GET' && new URL(request.url()).pathname === path

test('an Enter before the list counts once it is there; a second one sells, and a scan replaces the text', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), '4000821657280', 5n)
  await addPet(store(), '4000821657297', 5n)
  const page = await browser.open(store(), '/pets')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  const field = dialog.getByRole('combobox', { name: 'Pet' })
  await until('the field has the focus', () => field.evaluate(input => input.matches(':focus')))
  await delayRequests(page, reads('/pets'), 300)
  await page.keyboard.type('4000821657297')
  await page.keyboard.press('Enter')
  await page.keyboard.type('4000821657280')
  expect(await field.inputValue()).toBe('4000821657280')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.getByText('Sold: 1 × 4000821657280').waitFor()
  expect(await stockOf(client, petId)).toBe('available 4/0')
  // The button is far away for the keyboard, but not its shortcut.
  await page.keyboard.press('Alt+z')
  await page.keyboard.press('Enter')
  await page.getByText('was taken back').waitFor()
  expect(await stockOf(client, petId)).toBe('available 5/0')
})

test('in the header, a receipt number and Enter open its order; Enter of an input method does not', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), 'R-0007 is not a pet', 5n)
  const { data: order } = await client.placeOrder({ body: { petId, reference: 'R-0007' } })
  const page = await browser.open(store(), '/')
  const search = page.getByRole('combobox', { name: 'Find a pet or an order' }).filter({ visible: true })
  await search.waitFor()
  await delayRequests(page, reads('/store/orders'), 300)
  await search.fill('R-0007 is')
  await page.getByRole('option', { name: 'R-0007 is not a pet' }).waitFor()
  const compose = { key: 'Enter', bubbles: true, cancelable: true, isComposing: true }
  await search.dispatchEvent('keydown', compose)
  expect(await search.inputValue()).toBe('R-0007 is')
  await search.fill('R-0007')
  await search.press('Enter')
  await page.getByRole('heading', { name: `Order ${order.id}` }).waitFor()
  const { data: named } = await client.placeOrder({ body: { petId, reference: 'Frau Öllinger' } })
  await search.fill('oellinger')
  await search.press('Enter')
  await page.getByRole('heading', { name: `Order ${named.id}` }).waitFor()
  await page.goto(`${store().base}/console/orders?reference=%C3%B6llinger`)
  await page.getByRole('cell', { name: 'Frau Öllinger' }).waitFor()
  await search.fill('r-00')
  await search.press('Enter')
  await page.getByRole('heading', { name: /^(Orders|Order \d+)$/ }).waitFor()
})

test('with forced colours, each state differs in its pixels from the others', async () => {
  await addPet(store(), 'Contrast A')
  await addPet(store(), 'Contrast B')
  const page = await browser.open(store(), '/orders')
  await page.emulateMedia({ forcedColors: 'active' })
  const option = (name: string) => page.locator('.mantine-SegmentedControl-control', { hasText: name })
  const day = option('Today')
  const before = await day.screenshot()
  await day.click()
  await page.mouse.move(0, 0)
  await until('the chosen day looks chosen', async () => !before.equals(await day.screenshot()))
  const pets = page.getByRole('navigation').getByRole('link', { name: 'Pets', exact: true })
  const unselected = await pets.screenshot()
  await pets.click()
  await page.mouse.move(0, 0)
  await until('the selected view looks selected', async () => !unselected.equals(await pets.screenshot()))
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  const field = page.getByRole('dialog').getByRole('combobox', { name: 'Pet' })
  await field.fill('Contrast')
  const highlighted = page.getByRole('option', { name: 'Contrast A' })
  await highlighted.waitFor()
  const plain = await highlighted.screenshot()
  await field.press('ArrowDown')
  await until(
    'the option under the arrow looks so',
    async () => !plain.equals(await highlighted.screenshot()),
  )
  await field.press('Escape')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await page.getByRole('button', { name: 'Create key' }).click()
  const box = page.getByRole('dialog').getByLabel('audit:read')
  await box.check()
  await page.mouse.move(0, 0)
  const ticked = await box.screenshot()
  await box.uncheck()
  await page.mouse.move(0, 0)
  await until('the box without a tick looks so', async () => !ticked.equals(await box.screenshot()))
})

test('paper is white in the dark too, and a dialog is no second banner', async () => {
  const { petId } = await makePet(store().client, { quantity: 2n })
  await store().client.placeOrder({ body: { petId } })
  const page = await browser.open(store(), '/orders?day=today', { colorScheme: 'dark' })
  await page.getByText(/Times: UTC/).waitFor()
  await page.emulateMedia({ media: 'print' })
  const colours = `(() => {
      const body = getComputedStyle(document.body), badge = document.querySelector('.printed .mantine-Badge-root')
      return [body.backgroundColor, getComputedStyle(document.querySelector('.printed td')).color,
        getComputedStyle(badge).color]
    })()`
  const black = 'rgb(0, 0, 0)'
  expect(await page.evaluate<string[]>(colours)).toEqual(['rgb(255, 255, 255)', black, black])
  await page.emulateMedia({ media: 'screen' })
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  expect(await page.getByRole('dialog').locator('header').count()).toBe(0)
})

test('Back, a link and a reload ask before they discard what was entered', async () => {
  const page = await browser.open(store(), '/pets')
  const dialog = page.getByRole('dialog')
  await page.getByRole('link', { name: 'Categories', exact: true }).click()
  await page.getByRole('button', { name: 'Add category' }).click()
  await dialog.getByLabel('Name').pressSequentially('Typed with care')
  await page.evaluate('history.back()')
  await dialog.getByText('Throw away what you entered?').waitFor()
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  // The note of a sale is above the dialog, and has links.
  await page.getByRole('link', { name: 'Orders', exact: true, includeHidden: true }).dispatchEvent('click')
  await dialog.getByText('Throw away what you entered?').waitFor()
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  const asked = Promise.withResolvers<string>()
  page.on('dialog', question => {
    asked.resolve(question.type())
    void question.dismiss()
  })
  await page.evaluate('location.reload()')
  expect(await asked.promise).toBe('beforeunload')
  expect(await dialog.getByLabel('Name').inputValue()).toBe('Typed with care')
  await page.close({ runBeforeUnload: false })
})

/** Returns whether the scrollbar of the table is visible if the table is wider than its place. */
async function showsItsWidth(page: Page): Promise<boolean> {
  return await page.evaluate<boolean>(`(() => {
    const area = document.querySelector('.cards .mantine-ScrollArea-viewport')
    if (area.scrollWidth <= area.clientWidth) return true
    const bar = document.querySelector('.cards .mantine-ScrollArea-scrollbar[data-orientation=horizontal]')
    return bar !== null && bar.getBoundingClientRect().height > 4 && getComputedStyle(bar).visibility === 'visible'
  })()`)
}

test('a table that is wider than a tablet shows its scrollbar, and no list is wider than a small phone', async () => {
  const { petId } = await makePet(store().client, { quantity: 2n })
  await store().client.placeOrder({ body: { petId, reference: 'A reference of a usual length' } })
  const page = await browser.open(store(), '/orders', { width: 768 })
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  for (const path of ['orders', 'orders?day=range', 'inventory', 'keys', `pets/${petId}`]) {
    await page.goto(`${store().base}/console/${path}`)
    await page.getByRole('table').first().getByRole('cell').nth(3).waitFor()
    for (const width of [768, 900, 1100]) {
      await page.setViewportSize({ width, height: 900 })
      await until(`${path} shows its width at ${width}`, () => showsItsWidth(page))
    }
    await page.setViewportSize({ width: 320, height: 900 })
    await until(`${path} fits 320 pixels`, async () => !(await isTooWide(page)))
  }
})

test('a category cannot get the name of another one, or a name that shows nothing', async () => {
  const { client } = store()
  await client.createCategory({ body: { name: 'Größe' } })
  const page = await browser.open(store(), '/categories')
  const dialog = page.getByRole('dialog')
  const posts: Request[] = []
  page.on('request', request => void (request.method() === 'POST' && posts.push(request)))
  await page.getByRole('button', { name: 'Add category' }).click()
  for (const [name, message] of [
    ['\u200b\u2800', 'This name shows nothing'],
    ['GRÖßE ', 'There is already the category Größe.'],
    ['gro\u0308ße', 'There is already the category Größe.'],
  ] as const) {
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByRole('button', { name: 'Add category' }).click()
    await dialog.getByText(message).waitFor()
  }
  expect(posts).toEqual([])
})

test('a key that was copied with gaps signs in', async () => {
  const page = await browser.open(store(), '/', { key: '' })
  await page.getByPlaceholder('pst_…').fill(` ${ADMIN_KEY.replaceAll(/.{10}/g, '$& ')}`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()
})

test('a sale that is undone in one of two tabs cannot be undone again in the other one', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), 'Two tabs', 5n)
  const page = await browser.open(store(), `/pets/${petId}`)
  const other = await browser.open(store(), '/orders', { tabOf: page })
  await page.bringToFront()
  await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sell', exact: true }).click()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  const { data } = await client.listOrders({ petId: [petId] })
  const orderId = data.items[0]?.id ?? 0n
  await other.bringToFront()
  await other.getByRole('link', { name: `Order ${orderId}`, exact: true }).click()
  await other.getByRole('button', { name: 'Return' }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Return' }).click()
  await other.getByText('The return is in the books').waitFor()
  await page.bringToFront()
  await undo.click()
  await page
    .getByText(`The sale with receipt ${orderId} was not taken back. Order ${orderId} was returned already.`)
    .waitFor()
  expect(await stockOf(client, petId)).toBe('available 5/0')
})
