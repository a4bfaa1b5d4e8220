import { expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore } from '../support/shop.ts'
import { until } from '../support/until.ts'
import { consoleBrowser } from './console-session.ts'
import { addPet } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

test('a field for units keeps a text that is not a whole number, reports it, and sends no number', async () => {
  const { petId } = await addPet(store(), 'Numbered', 4n)
  const page = await browser.open(store(), `/pets/${petId}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Set stock' }).click()
  const field = dialog.getByRole('textbox', { name: 'In stock' })
  for (const text of ['1e5', '1,50', '1.5', '0x10', '1 000', '١٢', '9223372036854775808']) {
    await field.fill(text)
    await dialog.getByText('Enter a whole number with digits only').waitFor()
    expect(await field.inputValue()).toBe(text)
  }
  const refusal = page.waitForResponse(response => response.status() === 422)
  await dialog.getByRole('button', { name: 'Set stock' }).click()
  await refusal
  expect((await store().client.getInventoryItem({ petId })).data.quantity).toBe(4n)
  expect(await seriousViolations(page)).toEqual([])
  await field.fill(' 12 ')
  await dialog.getByText('Enter a whole number').waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Set stock' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await store().client.getInventoryItem({ petId })).data.quantity).toBe(12n)
  await page.goto(`${store().base}/console/inventory`)
  const limit = page.getByRole('textbox', { name: 'In stock, at most' })
  await limit.fill('-1')
  await page.getByText('Enter a whole number with digits only, such as 12.').waitFor()
  await limit.fill('12')
  await page.waitForURL('**/inventory?atMost=12')
  await page.getByText('Enter a whole number').waitFor({ state: 'detached' })
})

test('a field for units selects its number when it gets the focus, so that typing replaces the number', async () => {
  const { petId } = await addPet(store(), 'Ordered by keyboard', 20n)
  const page = await browser.open(store(), `/pets/${petId}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('link', { name: 'Orders', exact: true }).click()
  await page.getByRole('button', { name: 'Sell', exact: true }).click()
  const pet = dialog.getByRole('combobox', { name: 'Pet' })
  await pet.fill('Ordered by')
  await page.getByRole('option', { name: 'Ordered by keyboard (20 for sale)' }).click()
  await pet.press('Tab')
  await page.keyboard.type('2')
  await dialog.getByRole('button', { name: 'Sell', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await store().client.getInventoryItem({ petId })).data.quantity).toBe(18n)
  await page.goto(`${store().base}/console/pets/${petId}`)
  const field = dialog.getByRole('textbox', { name: 'In stock' })
  await page.getByRole('button', { name: 'Set stock' }).click()
  await until('the number is selected', () => isSelected(field))
  await page.keyboard.type('110')
  expect(await field.inputValue()).toBe('110')
  await dialog.getByRole('button', { name: 'Cancel' }).focus()
  await field.click()
  await until('the number is selected', () => isSelected(field))
  // A second click sets the caret.
  await field.click()
  await until('the caret is set', async () => !(await isSelected(field)))
})

/** Returns whether the whole text of a field is selected. */
async function isSelected(field: Locator): Promise<boolean> {
  const selected = await field.page().evaluate<string>('getSelection().toString()')
  return selected !== '' && selected === (await field.inputValue())
}
