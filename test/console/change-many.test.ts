import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { priceAfter } from '../../src/console/parts/pets/price-after.ts'
import { sharedStore } from '../support/shop.ts'
import { consoleBrowser } from './console-session.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()
let fish = 0n
let balls = 0n

beforeAll(async () => {
  const { client } = store()
  fish = (await client.createCategory({ body: { name: 'Fish' } })).data.id
  balls = (await client.createCategory({ body: { name: 'Balls' } })).data.id
  // More than one page of the list, and one pet without a price.
  for (let index = 1; index <= 24; index++) {
    const price = index === 24 ? {} : { price: BigInt(1005 + index) }
    await client.createPet({ body: { name: `Guppy ${index}`, categoryId: fish, ...price } })
  }
})

async function petsOf(categoryId: bigint) {
  return (await store().client.listPets({ categoryId: [categoryId], limit: 100 })).data.items
}

async function chooseKind(page: Page, kind: string): Promise<void> {
  await page.getByRole('dialog').getByRole('combobox', { name: 'What to change' }).click()
  await page.getByRole('option', { name: kind }).click()
}

test('all pets that match, also those of the second page, get their price changed by percent', async () => {
  const page = await browser.open(store(), `/pets?categoryId=${fish}`)
  await page.getByRole('button', { name: 'Choose all that match' }).click()
  await page.getByText('24 pets are chosen').waitFor()
  await page.getByRole('button', { name: 'Change them' }).click()
  const dialog = page.getByRole('dialog')
  await chooseKind(page, 'Change the price by percent')
  await dialog.getByRole('button', { name: 'Change them' }).click()
  await dialog.getByText('Enter a percentage from -100 to 1000').waitFor()
  await dialog.getByLabel('Percent').fill('-2,5')
  await dialog.getByText('Guppy 1: €10.06 → €9.81').waitFor()
  await dialog.getByText('and 20 more').waitFor()
  await dialog.getByText('1 pet has no price and stays as it is.').waitFor()
  // A sale between the look and the change does not stop it, because the price is the same.
  const [first] = await petsOf(fish)
  await store().client.placeOrder({ body: { petId: first?.id ?? 0n, complete: true } })
  await dialog.getByRole('button', { name: 'Change them' }).click()
  await page.getByText('23 pets were changed.').waitFor()
  const prices = (await petsOf(fish)).map(({ name, price }) => [name, price])
  expect(prices.slice(0, 2)).toEqual([
    ['Guppy 1', 981n],
    ['Guppy 2', 982n],
  ])
  expect(prices.at(-1)).toEqual(['Guppy 24', undefined])
  expect(await page.getByText('pets are chosen').count()).toBe(0)
})

test('two tabs that raise a price raise it once, and the second one says so', async () => {
  const { client } = store()
  const { data: pet } = await client.createPet({
    body: { name: 'Twice ball', categoryId: balls, price: 500n },
  })
  const first = await browser.open(store(), `/pets?categoryId=${balls}`)
  const second = await browser.open(store(), `/pets?categoryId=${balls}`, { tabOf: first })
  for (const page of [first, second]) {
    await page.getByRole('checkbox', { name: 'Choose Twice ball' }).check()
    await page.getByRole('button', { name: 'Change them' }).click()
    await chooseKind(page, 'Change the price by percent')
    await page.getByRole('dialog').getByLabel('Percent').fill('10')
  }
  await first.getByRole('dialog').getByRole('button', { name: 'Change them' }).click()
  await first.getByText('1 pet was changed.').waitFor()
  await second.getByRole('dialog').getByRole('button', { name: 'Change them' }).click()
  await second.getByText('The price of Twice ball is €5.50 already.').waitFor()
  expect((await client.getPet({ petId: pet.id })).data.price).toBe(550n)
  await client.deletePet({ petId: pet.id })
})

test('nothing is chosen at once if nothing matches, or if all that match are chosen', async () => {
  const page = await browser.open(store(), '/pets?search=nothing')
  const chooseAll = page.getByRole('button', { name: 'Choose all that match' })
  await page.getByText('No pet matches').waitFor()
  expect(await chooseAll.count()).toBe(0)
  await page.getByRole('textbox', { name: 'Search' }).fill('Guppy 24')
  await chooseAll.click()
  await page.getByText('1 pet is chosen').waitFor()
  expect(await chooseAll.count()).toBe(0)
})

