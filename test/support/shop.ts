import { afterAll, beforeAll } from 'bun:test'
import type { PetStatus } from '../../src/model/pet.ts'
import type { Client } from './client.ts'
import { type EngineName, openTestStore, type TestOptions, type TestStore } from './store.ts'

/** One store for all tests of a block; each test creates its own pets in it. */
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
  /** Units in one open order. */
  readonly reserved?: bigint
  readonly onHold?: boolean
}

export interface PetMade {
  readonly petId: bigint
  readonly categoryId: bigint
  /** The open order that has the reserved units; 0n if there is none. */
  readonly orderId: bigint
}

/** Creates a pet with exactly this stock, only through the API. */
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

/** `available 5/2`: the status, the units on hand and the reserved units, as both views of the row show them. */
export async function stockOf(client: Client, petId: bigint): Promise<string> {
  const { data: item } = await client.getInventoryItem({ petId })
  const { data: pets } = await client.listPets({ id: [petId] })
  const status: PetStatus | undefined = pets.items[0]?.status
  if (status !== item.status) throw new Error(`the pet has the status ${status}, its item ${item.status}`)
  return `${item.status} ${item.quantity}/${item.reserved}`
}
