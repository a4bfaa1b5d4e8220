import { afterAll, beforeAll } from 'bun:test'
import type { PetStatus } from '../../src/shop/stock/status.ts'
import type { Client } from './client.ts'
import type { EngineName } from './engines.ts'
import { openTestStore, type TestOptions, type TestStore } from './store.ts'

/** Opens one store for all tests of a block, and returns a function that returns it. Each test creates its own pets. */
export function sharedStore(engine: EngineName, options?: TestOptions): () => TestStore {
  let store: TestStore | undefined
  beforeAll(async () => {
    store = await openTestStore(engine, options)
  })
  afterAll(async () => {
    await store?.[Symbol.asyncDispose]()
  })
  return () => {
    if (!store) throw new Error('the shared store is not open')
    return store
  }
}

export interface PetSetup {
  readonly quantity?: bigint
  /** The number of units in one open order. */
  readonly reserved?: bigint
  readonly onHold?: boolean
}

export interface PetMade {
  readonly petId: bigint
  readonly categoryId: bigint
  /** The open order that has the reserved units; 0n if there is none. */
  readonly orderId: bigint
}

/** Creates a category, and in it a pet with exactly this stock, through the API. Returns their ids. */
export async function makePet(client: Client, setup: PetSetup = {}): Promise<PetMade> {
  const { quantity = 1n, reserved = 0n, onHold = false } = setup
  const category = await client.createCategory({ body: { name: 'Any' } })
  const categoryId = category.data.id
  const { data } = await client.createPet({ body: { name: 'Anybody', categoryId } })
  const petId = data.id
  if (quantity !== 1n) await client.setInventory({ petId, body: { quantity } })
  let orderId = 0n
  if (reserved > 0n) {
    const order = await client.placeOrder({ body: { petId, quantity: reserved } })
    orderId = order.data.id ?? 0n
  }
  if (onHold) await client.updatePet({ petId, body: { status: 'pending' } })
  return { petId, categoryId, orderId }
}

/**
 * Returns the status, the units on hand and the reserved units: `available 5/2`. Throws if the pet and its inventory
 * item have different statuses.
 */
export async function stockOf(client: Client, petId: bigint): Promise<string> {
  const { data: item } = await client.getInventoryItem({ petId })
  const { data: pets } = await client.listPets({ id: [petId] })
  const status: PetStatus | undefined = pets.items[0]?.status
  if (status !== item.status) throw new Error(`the pet has the status ${status}, its item ${item.status}`)
  return `${item.status} ${item.quantity}/${item.reserved}`
}
