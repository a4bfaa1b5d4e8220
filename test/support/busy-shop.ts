import { ApiError } from '../../src/client/errors.ts'
import type { Client } from './client.ts'
import { type Seeded, seeded } from './seeded.ts'

/**
 * The name of the category that marks the end of the writes. The event of its creation has the last position.
 */
export const LAST_NAME = 'The last'

/** The initial stocks of the first four pets. The next pets repeat them. */
const STOCKS = [1_000_000n, 1_000_000n, 3n, 0n]
const PETS = 32
const ROWS_PER_GROUP = 100

/** The counts of the writes to a shop. */
export interface BusyShop {
  /** Returns the minimum number of events that the writers have caused. */
  readonly caused: () => number
  /** Returns the number of commands that the store refused. */
  readonly refused: () => number
}

interface BusyCatalogue {
  readonly client: Client
  readonly categoryId: bigint
  readonly petIds: bigint[]
}

/**
 * Runs several writers at once until they have caused at least `events` events. They place orders, of which some are
 * refused, cancelled, completed or returned, and sell two pets at once. They also create pets and set stocks. The last
 * event is the creation of a category with the name LAST_NAME. Returns the counts.
 */
export async function useShop(
  client: Client,
  writers: number,
  events: number,
  seed: number,
): Promise<BusyShop> {
  const { data: category } = await client.createCategory({ body: { name: 'Everybody' } })
  const catalogue: BusyCatalogue = { client, categoryId: category.id, petIds: [] }
  let caused = 1
  let refused = 0
  for (let index = 0; index < PETS; index++) {
    const made = await createPet(catalogue, STOCKS[index % STOCKS.length])
    catalogue.petIds.push(made.petId)
    caused += made.caused
  }
  const write = async (random: Seeded): Promise<void> => {
    while (caused < events) {
      try {
        const more = await doRandomAction(catalogue, random)
        caused += more
      } catch (error) {
        if (!(error instanceof ApiError) || error.status >= 500) throw error
        refused++
      }
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, index) => write(seeded(seed + index))))
  await client.createCategory({ body: { name: LAST_NAME } })
  return { caused: () => caused + 1, refused: () => refused }
}

/** Does one random action, and returns the minimum number of events that it has caused. */
async function doRandomAction(catalogue: BusyCatalogue, random: Seeded): Promise<number> {
  const { client, petIds } = catalogue
  const petId = random.pick(petIds)
  const roll = random.below(20)
  if (roll === 0) return (await createPet(catalogue, BigInt(random.below(5)))).caused
  if (roll === 1) {
    const { data: before } = await client.getInventoryItem({ petId })
    const isPlenty = before.quantity > 1000n
    const quantity = isPlenty ? before.quantity + 1n : (before.reserved ?? 0n) + BigInt(random.below(4))
    await client.setInventory({ petId, body: { quantity } })
    // There is no event if the quantity already has this value.
    return 0
  }
  const quantity = BigInt(1 + random.below(3))
  if (roll === 2) {
    const lines = [{ petId, quantity }, { petId: random.pick(petIds) }]
    await client.recordSale({ body: { lines } })
    return 4
  }
  const { data: order } = await client.placeOrder({ body: { petId, quantity, complete: roll < 5 } })
  if (roll < 15) return 2
  const orderId = order.id ?? 0n
  if (roll < 18) await client.cancelOrder({ orderId })
  else await client.updateOrder({ orderId, body: { complete: true } })
  if (roll < 19) return 4
  await client.returnOrder({ orderId, body: { quantity: 1n, restock: random.below(2) === 0 } })
  return 5
}

async function createPet(
  { client, categoryId }: BusyCatalogue,
  quantity = 1n,
): Promise<{ petId: bigint; caused: number }> {
  const { data: pet } = await client.createPet({ body: { name: 'Anybody', categoryId } })
  if (quantity !== 1n) await client.setInventory({ petId: pet.id, body: { quantity } })
  return { petId: pet.id, caused: quantity === 1n ? 2 : 3 }
}

/** Imports categories named `Many 1`, `Many 2` and so on; `name` replaces `Many`. Each category causes one event. */
export async function importCategories(
  client: Client,
  count: number,
  description = '',
  name = 'Many',
): Promise<void> {
  const importId = 77n
  for (let from = 1; from <= count; from += ROWS_PER_GROUP) {
    const categories = Array.from({ length: Math.min(ROWS_PER_GROUP, count - from + 1) }, (_, index) => ({
      line: BigInt(from + index),
      name: `${name} ${from + index}`,
      description,
    }))
    await client.stageImport({ importId, body: { categories, pets: [] } })
  }
  const body = { begins: true, rows: BigInt(ROWS_PER_GROUP) }
  while (!(await client.loadImportSlice({ importId, body })).data.isLast);
}
