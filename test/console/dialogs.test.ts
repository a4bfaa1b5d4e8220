import { expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { seriousViolations } from '../support/accessibility.ts'
import type { Client } from '../support/client.ts'
import { makePet, sharedStore, stockOf } from '../support/shop.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { holdRequests, requestsWith } from './requests.ts'
import { addPet } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

/** A JavaScript expression whose value is the text of the element with the focus. */
const FOCUSED_TEXT = 'document.activeElement.textContent'

test('a form that is submitted twice at once makes one change', async () => {
  const page = await browser.open(store(), '/categories')
  const posts = requestsWith(page, 'POST')
  await page.getByRole('button', { name: 'Add category' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Only one')
  await page.evaluate(`{
      const form = document.querySelector('[role=dialog] form')
      form.requestSubmit()
      form.requestSubmit()
    }`)
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Add category' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Only one more')
  await dialog.getByRole('button', { name: 'Add category' }).dblclick()
  await page.getByText('Only one more was added.').waitFor()
  expect(posts).toHaveLength(2)
  const { data } = await store().client.listCategories({ name: 'Only one' })
  expect(data.items.map(({ name }) => name)).toEqual(['Only one', 'Only one more'])
})

test('a double click on a button without a dialog acts once', async () => {
  const { client } = store()
  const { data: webhook } = await client.createWebhook({ body: { url: 'http://127.0.0.1:9/none' } })
  const page = await browser.open(store(), `/webhooks/${webhook.id}`)
  const posts = requestsWith(page, 'POST')
  await page.getByRole('button', { name: 'Send test event' }).dblclick()
  await page.getByRole('cell', { name: /webhook.test/ }).waitFor()
  expect(posts).toHaveLength(1)
  await client.deleteWebhook({ webhookId: webhook.id })
})

test('a dialog stays open when its row leaves the list', async () => {
  const { petId } = await addPet(store(), 'Leaving the list', 2n)
  const page = await browser.open(store(), '/inventory?atMost=5')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Adjust Leaving the list' }).click()
  await dialog.getByRole('textbox', { name: 'Change' }).fill('3')
  await store().client.setInventory({ petId, body: { quantity: 40n } })
  await page
    .getByRole('link', { name: 'Leaving the list', includeHidden: true })
    .waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Adjust' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await stockOf(store().client, petId)).toBe('available 43/0')
})

test('a dialog about a pet that is deleted meanwhile keeps what was entered, and shows the refusal', async () => {
  const { petId } = await addPet(store(), 'Deleted meanwhile')
  const page = await browser.open(store(), `/pets/${petId}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Adjust' }).click()
  await dialog.getByRole('textbox', { name: 'Note' }).fill('Found behind the shelf')
  await dialog.getByRole('textbox', { name: 'Change' }).fill('1')
  await store().client.deletePet({ petId })
  await page.getByRole('heading', { name: `There is no pet ${petId}`, includeHidden: true }).waitFor()
  expect(await dialog.getByRole('textbox', { name: 'Note' }).inputValue()).toBe('Found behind the shelf')
  await dialog.getByRole('button', { name: 'Adjust' }).click()
  await dialog.getByText('Deleted meanwhile is no longer in the shop.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await until('the content has the focus', () => page.evaluate(`document.activeElement.id === 'main'`))
})

test('a running change keeps its dialog open, and after "Stop waiting" the user can make another change', async () => {
  const { categoryId } = await addPet(store(), 'Any')
  const page = await browser.open(store(), `/pets?categoryId=${categoryId}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add pet' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Slow to come')
  await dialog.getByRole('combobox', { name: 'Category' }).fill('Kind of Any')
  await page.getByRole('option', { name: 'Kind of Any' }).click()
  const hold = await holdRequests(page, request => request.method() === 'POST')
  await dialog.getByRole('button', { name: 'Add pet' }).click()
  await until('the request is sent', () => hold.held.length === 1)
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 400)
  expect(await dialog.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Slow to come')
  await dialog.getByRole('button', { name: 'Stop waiting' }).click()
  await dialog.getByText('It is not known whether the change was made').waitFor()
  expect(await dialog.getByRole('link', { name: 'See the newest pets' }).getAttribute('href')).toBe(
    '/console/pets?sort=-id',
  )
  expect(await seriousViolations(page)).toEqual([])
  // Only a question closes the dialog, because the change may have been made.
  await page.keyboard.press('Escape')
  await dialog.getByText('Close this, although the change may have been made?').waitFor()
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Start a new change' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Another name')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  hold.release()
  // After a reload, the page shows the same view.
  await page.reload()
  await page.getByRole('link', { name: 'Any', exact: true }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/pets')
})

test('a change that is made or refused after the user has left its page is reported', async () => {
  const { petId } = await addPet(store(), 'Left behind')
  const page = await browser.open(store(), '/inventory')
  await page.getByRole('link', { name: 'Left behind' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  const hold = await holdRequests(page, request => request.method() === 'DELETE')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await until('the request is sent', () => hold.held.length === 1)
  await page.goBack()
  await page.getByRole('heading', { name: 'Inventory' }).waitFor()
  hold.release()
  await page.getByText('Left behind was deleted.').waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/inventory')
  expect((await store().client.listPets({ id: [petId] })).data.items).toEqual([])
  // A refusal that arrives then has the name of the pet, too.
  const other = await addPet(store(), 'Refused later')
  await page.getByRole('link', { name: 'Refused later' }).click()
  const adjustments = await holdRequests(page, request => request.url().endsWith('/adjustments'))
  await page.getByRole('button', { name: 'Adjust' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Change' }).fill('-3')
  await page.getByRole('dialog').getByRole('button', { name: 'Adjust' }).click()
  await until('the request is sent', () => adjustments.held.length === 1)
  await page.goBack()
  await page.getByRole('heading', { name: 'Inventory' }).waitFor()
  adjustments.release()
  await page.getByText('Refused later would have -2 units in stock.').waitFor()
  expect(await stockOf(store().client, other.petId)).toBe('available 1/0')
})

const KEEP = 'Keep my values'
const USE = 'Use the values in the store'

/** A form of the console about something that somebody else changes while the form is open. */
interface OpenForm {
  readonly path: string
  /** The buttons that open and submit the form. */
  readonly buttons: readonly [open: string, submit: string]
  readonly field: string
  readonly mine: string
  readonly theirs: string
  readonly choice: typeof KEEP | typeof USE
  changeMeanwhile(page: Page): Promise<unknown>
  stored(): Promise<string>
}

const forms: Readonly<Record<string, (client: Client) => Promise<OpenForm>>> = {
  'a pet': async client => {
    const { petId } = await addPet(store(), 'Before')
    return {
      path: `/pets/${petId}`,
      buttons: ['Edit', 'Save'],
      choice: USE,
      field: 'Name',
      mine: 'Mine',
      theirs: 'Theirs',
      changeMeanwhile: async page => {
        await client.updatePet({ petId, body: { name: 'Theirs' } })
        // The page behind the dialog shows the change. The dialog keeps the version that it was opened with.
        await page.getByRole('heading', { name: 'Theirs', includeHidden: true }).waitFor()
      },
      stored: async () => (await client.listPets({ id: [petId] })).data.items[0]?.name ?? '',
    }
  },
  'a category': async client => {
    const { data } = await client.createCategory({ body: { name: 'Toads' } })
    const categoryId = data.id
    return {
      path: '/categories?sort=-id',
      buttons: ['Edit Toads', 'Save'],
      choice: KEEP,
      field: 'Name',
      mine: 'My toads',
      theirs: 'Their toads',
      changeMeanwhile: () => client.updateCategory({ categoryId, body: { name: 'Their toads' } }),
      stored: async () => (await client.getCategory({ categoryId })).data.name,
    }
  },
  'an order': async client => {
    const { orderId } = await makePet(client, { quantity: 9n, reserved: 1n })
    return {
      path: `/orders/${orderId}`,
      buttons: ['Edit', 'Save'],
      choice: KEEP,
      field: 'Units',
      mine: '3',
      theirs: '4',
      changeMeanwhile: () => client.updateOrder({ orderId, body: { quantity: 4n } }),
      stored: async () => String((await client.getOrder({ orderId })).data.quantity),
    }
  },
  'a stock': async client => {
    const { petId } = await addPet(store(), 'Counted twice', 3n)
    return {
      path: `/pets/${petId}`,
      buttons: ['Set stock', 'Set stock'],
      choice: KEEP,
      field: 'In stock',
      mine: '7',
      theirs: '5',
      changeMeanwhile: () => client.setInventory({ petId, body: { quantity: 5n } }),
      stored: async () => String((await client.getInventoryItem({ petId })).data.quantity),
    }
  },
}

test.each(Object.entries(forms))(
  '%s that changed meanwhile is overwritten only if the user chooses that',
  async (_, open) => {
    const { path, buttons, field, mine, theirs, choice, changeMeanwhile, stored } = await open(store().client)
    const page = await browser.open(store(), path)
    const dialog = page.getByRole('dialog')
    const input = dialog.getByRole('textbox', { name: field })
    const submit = dialog.getByRole('button', { name: buttons[1] })
    await page.getByRole('button', { name: buttons[0], exact: true }).click()
    await input.fill(mine)
    await changeMeanwhile(page)
    await submit.click()
    await dialog.getByText('Someone else changed this meanwhile').waitFor()
    await dialog.getByRole('cell', { name: theirs }).first().waitFor()
    expect([await stored(), await input.inputValue()]).toEqual([theirs, mine])
    expect(await seriousViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: choice }).click()
    const chosen = choice === KEEP ? mine : theirs
    expect([await stored(), await input.inputValue()]).toEqual([theirs, chosen])
    await submit.click()
    await dialog.waitFor({ state: 'detached' })
    expect(await stored()).toBe(chosen)
  },
)

test('an order that changed meanwhile is completed only after the user has seen the change', async () => {
  const { client } = store()
  const { orderId } = await makePet(client, { quantity: 9n, reserved: 1n })
  const page = await browser.open(store(), `/orders/${orderId}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Complete' }).click()
  await dialog.getByText('1 unit will leave the stock.').waitFor()
  await client.updateOrder({ orderId, body: { quantity: 4n } })
  await dialog.getByRole('button', { name: 'Complete' }).click()
  await dialog.getByRole('row', { name: 'Units 1 4' }).waitFor()
  await dialog.getByText('4 units will leave the stock.').waitFor()
  expect((await client.getOrder({ orderId })).data.complete).toBe(false)
  expect(await seriousViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Complete' }).click()
  await page.getByText('Order completed').waitFor()
  expect((await client.getOrder({ orderId })).data.complete).toBe(true)
})

test('a pet whose stock changes after the click is marked as sold once the user has seen the change', async () => {
  const { client } = store()
  const { petId } = await addPet(store(), 'Sold')
  const page = await browser.open(store(), `/pets/${petId}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Mark as sold' }).click()
  await dialog.getByText('Sold has 1 unit in stock').waitFor()
  const hold = await holdRequests(page, request => request.method() === 'PUT')
  await dialog.getByRole('button', { name: 'Mark as sold' }).click()
  await until('the request is sent', () => hold.held.length === 1)
  await client.adjustInventory({ petId, body: { quantityChange: 40n, note: 'Delivery' } })
  hold.release()
  await dialog.getByRole('row', { name: 'In stock 1 unit 41 units' }).waitFor()
  expect(await stockOf(client, petId)).toBe('available 41/0')
  await dialog.getByRole('button', { name: 'Mark as sold' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await stockOf(client, petId)).toBe('sold 0/0')
})

test('Escape, a click outside and the close button ask before a dialog discards what was entered', async () => {
  const page = await browser.open(store(), '/categories')
  const dialog = page.getByRole('dialog')
  const name = dialog.getByRole('textbox', { name: 'Name' })
  const description = dialog.getByRole('textbox', { name: 'Description' })
  const question = dialog.getByRole('alert')
  const keep = dialog.getByRole('button', { name: 'Keep editing' })
  const hasFocus = (element: Locator) => element.evaluate(node => node.matches(':focus'))
  const add = page.getByRole('button', { name: 'Add category' })
  for (const close of [() => page.keyboard.press('Escape'), () => page.mouse.click(5, 400)]) {
    await add.click()
    await name.waitFor()
    await close()
    await dialog.waitFor({ state: 'detached' })
  }
  await add.click()
  await name.fill('Typed with care')
  await description.press('Escape')
  await question.getByText('Throw away what you entered?').waitFor()
  expect(await hasFocus(keep)).toBe(true)
  expect(await seriousViolations(page)).toEqual([])
  await keep.press('Enter')
  await question.waitFor({ state: 'detached' })
  expect(await hasFocus(description)).toBe(true)
  await page.mouse.click(5, 400)
  await question.waitFor()
  // A second Escape returns to the form, too.
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('Typed with care')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await question.waitFor()
  await dialog.getByRole('button', { name: 'Throw it away' }).click()
  await dialog.waitFor({ state: 'detached' })
  await until('the button has the focus', () => hasFocus(add))
  await add.click()
  await name.fill('Cancel needs no question')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  // Letters in a field for a number are no value, but they were entered.
  const { petId } = await addPet(store(), 'Adjusted by words')
  await page.goto(`${store().base}/console/pets/${petId}`)
  await page.getByRole('button', { name: 'Adjust' }).click()
  await dialog.getByRole('textbox', { name: 'Change' }).fill('two')
  await page.keyboard.press('Escape')
  await question.waitFor()
})

test('only Done closes the dialog with a new key, and the focus returns to the button Create key', async () => {
  const page = await browser.open(store(), '')
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Create key' }).click()
  const name = dialog.getByLabel('Name')
  await until('the first field has the focus', () => name.evaluate(input => input.matches(':focus')))
  await name.fill('till 9')
  await dialog.getByLabel('Expires').fill('275759-01-01T10:00')
  await dialog.getByRole('checkbox', { name: 'orders:read' }).check()
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByText('This is not a valid date').waitFor()
  await dialog.getByLabel('Expires').fill('')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await page.getByTestId('secret').waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 400)
  const asked = Promise.withResolvers<string>()
  page.on('dialog', question => {
    asked.resolve(question.type())
    void question.dismiss()
  })
  await page.evaluate('history.back()')
  await page.evaluate('location.reload()')
  expect(await asked.promise).toBe('beforeunload')
  expect(await page.getByTestId('secret').textContent()).toStartWith('pst_')
  expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  await until('the button has the focus', async () => (await page.evaluate(FOCUSED_TEXT)) === 'Create key')
})
