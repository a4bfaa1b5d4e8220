import { z } from 'zod'
import { instant } from '../../values/instant-schema.ts'
import { int64 } from '../../values/int64-schema.ts'
import { petStatuses } from './status.ts'
import { stockUnits } from './stock-units.ts'

export const PetStatus = z.enum(petStatuses).meta({
  id: 'PetStatus',
  description:
    'Derived from the stock: `sold` if no unit is on hand, otherwise `pending` if the pet is on hold or every unit is reserved, otherwise `available`.',
  example: 'available',
})

const petId = int64.meta({ description: 'The pet whose stock this is.', example: 3 })
export const quantity = stockUnits.meta({
  description: 'Units on hand, as counted on the shelf.',
  example: 12,
})
const quantityAfter = stockUnits.meta({ description: 'Units on hand after the movement.', example: 12 })
const reserved = stockUnits.meta({ description: 'Units reserved for open orders.', example: 1 })
const reservedAfter = stockUnits.meta({ description: 'Units reserved after the movement.', example: 1 })

export const reorderAt = stockUnits.meta({
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

export const MovementReason = z
  .enum([
    'opening',
    'order',
    'completion',
    'return',
    'cancellation',
    'count',
    'adjustment',
    'status',
    'closing',
  ])
  .meta({
    id: 'MovementReason',
    description: 'What changed the stock.',
    example: 'order',
  })
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
