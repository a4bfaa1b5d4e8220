import { z } from 'zod'
import { ORDER_QUANTITY_MAX } from '../../contract/limits.ts'
import { instant } from '../../values/instant-schema.ts'
import { int64, int64Between } from '../../values/int64-schema.ts'
import { text } from '../../values/text-schema.ts'
import { amount } from '../kernel/amount-schema.ts'
import { NAME_CHARS_MAX, ORDER_COMPLETE_DEFAULT, ORDER_QUANTITY_DEFAULT } from '../kernel/limits.ts'
import { note, receipt, SaleLine, saleExamples } from '../sales/schema.ts'

const id = int64.meta({ description: 'Assigned by the store.', example: 1 })
const petId = int64.meta({ description: 'The id of the ordered pet.', example: 3 })
const quantity = int64Between(1n, ORDER_QUANTITY_MAX).meta({ description: 'Units ordered.', example: 1 })
const shipDate = instant.meta({
  description:
    'When the order ships; stored in UTC, to the millisecond. Completing the order sets it if it is absent.',
  example: '2026-12-01T09:30:00Z',
})
/** The maximum length of a reference in code points. It is limited because two indexes contain it. */
export const REFERENCE_CODE_POINTS_MAX = 200
const reference = text(1, REFERENCE_CODE_POINTS_MAX).meta({
  description:
    'The name that the client gives to the order, such as the number of a receipt; stored as sent. Several orders may have the same reference.',
  example: 'R-2026-0042',
})
const createdAt = instant.meta({
  description: 'When the order was placed.',
  example: '2026-11-21T09:30:00.120Z',
})
const petName = text(1, NAME_CHARS_MAX).meta({
  description:
    'The name of the pet when the order was placed; a later name or a deletion does not change it.',
  example: 'Biscuit (Beagle)',
})
const unitPrice = amount.meta({
  description:
    'The price of one unit, in minor units of the currency of the store: the price of the pet when the order was placed, or another that the request names.',
  example: 69000,
})
const completedAt = instant.meta({
  description: 'When the order was completed: the time of the sale. Absent if it is open.',
  example: '2026-11-21T10:15:00.480Z',
})
const returned = int64Between(1n, ORDER_QUANTITY_MAX).meta({
  description: 'Units that came back. Absent if none did.',
  example: 1,
})
const complete = z.boolean().meta({ description: 'Whether the units have left the store.', example: false })

export const orderExample = {
  id: 1,
  petId: 3,
  quantity: 1,
  shipDate: '2026-12-01T09:30:00Z',
  complete: false,
  reference: 'R-2026-0042',
  createdAt: '2026-11-21T09:30:00.120Z',
  petName: 'Biscuit (Beagle)',
  unitPrice: 69000,
}

export const Order = z
  .object({
    id: id.optional(),
    petId: petId.optional(),
    quantity: quantity.optional(),
    shipDate: shipDate.optional(),
    complete: complete.optional(),
    reference: reference.optional(),
    createdAt: createdAt.optional(),
    petName: petName.optional(),
    unitPrice: unitPrice.optional(),
    completedAt: completedAt.optional(),
    receipt: receipt.optional(),
    returned: returned.optional(),
  })
  .meta({
    id: 'Order',
    description:
      'An order for one pet. The server always sends id, petId, quantity, complete and createdAt, and the others if the order has them. Events of an older store have no createdAt.',
    example: orderExample,
  })
export type Order = z.output<typeof Order>

export const NewOrder = z
  .strictObject({
    petId,
    quantity: quantity.optional().meta({ default: Number(ORDER_QUANTITY_DEFAULT) }),
    shipDate: shipDate.nullable().optional(),
    complete: complete.optional().meta({ default: ORDER_COMPLETE_DEFAULT }),
    reference: reference.nullable().optional(),
    unitPrice: unitPrice.nullable().optional(),
  })
  .meta({
    id: 'NewOrder',
    description: 'The order to place. With `complete: true` it is a sale over the counter.',
    example: { petId: 3, quantity: 1, shipDate: '2026-12-01T09:30:00Z', reference: 'R-2026-0042' },
  })
export type NewOrder = z.output<typeof NewOrder>

export const OrderPatch = z
  .strictObject({
    id: id.meta({ readOnly: true }),
    petId: petId.meta({ readOnly: true }),
    quantity,
    shipDate: shipDate.nullable(),
    complete,
    reference: reference.nullable(),
    createdAt: createdAt.meta({ readOnly: true }),
    petName: petName.meta({ readOnly: true }),
    unitPrice: unitPrice.nullable(),
    completedAt: completedAt.meta({ readOnly: true }),
    receipt: receipt.meta({ readOnly: true }),
    returned: returned.meta({ readOnly: true }),
  })
  .partial()
  .meta({
    id: 'OrderPatch',
    description:
      'A JSON Merge Patch (RFC 7396) for an order. `id`, `petId`, `createdAt`, `petName`, `completedAt`, `receipt` and `returned` may be sent only with their current values. Of a complete order, only the reference can be changed. If one patch changes the quantity and completes the order, the new quantity is shipped. `null` removes the shipDate, the reference or the unitPrice.',
    example: { shipDate: '2026-12-02T09:30:00Z' },
  })
export type OrderPatch = z.output<typeof OrderPatch>

const restock = z.boolean().optional().meta({
  description: 'Whether the units go back into the stock; for example, not if they are damaged.',
  default: true,
  example: true,
})

export const NewReturn = z
  .strictObject({
    quantity: quantity
      .optional()
      .meta({ description: 'Units to return; all that are left of the order by default.', example: 1 }),
    restock,
    note: note.optional(),
  })
  .meta({
    id: 'NewReturn',
    description: 'Units of one order to return.',
    example: { quantity: 1, note: 'It barks at night.' },
  })
export type NewReturn = z.output<typeof NewReturn>

export const NewSaleReturn = z.strictObject({ restock, note: note.optional() }).meta({
  id: 'NewSaleReturn',
  description: 'The return of all that is left of a sale.',
  example: { note: 'Sold twice by mistake.' },
})
export type NewSaleReturn = z.output<typeof NewSaleReturn>

/** The maximum number of lines of a sale. */
const SALE_LINES_MAX = 50

export const NewSale = z
  .strictObject({
    lines: z
      .array(
        z
          .strictObject({
            petId,
            quantity: quantity.optional().meta({ default: Number(ORDER_QUANTITY_DEFAULT) }),
            unitPrice: unitPrice.nullable().optional(),
          })
          .meta({
            id: 'NewSaleLine',
            description: 'Units of one pet.',
            example: { petId: 5 },
          }),
      )
      .min(1)
      .max(SALE_LINES_MAX)
      .meta({ description: 'What the customer takes along.', example: [{ petId: 5 }] }),
    reference: reference.nullable().optional(),
  })
  .meta({
    id: 'NewSale',
    description: 'A sale over the counter: each line becomes a complete order, and all have one receipt.',
    example: { lines: [{ petId: 5 }, { petId: 6, unitPrice: 45000 }], reference: 'R-2026-0043' },
  })
export type NewSale = z.output<typeof NewSale>

export const Sale = z
  .object({
    receipt,
    lines: z.array(SaleLine).max(SALE_LINES_MAX).meta({ description: 'The lines that were written.' }),
  })
  .meta({
    id: 'Sale',
    description: 'Lines of one receipt, which were written together.',
    example: { receipt: 2, lines: saleExamples },
  })
export type Sale = z.output<typeof Sale>
