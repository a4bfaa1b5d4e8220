import { expect, test } from 'bun:test'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore } from '../support/shop.ts'
import { consoleBrowser } from './console-session.ts'
import { addPet } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

test('a category is added with a description, and the description is removed', async () => {
  const page = await browser.open(store(), '/categories')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add category' }).click()
  await dialog.getByRole('button', { name: 'Add category' }).click()
  await dialog.getByText('Name must have at least 1 character').waitFor()
  expect(await seriousViolations(page)).toEqual([])
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Newts')
  await dialog.getByRole('textbox', { name: 'Description' }).fill('Small and wet')
  await dialog.getByRole('button', { name: 'Add category' }).click()
  await page.getByText('Small and wet').waitFor()
  await page.getByRole('button', { name: 'Edit Newts' }).click()
  await dialog.getByRole('textbox', { name: 'Description' }).fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Small and wet').waitFor({ state: 'detached' })
  expect(await seriousViolations(page)).toEqual([])
})

test('a category with pets is not deleted, the dialog says why, and a link leads to the pets', async () => {
  await addPet(store(), 'Inhabitant')
  const page = await browser.open(store(), '/categories?name=Kind of Inh')
  await page.getByRole('button', { name: 'Delete Kind of Inhabitant' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('Kind of Inhabitant still contains pets.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Show pets of Kind of Inhabitant' }).click()
  await page.getByRole('link', { name: 'Inhabitant' }).waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
})
