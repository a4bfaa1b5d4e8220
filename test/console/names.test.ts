import { expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { seriousViolations } from '../support/accessibility.ts'
import { sharedStore } from '../support/shop.ts'
import { consoleBrowser } from './console-session.ts'
import { addPet, LONG_NAME } from './shop-data.ts'

const store = sharedStore('sqlite')
const browser = consoleBrowser()

/** Returns whether the words of a text run from left to right on the screen. */
async function isLeftToRight(element: Locator, words: string): Promise<boolean> {
  return await element.evaluate((node, text) => {
    const walker = node.ownerDocument.createTreeWalker(node, 4)
    for (let found = walker.nextNode(); found; found = walker.nextNode()) {
      const start = found.nodeValue?.indexOf(text) ?? -1
      if (start < 0) continue
      const leftOf = (offset: number): number => {
        const range = node.ownerDocument.createRange()
        range.setStart(found, offset)
        range.setEnd(found, offset + 1)
        return range.getBoundingClientRect().left
      }
      return leftOf(start) < leftOf(start + text.length - 1)
    }
    throw new Error(`the element does not contain ${text}`)
  }, words)
}

test('a name without visible characters has a placeholder in lists, in its heading and in sentences', async () => {
  const pets: { petId: bigint; categoryId: bigint }[] = []
  for (const name of ['\u200b', '\u00a0', '   ', '\u2060\u3164\u00ad']) {
    const pet = await addPet(store(), name)
    await store().client.updateCategory({ categoryId: pet.categoryId, body: { name } })
    pets.push(pet)
  }
  const placeholderOf = (id: bigint): string => `(no visible name) ${id}`
  const page = await browser.open(store(), '/pets?sort=-id')
  for (const { categoryId } of pets)
    await page
      .getByRole('cell', { name: placeholderOf(categoryId) })
      .first()
      .waitFor()
  expect(await seriousViolations(page)).toEqual([])
  for (const { petId } of pets) {
    const placeholder = placeholderOf(petId)
    await page.getByRole('link', { name: placeholder }).click()
    await page.getByRole('heading', { name: placeholder }).waitFor()
    expect(await page.title()).toBe(`${placeholder} · Petstore`)
    // The category had another name then.
    await page.getByText(`${placeholder} was added to Kind of`).waitFor()
    await page.goBack()
  }
  await page.goto(`${store().base}/console/inventory?sort=-id`)
  for (const { petId } of pets) {
    await page.getByRole('button', { name: `Adjust ${placeholderOf(petId)}` }).waitFor()
    await page.getByRole('link', { name: placeholderOf(petId) }).waitFor()
  }
})

test('a name with a character that reverses text does not reverse the text around it', async () => {
  // The second name begins with the character that ends a bidirectional isolate, so it could reverse nearby text.
  for (const name of ['\u202egnp.reversed', '\u2069\u202egnp.reversed']) {
    const { petId } = await addPet(store(), name)
    const page = await browser.open(store(), `/pets/${petId}`)
    const sentence = page.getByRole('region', { name: 'History' }).getByText(/was added to/)
    await sentence.waitFor()
    expect(await isLeftToRight(sentence, 'was added to')).toBe(true)
    expect(await page.title()).toBe('\u2068\u202egnp.reversed\u2069 · Petstore')
  }
})

test('a long name or address in a heading takes less than a third of a small screen', async () => {
  const { petId } = await addPet(store(), 'W'.repeat(190))
  const url = `http://127.0.0.1:1/${'path-'.repeat(300)}`
  const { data: webhook } = await store().client.createWebhook({ body: { url } })
  for (const path of [`/pets/${petId}`, `/webhooks/${webhook.id}`]) {
    const page = await browser.open(store(), path, { width: 390 })
    const heading = page.getByRole('heading', { level: 1, name: /WWW|path-/ })
    await heading.waitFor()
    const box = await heading.boundingBox()
    // The screen is 900 pixels high.
    expect([path, (box?.height ?? 0) < 300]).toEqual([path, true])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(await seriousViolations(page)).toEqual([])
  }
})

test('scopes and states are never cut off, whatever is next to them', async () => {
  const { client } = store()
  const scopes = ['pets:write', 'orders:read', 'inventory:write', 'webhooks:manage'] as const
  const { data: key } = await client.createKey({ body: { name: LONG_NAME, scopes: [...scopes] } })
  const body = { url: `http://127.0.0.1:1/${LONG_NAME}`, description: LONG_NAME }
  const { data: webhook } = await client.createWebhook({ body })
  await client.sendTestEvent({ webhookId: webhook.id })
  for (const width of [390, 1440]) {
    const page = await browser.open(store(), '/keys', { width })
    await page.getByRole('button', { name: `Revoke ${key.name}` }).waitFor()
    expect(await cutBadges(page)).toEqual([])
    await page.goto(`${store().base}/console/webhooks`)
    await page.getByRole('link', { name: LONG_NAME }).waitFor()
    expect(await cutBadges(page)).toEqual([])
    await page.getByRole('link', { name: LONG_NAME }).click()
    await page.getByRole('button', { name: 'Deliver again' }).first().waitFor()
    expect(await cutBadges(page)).toEqual([])
  }
})

/** Returns the badge texts on a page that do not fit into their badges. The page must have at least one badge. */
async function cutBadges(page: Page): Promise<string[]> {
  const badges = page.locator('.mantine-Badge-root')
  expect(await badges.count()).toBeGreaterThan(0)
  return await page.evaluate<string[]>(
    `[...document.querySelectorAll('.mantine-Badge-root, .mantine-Badge-label')]
      .filter(element => element.scrollWidth > element.clientWidth + 1)
      .map(element => element.textContent)`,
  )
}