test('a price that somebody else changed since the list was read is not overwritten', async () => {
  const { client } = store()
  const { data: pet } = await client.createPet({ body: { name: 'Red ball', categoryId: balls, price: 500n } })
  const page = await browser.open(store(), `/pets?categoryId=${balls}`)
  await page.getByRole('checkbox', { name: 'Choose Red ball' }).check()
  await page.getByRole('button', { name: 'Change them' }).click()
  await chooseKind(page, 'Change the price by percent')
  await page.getByRole('dialog').getByLabel('Percent').fill('10')
  await client.updatePet({ petId: pet.id, body: { price: 700n } })
  await page.getByRole('dialog').getByRole('button', { name: 'Change them' }).click()
  await page.getByText('The price of Red ball was changed meanwhile.').waitFor()
  expect((await client.getPet({ petId: pet.id })).data.price).toBe(700n)
})

test('a price is raised once, although a sale replaced its version and the next response was lost', async () => {
  const { client } = store()
  const body = { categoryId: balls, price: 1000n }
  const { data: first } = await client.createPet({ body: { ...body, name: 'Blue ball' } })
  const { data: second } = await client.createPet({ body: { ...body, name: 'Green ball' } })
  const page = await browser.open(store(), `/pets?categoryId=${balls}`)
  for (const { name } of [first, second]) await page.getByRole('checkbox', { name: `Choose ${name}` }).check()
  await page.getByRole('button', { name: 'Change them' }).click()
  await chooseKind(page, 'Change the price by percent')
  await page.getByRole('dialog').getByLabel('Percent').fill('10')
  let sent = 0
  let loses = true
  // The page reads the list again when the outcome is not known.
  await page.route(/\/pets\?/, route => (loses ? route.fulfill({ status: 403 }) : route.continue()))
  await page.route(/\/pets\/\d+$/, async route => {
    if (route.request().method() !== 'PATCH') return await route.continue()
    // The sale comes after the page has read the version, and another price before the second pet is changed.
    if (sent++ === 0) {
      await client.placeOrder({ body: { petId: first.id, complete: true } })
      await client.updatePet({ petId: second.id, body: { price: 700n } })
      return await route.continue()
    }
    const response = await route.fetch()
    if (loses) return await route.abort('connectionreset')
    return await route.fulfill({ response })
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Change them' }).click()
  const again = page.getByRole('button', { name: 'Send again' })
  await again.waitFor()
  await page.getByText('Request refused').waitFor()
  loses = false
  await again.click()
  await page.getByText('1 pet was changed.').waitFor()
  await page.getByText('The price of Green ball was changed meanwhile.').waitFor()
  const prices = (await petsOf(balls)).map(({ name, price }) => [name, price])
  expect(prices).toContainEqual(['Blue ball', 1100n])
  expect(prices).toContainEqual(['Green ball', 700n])
  for (const { id } of [first, second]) await client.deletePet({ petId: id })
})

test('prices are raised once, although the store refuses one of them for a while', async () => {
  const { client } = store()
  const ids: bigint[] = []
  for (const name of ['Fast ball', 'Slow ball'])
    ids.push((await client.createPet({ body: { name, categoryId: balls, price: 1000n } })).data.id)
  const page = await browser.open(store(), `/pets?categoryId=${balls}`)
  for (const name of ['Fast', 'Slow'])
    await page.getByRole('checkbox', { name: `Choose ${name} ball` }).check()
  await page.getByRole('button', { name: 'Change them' }).click()
  await chooseKind(page, 'Change the price by percent')
  await page.getByRole('dialog').getByLabel('Percent').fill('10')
  let isBusy = true
  await page.route(`**/pets/${ids[1]}`, route =>
    isBusy && route.request().method() === 'PATCH'
      ? route.fulfill({ status: 429, headers: { 'Retry-After': '3600' } })
      : route.continue(),
  )
  await page.getByRole('dialog').getByRole('button', { name: 'Change them' }).click()
  const again = page.getByRole('button', { name: 'Send again' })
  await again.waitFor()
  isBusy = false
  await again.click()
  await page.getByText('2 pets were changed.').waitFor()
  for (const petId of ids) {
    expect((await client.getPet({ petId })).data.price).toBe(1100n)
    await client.deletePet({ petId })
  }
})

test('of pets whose level changes, a deleted one is named, and the others are changed', async () => {
  const { client } = store()
  const names = ['Blue ball', 'Lost ball', 'Green ball']
  const ids: bigint[] = []
  for (const name of names) ids.push((await client.createPet({ body: { name, categoryId: balls } })).data.id)
  const page = await browser.open(store(), `/pets?categoryId=${balls}`)
  for (const name of names) await page.getByRole('checkbox', { name: `Choose ${name}` }).check()
  await page.getByRole('button', { name: 'Change them' }).click()
  await chooseKind(page, 'Set the level “Reorder at”')
  await page.getByRole('dialog').getByRole('textbox', { name: 'Reorder at' }).fill('4')
  await client.deletePet({ petId: ids[1] ?? 0n })
  await page.getByRole('dialog').getByRole('button', { name: 'Change them' }).click()
  await page.getByText('2 pets were changed.').waitFor()
  await page.getByText('1 pet was not changed').waitFor()
  for (const petId of [ids[0], ids[2]]) {
    expect((await client.getInventoryItem({ petId: petId ?? 0n })).data.reorderAt).toBe(4n)
    await client.deletePet({ petId: petId ?? 0n })
  }
})

test('pets that the store refuses are named, and the others are changed', async () => {
  const { client } = store()
  const { data: gone } = await client.createPet({ body: { name: 'Gone ball', categoryId: balls } })
  const page = await browser.open(store(), `/pets?categoryId=${balls}`, { width: 390 })
  for (const name of ['Red ball', 'Gone ball'])
    await page.getByRole('checkbox', { name: `Choose ${name}` }).check()
  await page.getByRole('button', { name: 'Change them' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Category' }).fill('Fi')
  await page.getByRole('option', { name: 'Fish' }).click()
  await client.deletePet({ petId: gone.id })
  await dialog.getByRole('button', { name: 'Change them' }).click()
  await page.getByText('1 pet was not changed').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  expect((await petsOf(balls)).length).toBe(0)
  expect((await petsOf(fish)).map(({ name }) => name)).toContain('Red ball')
})

test('a merged category moves its pets, also those of a second page, to the other one, and is deleted', async () => {
  const { client } = store()
  const { data: double } = await client.createCategory({ body: { name: 'Fishes' } })
  for (let index = 0; index < 103; index++)
    await client.createPet({ body: { name: `Tetra ${index}`, categoryId: double.id } })
  const before = (await client.getCategory({ categoryId: fish })).data
  const page = await browser.open(store(), '/categories')
  await page.getByRole('button', { name: 'Merge Fishes' }).click()
  const dialog = page.getByRole('dialog')
  const choose = async (name: string): Promise<void> => {
    await dialog.getByRole('combobox', { name: 'Category' }).fill(name)
    await page.getByRole('option', { name, exact: true }).click()
  }
  await choose('Fishes')
  await dialog.getByRole('button', { name: 'Merge' }).click()
  await dialog.getByText('Choose another category.').waitFor()
  await choose('Fish')
  await dialog.getByRole('button', { name: 'Merge' }).click()
  await page.getByText('Fishes was merged.').waitFor()
  expect((await client.listCategories({ name: 'Fishes' })).data.items).toEqual([])
  const moved = await store().database(`SELECT count(*) AS n FROM pet WHERE category_id = ${before.id}`)
  expect(moved).toEqual([{ n: 24n + 1n + 103n }])
})

test('a merge ends if somebody moves its pets back, as an opposite merge does', async () => {
  const { client } = store()
  const { data: from } = await client.createCategory({ body: { name: 'Back and forth' } })
  const { data: pet } = await client.createPet({ body: { name: 'Pendulum', categoryId: from.id } })
  const page = await browser.open(store(), '/categories')
  await page.getByRole('button', { name: 'Merge Back and forth' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Category' }).fill('Fish')
  await page.getByRole('option', { name: 'Fish', exact: true }).click()
  await page.route(`**/pets?*categoryId=${from.id}*`, async route => {
    await client.updatePet({ petId: pet.id, body: { categoryId: from.id } })
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Merge' }).click()
  await dialog.getByText('Somebody moves the pets back. The categories are not merged.').waitFor()
})

test('a key that may only read chooses nothing', async () => {
  const { data } = await store().client.createKey({ body: { name: 'Reader', scopes: ['orders:read'] } })
  const page = await browser.open(store(), '/pets', { key: data.key })
  await page.getByRole('link', { name: 'Guppy 1', exact: true }).waitFor()
  expect(await page.getByRole('checkbox').count()).toBe(0)
})

test('a price after a change by percent is exact, and rounds halves of a cent up', () => {
  expect([priceAfter(1000n, '10'), priceAfter(10n ** 12n, '-0.01')]).toEqual([1100n, 999_900_000_000n])
  expect([priceAfter(50n, '1'), priceAfter(49n, '1'), priceAfter(5n, '-100')]).toEqual([51n, 49n, 0n])
  for (const text of ['', '-100.01', '1001', '10%', '1e2', '1,000.5', ' '])
    expect(priceAfter(1n, text)).toBeUndefined()
})
