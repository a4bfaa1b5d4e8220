import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ApiError } from '../../src/client/errors.ts'
import type { Client } from '../support/client.ts'
import { makePet, stockOf } from '../support/shop.ts'
import { onEveryEngine, openTestStore } from '../support/store.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'
import { ModelStore } from './model-store.ts'

const SEED = 20261121
const RUNS = 40
/** The number of runs of a control: enough for every broken model to meet the few steps that reveal it. */
const CONTROL_RUNS = 400
const COMMANDS_MAX = 25
const TIMEOUT_MS = 120_000

/** One action on one pet. `which` selects one of the orders that were ever placed. */
type Step =
  | { readonly do: 'status'; readonly status: 'available' | 'pending' | 'sold' }
  | { readonly do: 'place'; readonly units: number; readonly complete: boolean }
  | { readonly do: 'change'; readonly which: number; readonly units?: number; readonly complete?: boolean }
  | { readonly do: 'return'; readonly which: number; readonly units?: number; readonly restock: boolean }
  | { readonly do: 'cancel'; readonly which: number }
  | { readonly do: 'set reference'; readonly which: number; readonly reference: string | null }
  | { readonly do: 'count'; readonly quantity: number }
  | { readonly do: 'adjust'; readonly change: number }

const units = fc.integer({ min: 1, max: 4 })
const which = fc.nat(5)
const references = ['R-1', 'R-2']
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('status'), status: fc.constantFrom('available', 'pending', 'sold') }),
  fc.record({ do: fc.constant('place'), units, complete: fc.boolean() }),
  fc.record(
    { do: fc.constant('change'), which, units, complete: fc.boolean() },
    { requiredKeys: ['do', 'which'] },
  ),
  fc.record(
    { do: fc.constant('return'), which, units, restock: fc.boolean() },
    { requiredKeys: ['do', 'which', 'restock'] },
  ),
  fc.record({ do: fc.constant('cancel'), which }),
  fc.record({ do: fc.constant('set reference'), which, reference: fc.constantFrom(...references, null) }),
  fc.record({ do: fc.constant('count'), quantity: fc.constantFrom(0, 0, 1, 3, 6) }),
  fc.record({
    do: fc.constant('adjust'),
    change: fc.integer({ min: -3, max: 3 }).filter(change => change !== 0),
  }),
)

/** Applies the steps to a pet of the real store and to the model. Throws if their results differ. */
async function compare(client: Client, steps: readonly Step[], model: ModelStore): Promise<void> {
  const { petId } = await makePet(client)
  const orders: bigint[] = []
  for (const [index, current] of steps.entries()) {
    const orderId = 'which' in current ? (orders[current.which % Math.max(1, orders.length)] ?? 404_404n) : 0n
    const [real, modelled] = await applyStep(client, model, petId, orderId, current, orders)
    const where = `after step ${index} (${JSON.stringify(current)})`
    if (real !== modelled) throw new Error(`the store returned ${real}, the model ${modelled}, ${where}`)
    const stock = await stockOf(client, petId)
    if (stock !== model.stock) throw new Error(`the store has ${stock}, the model ${model.stock}, ${where}`)
    if (current.do !== 'set reference' && current.do !== 'cancel') continue
    for (const reference of references) {
      const found = await orderIdsWith(client, petId, reference)
      if (found !== model.orderIdsWith(reference))
        throw new Error(
          `${reference} finds the orders ${found}, not ${model.orderIdsWith(reference)}, ${where}`,
        )
    }
  }
}

/** Returns the ids of the orders of a pet that have this reference. */
async function orderIdsWith(client: Client, petId: bigint, reference: string): Promise<string> {
  const { data } = await client.listOrders({ petId: [petId], reference })
  return data.items.map(({ id }) => id).join(' ')
}

