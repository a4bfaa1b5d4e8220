import { expect, test } from 'bun:test'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore } from '../support/shop.ts'
import { consoleBrowser } from './console-session.ts'
import { addPet, isTooWide, keyWith, LONG_NAME } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

test('a category is added with a description, and the description is removed', async () => {
  const { page, faults } = await browser.open(store(), '/categories')
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
  expect(faults).toEqual([])
  await page.close()
})

test('an edit of a category that changed meanwhile overwrites nothing until the user chooses', async () => {
  const { client } = store()
  const { data: category } = await client.createCategory({ body: { name: 'Toads' } })
  const categoryId = category.id
  const nameInStore = async () => (await client.getCategory({ categoryId })).data.name
  const { page, faults } = await browser.open(store(), '/categories?sort=-id')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Edit Toads' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('My toads')
  await client.updateCategory({ categoryId, body: { name: 'Their toads' } })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('cell', { name: 'Their toads' }).waitFor()
  expect(await nameInStore()).toBe('Their toads')
  await dialog.getByRole('button', { name: 'Keep my values' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await nameInStore()).toBe('My toads')
  expect(faults).toEqual([])
  await page.close()
})

test('a category with pets is not deleted, the dialog says why, and a link leads to the pets', async () => {
  await addPet(store(), 'Inhabitant')
  const { page, faults } = await browser.open(store(), '/categories?name=Kind of Inh')
  await page.getByRole('button', { name: 'Delete Kind of Inhabitant' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('Kind of Inhabitant still contains pets.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Show pets of Kind of Inhabitant' }).click()
  await page.getByRole('link', { name: 'Inhabitant' }).waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  expect(faults).toEqual([])
  await page.close()
})

test('a key that may only read sees the categories without buttons, on a small dark screen too', async () => {
  await store().client.createCategory({ body: { name: LONG_NAME, description: LONG_NAME } })
  const key = await keyWith(store(), 'orders:read')
  const screen = { key, width: 390, colorScheme: 'dark' } as const
  const { page, faults } = await browser.open(store(), '/categories?sort=-id', screen)
  await page.getByText(LONG_NAME).first().waitFor()
  expect(await page.getByRole('button', { name: /Add|Edit|Delete/ }).count()).toBe(0)
  expect(await isTooWide(page)).toBe(false)
  expect(await seriousViolations(page)).toEqual([])
  expect(faults).toEqual([])
  await page.close()
})
