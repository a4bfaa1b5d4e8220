import type { Page } from 'playwright-core'
import type { Scope } from '../../src/shop/keys/schema.ts'
import type { TestStore } from '../support/store.ts'

/** A name without a place where a line can break. It is wider than a small screen. */
export const LONG_NAME = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(4)

/** Creates a pet with this quantity, in a category of its own. Returns the ids of both. */
export async function addPet(
  { client }: TestStore,
  name: string,
  quantity = 1n,
): Promise<{ petId: bigint; categoryId: bigint }> {
  const { data: category } = await client.createCategory({ body: { name: `Kind of ${name}` } })
  const { data: pet } = await client.createPet({ body: { name, categoryId: category.id } })
  if (quantity !== 1n) await client.setInventory({ petId: pet.id, body: { quantity } })
  return { petId: pet.id, categoryId: category.id }
}

/** Creates a key with these scopes and returns it. */
export async function keyWith({ client }: TestStore, ...scopes: Scope[]): Promise<string> {
  return (await client.createKey({ body: { name: scopes.join(' '), scopes } })).data.key
}

/** Returns whether a page is wider than its window, so that the user must scroll sideways. */
export async function isTooWide(page: Page): Promise<boolean> {
  return await page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth')
}