async function applyStep(
  client: Client,
  model: ModelStore,
  petId: bigint,
  orderId: bigint,
  current: Step,
  orders: bigint[],
): Promise<[string, string]> {
  switch (current.do) {
    case 'status':
      return [
        await outcomeOf(client.updatePet({ petId, body: { status: current.status } })),
        model.writeStatus(current.status),
      ]
    case 'place': {
      const refused = model.orderRefusal(current.units)
      const call = client.placeOrder({
        body: { petId, quantity: BigInt(current.units), complete: current.complete },
      })
      const real = await outcomeOf(call)
      if (refused || real !== '201') return [real, refused ?? '201']
      const id = (await call).data.id ?? 0n
      orders.push(id)
      model.place(current.units, current.complete, id)
      return [real, '201']
    }
    case 'change': {
      const { complete } = current
      const body = { complete, ...(current.units !== undefined && { quantity: BigInt(current.units) }) }
      return [
        await outcomeOf(client.updateOrder({ orderId, body })),
        model.change(orderId, current.units, complete),
      ]
    }
    case 'return': {
      const { restock } = current
      const body = { restock, ...(current.units !== undefined && { quantity: BigInt(current.units) }) }
      return [
        await outcomeOf(client.returnOrder({ orderId, body })),
        model.giveBack(orderId, current.units, restock),
      ]
    }
    case 'cancel':
      return [await outcomeOf(client.cancelOrder({ orderId })), model.cancel(orderId)]
    case 'set reference': {
      const { reference } = current
      return [
        await outcomeOf(client.updateOrder({ orderId, body: { reference } })),
        model.setReference(orderId, reference),
      ]
    }
    case 'count':
      return [
        await outcomeOf(client.setInventory({ petId, body: { quantity: BigInt(current.quantity) } })),
        model.count(current.quantity),
      ]
    case 'adjust':
      return [
        await outcomeOf(client.adjustInventory({ petId, body: { quantityChange: BigInt(current.change) } })),
        model.adjust(current.change),
      ]
  }
}

async function outcomeOf(call: Promise<{ status: number }>): Promise<string> {
  try {
    return String((await call).status)
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.code}`
    throw error
  }
}

onEveryEngine(engine => {
  test(
    'random commands have the outcomes, and lead to the stock, that the model predicts',
    async () => {
      await using store = await openTestStore(engine)
      const property = fc.asyncProperty(fc.array(step, { maxLength: COMMANDS_MAX, size: 'max' }), steps =>
        compare(store.client, steps, new ModelStore()),
      )
      await fc.assert(property, { numRuns: RUNS, seed: SEED })
      expect(await violatedInvariants(store)).toEqual([])
    },
    TIMEOUT_MS,
  )
})

/** Models that are broken on purpose, in one rule each. The comparison must detect all of them. */
const controls: Readonly<Record<string, () => ModelStore>> = {
  'a hold that remains when the stock reaches 0': () =>
    new (class extends ModelStore {
      override count(quantity: number): string {
        const held = this.onHold
        const end = super.count(quantity)
        this.onHold = held
        return end
      }
    })(),
  'a hold that does not prevent orders': () =>
    new (class extends ModelStore {
      override orderRefusal(wanted: number): string | undefined {
        return wanted > this.quantity - this.reserved ? '409 insufficient_stock' : undefined
      }
    })(),
  'a cancellation that does not release the units': () =>
    new (class extends ModelStore {
      override cancel(id: bigint): string {
        const kept = this.open.get(id)
        const end = super.cancel(id)
        if (kept !== undefined) this.open.set(-id, kept)
        return end
      }
    })(),
  'a second return of the same units': () =>
    new (class extends ModelStore {
      override giveBack(id: bigint, back: number | undefined, restock: boolean): string {
        this.returned.clear()
        return super.giveBack(id, back, restock)
      }
    })(),
  'a return without restocking that restocks': () =>
    new (class extends ModelStore {
      override giveBack(id: bigint, back: number | undefined): string {
        return super.giveBack(id, back, true)
      }
    })(),
  'a count that is allowed below the reserved units': () =>
    new (class extends ModelStore {
      override count(quantity: number): string {
        this.quantity = quantity
        return '200'
      }
    })(),
}

for (const [name, broken] of Object.entries(controls)) {
  test(
    `control: ${name} is detected`,
    async () => {
      await using store = await openTestStore('sqlite')
      const property = fc.asyncProperty(fc.array(step, { maxLength: COMMANDS_MAX, size: 'max' }), steps =>
        compare(store.client, steps, broken()),
      )
      const { failed } = await fc.check(property, { numRuns: CONTROL_RUNS, seed: SEED, endOnFailure: true })
      expect(failed).toBe(true)
    },
    TIMEOUT_MS,
  )
}
