import { z } from 'zod'
import { countText } from '../../values/count-text.ts'
import { instant } from '../../values/instant.ts'
import { int64, int64Between } from '../../values/int64.ts'
import { text } from '../../values/text.ts'
import { STOCK_MAX } from '../limits.ts'
import { PetStatus } from '../pets/schema.ts'
import { stockUnits } from './stock-units.ts'

const petId = int64.meta({ description: 'The pet whose stock this is.', example: 3 })
const quantity = stockUnits.meta({ description: 'Units on hand, as counted on the shelf.', example: 12 })
const quantityAfter = stockUnits.meta({ description: 'Units on hand after the movement.', example: 12 })
const reserved = stockUnits.meta({ description: 'Units reserved for open orders.', example: 1 })
const reservedAfter = stockUnits.meta({ description: 'Units reserved after the movement.', example: 1 })

const reorderAt = stockUnits.meta({
  description: 'The level at which the pet should be reordered: at this quantity or fewer.',
  example: 3,
})

export const InventoryItem = z
  .object({
    petId,
    quantity,
    status: PetStatus,
    reserved: reserved.optional(),
    reorderAt: reorderAt.optional(),
  })
  .meta({
    id: 'InventoryItem',
    description: 'The stock of one pet.',
    example: { petId: 3, quantity: 1, status: 'pending', reserved: 1 },
  })
export type InventoryItem = z.output<typeof InventoryItem>

export const InventoryUpdate = z.strictObject({ quantity, reorderAt: reorderAt.nullable().optional() }).meta({
  id: 'InventoryUpdate',
  description:
    'The result of a stock count: the new quantity itself. The `quantityChange` of the resulting movement is its difference from the old quantity. To add or remove units without a count, use StockAdjustment. Without `reorderAt`, the level stays; `null` removes it.',
  example: { quantity: 12, reorderAt: 3 },
})
export type InventoryUpdate = z.output<typeof InventoryUpdate>

export const StockAdjustment = z
  .strictObject({
    quantityChange: int64Between(-STOCK_MAX, STOCK_MAX)
      .refine(quantityChange => quantityChange !== 0n, {
        message: 'must not be 0',
        params: { field: 'out_of_range' },
      })
      .meta({
        description:
          'Units to add to the quantity (positive) or remove from it (negative); not 0. The movement has the same `quantityChange`.',
        example: 4,
        not: { enum: [0] },
      }),
    note: text(0, 2000)
      .optional()
      .meta({ description: 'The reason for the adjustment.', example: 'Four came from the other shop.' }),
  })
  .meta({
    id: 'StockAdjustment',
    description:
      'A relative change of the stock. To set the quantity itself to the result of a count, use InventoryUpdate.',
    example: { quantityChange: 4, note: 'Four came from the other shop.' },
  })
export type StockAdjustment = z.output<typeof StockAdjustment>

export const MovementReason = z
  .enum([
    'opening',
    'order',
    'completion',
    'reopening',
    'cancellation',
    'count',
    'adjustment',
    'status',
    'closing',
  ])
  .meta({ id: 'MovementReason', description: 'What changed the stock.', example: 'order' })
export type MovementReason = z.output<typeof MovementReason>

export const StockMovement = z
  .object({
    id: int64.meta({ description: 'Assigned by the store.', example: 334 }),
    petId,
    quantityChange: int64.meta({
      description:
        'Units added to `quantity` (positive) or removed from it (negative). For an adjustment, its `quantityChange`; for a count, the counted quantity minus the quantity before.',
      example: 0,
    }),
    reservedChange: int64.meta({
      description: 'Units added to `reserved` (positive) or released from it (negative).',
      example: 1,
    }),
    quantity: quantityAfter,
    reserved: reservedAfter,
    reason: MovementReason,
    note: z.string().optional().meta({ description: 'The note of the adjustment.', maxLength: 2000 }),
    orderId: int64.optional().meta({ description: 'The order that changed the stock.', example: 1 }),
    at: instant.meta({ description: 'When the stock changed.', example: '2026-11-21T09:30:00.120Z' }),
  })
  .meta({
    id: 'StockMovement',
    description: 'An entry in the stock ledger: one change, and the stock after it.',
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

/** The part of the stock of a pet that determines its status. */
export interface Stock {
  readonly quantity: bigint
  readonly reserved: bigint
  readonly onHold: boolean
}

/** Returns the status of a pet with this stock, which is also the status of its inventory item. */
export function statusOf({ quantity, reserved, onHold }: Stock): PetStatus {
  if (quantity === 0n) return 'sold'
  return onHold || quantity === reserved ? 'pending' : 'available'
}

/** Returns the initial stock of a pet that is created with the given status. */
export function openingStock(status: PetStatus): Stock {
  return { quantity: status === 'sold' ? 0n : 1n, reserved: 0n, onHold: status === 'pending' }
}

const count = int64.meta({ minimum: 0 })

/** The 30 days of the example, for a shop that opened on the last day. */
const exampleDays = Array.from({ length: 30 }, (_, index) => ({
  day: new Date(Date.UTC(2026, 9, 23 + index)).toISOString().slice(0, 10),
  orders: index === 29 ? 1 : 0,
}))

const PetCounts = z.object({ available: count, pending: count, sold: count }).meta({
  id: 'PetCounts',
  description: 'The number of pets in each status.',
  example: { available: 320, pending: 13, sold: 17 },
})

const OrdersOnDay = z
  .object({
    day: z
      .string()
      .meta({ description: 'A day in the time zone of the shop.', format: 'date', example: '2026-11-21' }),
    orders: count.meta({ description: 'Orders placed on this day, without cancelled ones.', example: 1 }),
  })
  .meta({
    id: 'OrdersOnDay',
    description: 'The number of orders on one day.',
    example: { day: '2026-11-21', orders: 1 },
  })

export const StoreSummary = z
  .object({
    pets: PetCounts,
    openOrders: count.meta({ description: 'Orders that are not complete.' }),
    unitsOnHand: count.meta({ description: 'Units on hand of all pets.' }),
    unitsReserved: count.meta({ description: 'Units on hand that are reserved for open orders.' }),
    ordersByDay: z.array(OrdersOnDay).meta({
      description:
        'Orders placed on each of the last 30 days, without cancelled ones, oldest first. The days are those of `timeZone`.',
      minItems: 30,
      maxItems: 30,
    }),
    timeZone: z.string().optional().meta({
      description: 'The time zone of the shop (IANA), from PETSTORE_TIME_ZONE.',
      maxLength: 100,
      example: 'Europe/Vienna',
    }),
  })
  .meta({
    id: 'StoreSummary',
    description: 'The totals of the store.',
    example: {
      pets: { available: 320, pending: 13, sold: 17 },
      openOrders: 1,
      unitsOnHand: 2360,
      unitsReserved: 1,
      ordersByDay: exampleDays,
      timeZone: 'UTC',
    },
  })
export type StoreSummary = z.output<typeof StoreSummary>

export function unitsText(count: bigint): string {
  return countText(count, 'unit')
}
