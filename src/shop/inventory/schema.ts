import { z } from 'zod'
import { int64, int64Between } from '../../values/int64-schema.ts'
import { text } from '../../values/text-schema.ts'
import { STOCK_MAX } from '../kernel/limits.ts'
import { quantity, reorderAt } from '../stock/schema.ts'

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

const count = int64.meta({ minimum: 0 })

/** The 30 days of the example, for a shop that opened on the last day. */
const exampleDays = Array.from({ length: 30 }, (_, index) => ({
  day: new Date(Date.UTC(2026, 9, 23 + index)).toISOString().slice(0, 10),
  orders: index === 29 ? 1 : 0,
  amount: 0,
  returnedAmount: 0,
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
    amount: count.optional().meta({
      description: 'The amount of the sales of this day, in minor units of `currency`.',
      example: 69000,
    }),
    returnedAmount: count.optional().meta({
      description: 'The amount of the returns of this day.',
      example: 0,
    }),
  })
  .meta({
    id: 'OrdersOnDay',
    description: 'The number of orders on one day.',
    example: { day: '2026-11-21', orders: 1, amount: 69000, returnedAmount: 0 },
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
    currency: z.string().optional().meta({
      description: 'The currency of all amounts of the store (ISO 4217), from PETSTORE_CURRENCY.',
      pattern: '^[A-Z]{3}$',
      maxLength: 3,
      example: 'EUR',
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
      currency: 'EUR',
      timeZone: 'UTC',
    },
  })
export type StoreSummary = z.output<typeof StoreSummary>
