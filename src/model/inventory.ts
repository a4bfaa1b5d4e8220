import { z } from 'zod'
import { instant } from './instant.ts'
import { int64, int64Between } from './int64.ts'
import { PetStatus } from './pet.ts'
import { text } from './text.ts'

export const STOCK_MAX = 1_000_000_000n

const stock = int64Between(0n, STOCK_MAX)
const petId = int64.meta({ description: 'The pet whose stock this is.', example: 42 })
const quantity = stock.meta({ description: 'Units on hand, as counted on the shelf.', example: 5 })
const reserved = stock.meta({ description: 'Units promised to open orders.', example: 1, readOnly: true })

export const InventoryItem = z
  .strictObject({ petId, quantity, status: PetStatus, reserved: reserved.optional() })
  .meta({
    id: 'InventoryItem',
    description: 'The stock of one pet.',
    example: { petId: 42, quantity: 5, status: 'available', reserved: 1 },
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
        example: -2,
        not: { enum: [0] },
      }),
    note: text(0, 2000)
      .optional()
      .meta({ description: 'Why.', example: 'Two were moved to the other shop.' }),
  })
  .meta({
    id: 'StockAdjustment',
    description: 'A change of stock by a difference.',
    example: { change: -2, note: 'Two were moved to the other shop.' },
  })
export type StockAdjustment = z.output<typeof StockAdjustment>

export const MovementReason = z.enum([
  'opening',
  'order',
  'completion',
  'cancellation',
  'count',
  'adjustment',
  'status',
  'closing',
])
export type MovementReason = z.output<typeof MovementReason>

export const StockMovement = z
  .strictObject({
    id: int64.meta({ example: 311 }),
    petId,
    quantityChange: int64.meta({ example: 0 }),
    reservedChange: int64.meta({ example: 1 }),
    quantity,
    reserved,
    reason: MovementReason,
    note: z.string().optional(),
    orderId: int64.optional().meta({ example: 7 }),
    at: instant,
  })
  .meta({
    id: 'StockMovement',
    description: 'One change of a stock, with the stock after it: an entry of the ledger.',
    example: {
      id: 311,
      petId: 42,
      quantityChange: 0,
      reservedChange: 1,
      quantity: 5,
      reserved: 1,
      reason: 'order',
      orderId: 7,
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

export const StoreSummary = z
  .strictObject({
    pets: z.strictObject({ available: int64, pending: int64, sold: int64 }),
    openOrders: int64,
    unitsOnHand: int64,
    unitsReserved: int64,
    ordersByDay: z.array(z.strictObject({ day: z.string().meta({ format: 'date' }), orders: int64 })).meta({
      description: 'Orders placed (and not cancelled) on each of the last 30 days, UTC, oldest first.',
    }),
  })
  .meta({
    id: 'StoreSummary',
    description: 'The shop at a glance.',
    example: {
      pets: { available: 310, pending: 12, sold: 25 },
      openOrders: 9,
      unitsOnHand: 1480,
      unitsReserved: 17,
      ordersByDay: [{ day: '2026-11-21', orders: 4 }],
    },
  })
export type StoreSummary = z.output<typeof StoreSummary>
