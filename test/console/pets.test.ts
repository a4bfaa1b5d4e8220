import { expect, test } from 'bun:test'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore, stockOf } from '../support/shop.ts'
import { until } from '../support/until.ts'
import { consoleBrowser, TIMEOUT_MS } from './console-session.ts'
import { delayRequests, holdRequests } from './requests.ts'
import { addPet, isTooWide, keyWith, LONG_NAME } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

test(
  'a pet is added with a category that the user searches for',
  async () => {
    await store().client.createCategory({ body: { name: 'Salamanders' } })
    const { page, faults } = await browser.open(store(), '/pets')
    await page.getByRole('button', { name: 'Add pet' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add pet' }).click()
    // Both fields show the messages of the store.
    await dialog.getByText('Name must have at least 1 character').waitFor()
    await dialog.getByText('Category is required').waitFor()
    expect(await dialog.getByRole('alert').count()).toBe(0)
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Axel')
    await dialog.getByRole('combobox', { name: 'Category' }).fill('Salam')
    await page.getByRole('option', { name: 'Salamanders' }).click()
    await dialog.getByRole('button', { name: 'Add pet' }).click()
    await page.getByRole('heading', { name: 'Axel' }).waitFor()
    await page.getByRole('link', { name: 'Salamanders' }).first().waitFor()
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'a pet that is added with units has them in one movement, and stays on hold if that was chosen',
  async () => {
    await store().client.createCategory({ body: { name: 'Guppies' } })
    const { page } = await browser.open(store(), '/pets')
    const dialog = page.getByRole('dialog')
    const add = dialog.getByRole('button', { name: 'Add pet' })
    await page.getByRole('button', { name: 'Add pet' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Shoal')
    // Typing the whole name chooses the category, even without a click in the list.
    const category = dialog.getByRole('combobox', { name: 'Category' })
    await category.fill('guppies')
    await category.press('Tab')
    await until('the category is chosen', async () => (await category.inputValue()) === 'Guppies')
    await dialog.getByRole('textbox', { name: 'Units' }).fill('')
    await add.click()
    await dialog.getByText('Enter a number of units.').waitFor()
    await dialog.getByRole('textbox', { name: 'Units' }).fill('12')
    await dialog.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'on hold' }).click()
    await add.click()
    await page.getByRole('heading', { name: 'Shoal' }).waitFor()
    const petId = BigInt(page.url().split('/').at(-1) ?? '')
    expect(await stockOf(store().client, petId)).toBe('pending 12/0')
    const { data } = await store().client.listMovements({ petId })
    expect(data.items.map(({ quantityChange, note }) => [quantityChange, note])).toEqual([
      [12n, 'Opening stock'],
    ])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'a typed name chooses a category whose name has another Unicode form',
  async () => {
    const decomposed = 'Ac\u0327ai\u0301'
    await store().client.createCategory({ body: { name: decomposed } })
    const { page } = await browser.open(store(), '/pets')
    await page.getByRole('button', { name: 'Add pet' }).click()
    const category = page.getByRole('dialog').getByRole('combobox', { name: 'Category' })
    await category.fill(decomposed.normalize('NFC'))
    await category.press('Tab')
    await until('the category is chosen', async () => (await category.inputValue()) === decomposed)
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'the filters of the list are in the address, so a reload shows the same pets',
  async () => {
    const { petId, categoryId } = await addPet(store(), 'Filtered in')
    await addPet(store(), 'Filtered out')
    const { page, faults } = await browser.open(store(), '/pets')
    // One letter is the start of a name.
    await page.getByRole('textbox', { name: 'Search' }).fill('~')
    await page.getByText('No pet matches').waitFor()
    await page.getByRole('textbox', { name: 'Search' }).fill('Filtered')
    await page.waitForURL('**/pets?search=Filtered')
    await page.getByRole('link', { name: 'Filtered out' }).waitFor()
    await page.getByRole('combobox', { name: 'Category' }).fill('Kind of Filtered in')
    await page.getByRole('option', { name: 'Kind of Filtered in' }).click()
    await page.getByRole('link', { name: 'Filtered out' }).waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe(`?search=Filtered&categoryId=${categoryId}`)
    await page.reload()
    const link = page.getByRole('link', { name: 'Filtered in' })
    await link.waitFor()
    expect(await page.getByRole('link', { name: 'Filtered out' }).count()).toBe(0)
    const category = page.getByRole('combobox', { name: 'Category' })
    await until(
      'the filter shows the category',
      async () => (await category.inputValue()) === 'Kind of Filtered in',
    )
    expect(await seriousViolations(page)).toEqual([])
    await link.click()
    await page.getByRole('heading', { name: 'Filtered in' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/pets/${petId}`)
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'an edit of a pet that changed meanwhile overwrites nothing until the user chooses',
  async () => {
    const { petId } = await addPet(store(), 'Before')
    const { page, faults } = await browser.open(store(), `/pets/${petId}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await name.fill('Mine')
    await store().client.updatePet({ petId, body: { name: 'Theirs' } })
    // The page behind the dialog shows the change. The dialog keeps the version that it was opened with.
    await page.getByRole('heading', { name: 'Theirs', includeHidden: true }).waitFor()
    expect(await name.inputValue()).toBe('Mine')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Someone else changed this meanwhile').waitFor()
    await dialog.getByRole('cell', { name: 'Theirs' }).waitFor()
    expect(await nameOf(petId)).toBe('Theirs')
    expect(await seriousViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Keep my values' }).click()
    expect(await nameOf(petId)).toBe('Theirs')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Mine' }).waitFor()
    expect(await nameOf(petId)).toBe('Mine')
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'after a conflict, the user can choose the values in the store',
  async () => {
    const { petId } = await addPet(store(), 'Before')
    const { page } = await browser.open(store(), `/pets/${petId}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Mine')
    await store().client.updatePet({ petId, body: { name: 'Theirs' } })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Use the values in the store' }).click()
    expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Theirs')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await nameOf(petId)).toBe('Theirs')
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'after a pet is put on hold, an edit is about the new version, although the page reads it slowly',
  async () => {
    const { petId } = await addPet(store(), 'Slow', 3n)
    const { page, faults } = await browser.open(store(), `/pets/${petId}`)
    await page.getByRole('button', { name: 'Put on hold' }).waitFor()
    await delayRequests(page, request => request.method() === 'GET', 500)
    await page.getByRole('button', { name: 'Put on hold' }).click()
    await page.getByText('Slow is on hold.').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Slower')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Slower was saved.').waitFor()
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'a pet is put on hold and released, and only a pet that can be released or sold has a button for that',
  async () => {
    const { petId } = await addPet(store(), 'Held', 3n)
    const { page, faults } = await browser.open(store(), `/pets/${petId}`)
    await page.getByRole('button', { name: 'Put on hold' }).click()
    await page.getByRole('button', { name: 'Release' }).waitFor()
    await page.getByText('On hold: it cannot be sold.').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'on hold' }).waitFor()
    await page.getByText(/^For sale\s*0$/).waitFor()
    expect(await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).count()).toBe(0)
    expect(await stockOf(store().client, petId)).toBe('pending 3/0')
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByRole('button', { name: 'Put on hold' }).waitFor()
    await store().client.placeOrder({ body: { petId, quantity: 3n } })
    await page.getByText('All units are reserved by open orders.').waitFor()
    expect(await page.getByRole('button', { name: /Release|Put on hold|Mark as sold/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('Held has 3 units in open orders.').waitFor()
    expect(await stockOf(store().client, petId)).toBe('pending 3/3')
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'an order is placed on the page of its pet, which then lists the order',
  async () => {
    const { petId } = await addPet(store(), 'Ordered here', 4n)
    const { page, faults } = await browser.open(store(), `/pets/${petId}`)
    await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('combobox', { name: 'Pet' }).inputValue()).toBe('Ordered here (4 for sale)')
    const units = dialog.getByRole('textbox', { name: 'Units' })
    await until('the units have the focus', () => units.evaluate(input => input.matches(':focus')))
    await page.keyboard.type('3')
    await dialog.getByLabel('The customer takes it now').uncheck()
    expect(await seriousViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Place order' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stockOf(store().client, petId)).toBe('available 4/3')
    const orders = page.getByRole('region', { name: 'Open orders' })
    await orders.getByText('3 units').waitFor()
    expect(await seriousViolations(page)).toEqual([])
    await orders.getByRole('link', { name: /^Order \d+$/ }).click()
    await page.getByRole('heading', { name: /^Order \d+$/ }).waitFor()
    await page.getByRole('link', { name: 'Ordered here' }).waitFor()
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'the stock of a pet is set and adjusted, and its movements and history show the changes',
  async () => {
    const { petId } = await addPet(store(), 'Counted')
    const { page, faults } = await browser.open(store(), `/pets/${petId}`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Set stock' }).click()
    await dialog.getByRole('textbox', { name: 'In stock' }).fill('7')
    await dialog.getByRole('button', { name: 'Set stock' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Adjust' }).click()
    await dialog.getByRole('button', { name: 'Adjust' }).click()
    await dialog.getByText('Change is required').waitFor()
    await dialog.getByRole('textbox', { name: 'Change' }).fill('-2')
    await dialog.getByRole('textbox', { name: 'Note' }).fill('Gone to a friend')
    await dialog.getByRole('button', { name: 'Adjust' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stockOf(store().client, petId)).toBe('available 5/0')
    const movements = page.getByRole('region', { name: 'Movements' })
    await movements.getByRole('cell', { name: 'Gone to a friend' }).waitFor()
    await movements.getByRole('cell', { name: '-2 in stock' }).waitFor()
    await movements.getByRole('img', { name: /^Stock over time: 1 unit in stock .* now 5 units/ }).waitFor()
    await movements.locator('svg path.recharts-curve').first().waitFor()
    const history = page.getByRole('region', { name: 'History' })
    await history.getByText('Counted has 5 units in stock and is available.').waitFor()
    await history.getByText('Counted was added to Kind of Counted.').waitFor()
    expect(await seriousViolations(page)).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'a category is chosen with the keyboard, and a closed dialog returns the focus',
  async () => {
    const { petId } = await addPet(store(), 'By keyboard')
    await store().client.createCategory({ body: { name: 'Voles' } })
    const { page, faults } = await browser.open(store(), `/pets/${petId}`)
    await page.getByRole('button', { name: 'Edit' }).press('Enter')
    const dialog = page.getByRole('dialog')
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await page.waitForFunction(`document.activeElement?.value === 'By keyboard'`)
    // Letters that are typed before the field shows the category of the pet are replaced by its name.
    const category = dialog.getByRole('combobox', { name: 'Category' })
    await until('the field shows the category', async () => (await category.inputValue()).startsWith('Kind'))
    await name.press('Tab')
    await page.keyboard.type('Vol')
    await page.getByRole('option', { name: 'Kind of By keyboard' }).waitFor({ state: 'detached' })
    await page.getByRole('option', { name: 'Voles' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    for (let key = 0; key < 3; key++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Voles' }).first().waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Edit')
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'while the field for a category searches a slow store, no category of another search is chosen or saved',
  async () => {
    const { petId, categoryId } = await addPet(store(), 'Searched for')
    const { data: newts } = await store().client.createCategory({ body: { name: 'Newts' } })
    const { page, faults } = await browser.open(store(), `/pets/${petId}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    const category = dialog.getByRole('combobox', { name: 'Category' })
    await until('the field shows the category', async () => (await category.inputValue()).startsWith('Kind'))
    await category.click()
    await page.getByRole('option').first().waitFor()
    const hold = await holdRequests(page, request => request.url().includes('name=newts'))
    await page.keyboard.type('newts')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('option').count()).toBe(0)
    await category.press('Tab')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Category is required').waitFor()
    expect((await store().client.listPets({ id: [petId] })).data.items[0]?.categoryId).toBe(categoryId)
    hold.release()
    await until('the category is chosen', async () => (await category.inputValue()) === 'Newts')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('was saved').waitFor()
    expect((await store().client.listPets({ id: [petId] })).data.items[0]?.categoryId).toBe(newts.id)
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'after the deletion of a pet, the list is shown, and the page of the pet says that there is no such pet',
  async () => {
    const { petId } = await addPet(store(), 'Leaving')
    const { page, faults } = await browser.open(store(), `/pets/${petId}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Pets', exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: `There is no pet ${petId}` }).waitFor()
    await page.getByText('Leaving was deleted.').first().waitFor()
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'a key without scopes for pets sees a pet and no button that it cannot use',
  async () => {
    const { petId } = await addPet(store(), 'Only to look at')
    const key = await keyWith(store(), 'orders:read')
    const { page, faults } = await browser.open(store(), `/pets/${petId}`, { key })
    await page.getByRole('heading', { name: 'Only to look at' }).waitFor()
    await page.getByText('In stock', { exact: true }).waitFor()
    expect(await page.getByRole('group', { name: 'Actions' }).count()).toBe(0)
    expect(await page.getByRole('region').count()).toBe(0)
    await page.getByRole('link', { name: 'Pets', exact: true }).click()
    await page.getByRole('link', { name: 'Only to look at' }).waitFor()
    expect(await page.getByRole('button', { name: 'Add pet' }).count()).toBe(0)
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

test(
  'the views of pets fit a small dark screen, even with a long name that cannot wrap',
  async () => {
    const { petId } = await addPet(store(), LONG_NAME)
    const screen = { width: 390, colorScheme: 'dark' } as const
    const { page, faults } = await browser.open(store(), `/pets?sort=-id`, screen)
    await page.getByRole('link', { name: LONG_NAME }).waitFor()
    expect(await isTooWide(page)).toBe(false)
    expect(await seriousViolations(page)).toEqual([])
    await page.getByRole('link', { name: LONG_NAME }).click()
    // The line of a constant stock is flat. It has no height, so the browser counts it as hidden.
    const line = page.getByRole('region', { name: 'Movements' }).locator('svg path.recharts-curve').first()
    await line.waitFor({ state: 'attached' })
    await page.getByRole('region', { name: 'History' }).getByText('was added to').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/pets/${petId}`)
    expect(await isTooWide(page)).toBe(false)
    expect(await seriousViolations(page)).toEqual([])
    expect(faults).toEqual([])
    await page.close()
  },
  TIMEOUT_MS,
)

async function nameOf(petId: bigint): Promise<string | undefined> {
  return (await store().client.listPets({ id: [petId] })).data.items[0]?.name
}
