import { z } from 'zod'
import { instant } from './instant.ts'
import { int64, int64Between } from './int64.ts'
import { PetStatus } from './pet.ts'
import { text } from './text.ts'

export const STOCK_MAX = 1_000_000_000n

const stock = int64Between(0n, STOCK_MAX)
const petId = int64.meta({ description: 'The pet whose stock this is.', example: 3 })
const quantity = stock.meta({ description: 'Units on hand, as counted on the shelf.', example: 12 })
const reserved = stock.meta({ description: 'Units promised to open orders.', example: 1 })

export const InventoryItem = z
  .object({ petId, quantity, status: PetStatus, reserved: reserved.optional() })
  .meta({
    id: 'InventoryItem',
    description: 'The stock of one pet.',
    example: { petId: 3, quantity: 1, status: 'pending', reserved: 1 },
  })
export type InventoryItem = z.output<typeof InventoryItem>

export const InventoryUpdate = z.strictObject({ quantity }).meta({
  id: 'InventoryUpdate',
  description: 'The result of a count.',
  example: { quantity: 12 },
})
export type InventoryUpdate = z.output<typeof InventoryUpdate>

export const StockAdjustment = z
  .strictObject({
    change: int64Between(-STOCK_MAX, STOCK_MAX)
      .refine(change => change !== 0n, { message: 'must not be 0', params: { field: 'out_of_range' } })
      .meta({
        description: 'Units that came (positive) or went (negative); not 0.',
        example: 4,
        not: { enum: [0] },
      }),
    note: text(0, 2000).optional().meta({ description: 'Why.', example: 'Four came from the other shop.' }),
  })
  .meta({
    id: 'StockAdjustment',
    description: 'A change of stock by a difference.',
    example: { change: 4, note: 'Four came from the other shop.' },
  })
export type StockAdjustment = z.output<typeof StockAdjustment>

export const MovementReason = z
  .enum(['opening', 'order', 'completion', 'cancellation', 'count', 'adjustment', 'status', 'closing'])
  .meta({ id: 'MovementReason', description: 'What moved the stock.', example: 'order' })
export type MovementReason = z.output<typeof MovementReason>

export const StockMovement = z
  .object({
    id: int64.meta({ description: 'Assigned by the store.', example: 334 }),
    petId,
    quantityChange: int64.meta({ description: 'Units that came or went.', example: 0 }),
    reservedChange: int64.meta({ description: 'Units promised, or given back.', example: 1 }),
    quantity,
    reserved,
    reason: MovementReason,
    note: z.string().optional().meta({ description: 'As it was given with an adjustment.', maxLength: 2000 }),
    orderId: int64.optional().meta({ description: 'The order that moved it.', example: 1 }),
    at: instant.meta({ description: 'When.', example: '2026-11-21T09:30:00.120Z' }),
  })
  .meta({
    id: 'StockMovement',
    description: 'One change of a stock, with the stock after it: an entry of the ledger.',
    example: {
      id: 334,
      petId: 3,
      quantityChange: 0,
      reservedChange: 1,
      quantity: 1,
      reserved: 1,
      reason: 'order',
      orderId: 1,
      at: '2026-11-21T09:30:00.120Z',
    },
  })
export type StockMovement = z.output<typeof StockMovement>

/** The stock of one pet as the rules see it. */
export interface Stock {
  readonly quantity: bigint
  readonly reserved: bigint
  readonly onHold: boolean
}

/** The one rule of the status, for the pet and its inventory item alike. */
export function statusOf({ quantity, reserved, onHold }: Stock): PetStatus {
  if (quantity === 0n) return 'sold'
  return onHold || quantity === reserved ? 'pending' : 'available'
}

/** The stock a pet starts with, by the status it is created in. */
export function openingStock(status: PetStatus): Stock {
  return { quantity: status === 'sold' ? 0n : 1n, reserved: 0n, onHold: status === 'pending' }
}

const count = int64.meta({ minimum: 0 })

/** The last 30 days of the example, as they are in a shop that opened today. */
const exampleDays = Array.from({ length: 30 }, (_, index) => ({
  day: new Date(Date.UTC(2026, 9, 23 + index)).toISOString().slice(0, 10),
  orders: index === 29 ? 1 : 0,
}))

const PetCounts = z.object({ available: count, pending: count, sold: count }).meta({
  id: 'PetCounts',
  description: 'Pets by status.',
  example: { available: 320, pending: 13, sold: 17 },
})

const OrdersOnDay = z
  .object({
    day: z.string().meta({ description: 'A day in UTC.', format: 'date', example: '2026-11-21' }),
    orders: count.meta({ description: 'Orders placed on it, and not cancelled.', example: 1 }),
  })
  .meta({
    id: 'OrdersOnDay',
    description: 'The orders of one day.',
    example: { day: '2026-11-21', orders: 1 },
  })

export const StoreSummary = z
  .object({
    pets: PetCounts,
    openOrders: count.meta({ description: 'Orders that are not complete.' }),
    unitsOnHand: count.meta({ description: 'Units of all pets together.' }),
    unitsReserved: count.meta({ description: 'Of them, those promised to open orders.' }),
    ordersByDay: z.array(OrdersOnDay).meta({
      description: 'Orders placed (and not cancelled) on each of the last 30 days, UTC, oldest first.',
      minItems: 30,
      maxItems: 30,
    }),
  })
  .meta({
    id: 'StoreSummary',
    description: 'The shop at a glance.',
    example: {
      pets: { available: 320, pending: 13, sold: 17 },
      openOrders: 1,
      unitsOnHand: 2360,
      unitsReserved: 1,
      ordersByDay: exampleDays,
    },
  })
export type StoreSummary = z.output<typeof StoreSummary>

/** `1 unit`, `2 units`: for messages. */
export function unitsText(count: bigint): string {
  return `${count} ${count === 1n ? 'unit' : 'units'}`
}
