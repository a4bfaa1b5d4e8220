import { z } from 'zod'
import type { Operation } from '../../contract/operation.ts'
import {
  dateParameter,
  enumParameter,
  idParameter,
  instantParameter,
  paging,
  required,
  sortParameter,
} from '../../contract/parameter.ts'
import { invalidCursor } from '../../contract/refusals.ts'
import { SaleLine, SalesTotals, saleExamples } from './schema.ts'

interface SalesFilters {
  readonly receipt?: unknown
}

const SalesPeriodLength = z.enum(['day', 'month']).meta({
  id: 'SalesPeriodLength',
  description: 'What one sum is of.',
  example: 'day',
})

export const sales = {
  listSales: {
    method: 'GET',
    path: '/store/sales',
    tag: 'Store',
    summary: 'List the sales and returns',
    description:
      'The books of the store: one line for each completed order and each return, oldest first. `createdAfter` and `createdBefore` are exclusive bounds of `at`.',
    scope: 'orders:read',
    query: {
      ...paging,
      createdAfter: instantParameter('Lines that were written after this instant.', '2026-11-21T00:00:00Z'),
      createdBefore: instantParameter('Lines that were written before this instant.', '2027-12-01T00:00:00Z'),
      receipt: idParameter('Lines of this receipt: a sale and its returns.', 2),
      petId: idParameter('Lines of this pet.', 5),
      sort: sortParameter('SalesSort', z.enum(['at', '-at']), 'at', 'Oldest first, or newest first.'),
    },
    success: {
      status: 200,
      list: SaleLine,
      description: 'A page of lines.',
      example: saleExamples,
    },
    errors: [invalidCursor()],
    isShort: ({ receipt }: SalesFilters) => receipt === undefined,
  },
  listSalesTotals: {
    method: 'GET',
    path: '/store/sales/totals',
    tag: 'Store',
    summary: 'Read the takings of days or months',
    description:
      'The sums of the lines of every day or month from `from` to `to`, both included, at most 400. The days are those of the time zone of the store. A month at an end of the range has only the days of the range. A return counts on the day on which it was made, and never changes a day before.',
    scope: 'orders:read',
    query: {
      from: required(dateParameter('The first day.', '2026-11-21')),
      to: required(dateParameter('The last day.', '2026-11-21')),
      by: enumParameter(SalesPeriodLength, 'Whether each sum is of a day (the default) or of a month.'),
    },
    success: {
      status: 200,
      resource: SalesTotals,
      description: 'The sums.',
    },
    agent: {
      name: 'check_takings',
      about: 'Show the takings, units and returns of days or months.',
      takes: { from: true, to: true, by: true },
    },
  },
} as const satisfies Record<string, Operation>
