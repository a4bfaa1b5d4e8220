import { z } from 'zod'
import { AMOUNT_MAX } from '../../values/currency.ts'
import { instant } from '../../values/instant-schema.ts'
import { int64, int64Between } from '../../values/int64-schema.ts'
import { text } from '../../values/text-schema.ts'
import { amount } from '../kernel/amount-schema.ts'
import { NAME_CHARS_MAX, PERIODS_MAX } from '../kernel/limits.ts'

/** The maximum number of code points of the note of a return. */
const NOTE_CODE_POINTS_MAX = 2000

export const receipt = int64.meta({
  description:
    'The receipt of the sale: the id of its first order. Receipts are unique, but not without gaps: processes take ids in blocks, and a restored store skips many.',
  example: 1,
})
export const note = text(0, NOTE_CODE_POINTS_MAX).meta({
  description: 'The reason for the return.',
  example: 'It barks at night.',
})

/** The lines of a sale as an example. */
export const saleExamples = [
  {
    id: 1,
    at: '2026-11-21T09:30:00.120Z',
    receipt: 2,
    orderId: 2,
    petId: 5,
    petName: 'Brontë (Yorkshire Terrier)',
    quantity: 1,
    unitPrice: 43000,
    amount: 43000,
    reference: 'R-2026-0043',
  },
  {
    id: 2,
    at: '2026-11-21T09:30:00.120Z',
    receipt: 2,
    orderId: 3,
    petId: 6,
    petName: 'Caoimhe (Irish Setter)',
    quantity: 1,
    unitPrice: 45000,
    amount: 45000,
    reference: 'R-2026-0043',
  },
] as const
const [firstLine, secondLine] = saleExamples
/** The lines of returns as examples. */
export const returnExamples = [
  { ...firstLine, id: 3, quantity: -1, amount: -43000, note: 'It barks at night.', restocked: true },
  { ...secondLine, id: 4, quantity: -1, amount: -45000, note: 'Sold twice by mistake.', restocked: true },
] as const

export const SaleLine = z
  .object({
    id: int64.meta({ description: 'Assigned by the store.', example: 1 }),
    at: instant.meta({ description: 'When the units were sold or returned.', example: firstLine.at }),
    receipt,
    orderId: int64.meta({ description: 'The order that was completed or returned.', example: 1 }),
    petId: int64.meta({ description: 'The pet that was sold.', example: 3 }),
    petName: text(1, NAME_CHARS_MAX).optional().meta({
      description: 'The name of the pet when the order was placed.',
      example: 'Brontë (Yorkshire Terrier)',
    }),
    quantity: int64.meta({ description: 'Units sold; negative for a return.', example: 2 }),
    unitPrice: amount.optional().meta({
      description: 'The price of one unit, in minor units of the currency of the store.',
      example: 43000,
    }),
    amount: int64Between(-AMOUNT_MAX, AMOUNT_MAX)
      .optional()
      .meta({ description: '`unitPrice` times `quantity`; negative for a return.', example: 43000 }),
    reference: z
      .string()
      .optional()
      .meta({ description: 'The reference of the order, as it is now.', maxLength: 200 }),
    note: note.optional(),
    restocked: z
      .boolean()
      .optional()
      .meta({ description: 'Only in a return: whether the units went back into the stock.', example: true }),
  })
  .meta({
    id: 'SaleLine',
    description:
      'A line of the books: a completed order, or a return with a negative quantity. A line is never changed or deleted; only its `reference` follows the order.',
    example: firstLine,
  })
export type SaleLine = z.output<typeof SaleLine>

const count = int64.meta({ minimum: 0 })
const date = z.string().meta({ format: 'date', example: '2026-11-21' })

const periodExample = {
  from: '2026-11-21',
  to: '2026-11-21',
  lines: 2,
  units: 2,
  amount: 88000,
  returnedUnits: 0,
  returnedAmount: 0,
}

const SalesPeriod = z
  .object({
    from: date.meta({ description: 'The first day.' }),
    to: date.meta({ description: 'The last day.' }),
    lines: count.meta({ description: 'Lines of sales and returns.', example: 3 }),
    units: count.meta({ description: 'Units sold.', example: 4 }),
    amount: count.meta({ description: 'The amount of the sales.', example: 207000 }),
    returnedUnits: count.meta({ description: 'Units returned, whenever they were sold.', example: 1 }),
    returnedAmount: count.meta({
      description: 'The amount of the returns. The takings are `amount` minus this.',
      example: 69000,
    }),
  })
  .meta({
    id: 'SalesPeriod',
    description: 'The sums of the lines of one day, or of the days of one month.',
    example: periodExample,
  })
export type SalesPeriod = z.output<typeof SalesPeriod>

export const SalesTotals = z
  .object({
    currency: z.string().meta({
      description: 'The currency of all amounts (ISO 4217).',
      pattern: '^[A-Z]{3}$',
      maxLength: 3,
      example: 'EUR',
    }),
    timeZone: z
      .string()
      .meta({ description: 'The time zone of the days (IANA).', maxLength: 100, example: 'Europe/Vienna' }),
    periods: z
      .array(SalesPeriod)
      .max(PERIODS_MAX)
      .meta({ description: 'Every day or month of the range, oldest first.' }),
  })
  .meta({
    id: 'SalesTotals',
    description: 'The sales of a range of days.',
    example: { currency: 'EUR', timeZone: 'UTC', periods: [periodExample] },
  })
export type SalesTotals = z.output<typeof SalesTotals>
