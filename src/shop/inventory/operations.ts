import { z } from 'zod'
import { type Operation, pagingOfAgents } from '../../contract/operation.ts'
import {
  booleanParameter,
  enumParameter,
  idParameter,
  int64Parameter,
  paging,
  repeated,
  sortParameter,
  textParameter,
} from '../../contract/parameter.ts'
import { invalidCursor } from '../../contract/refusals.ts'
import { IDS_MAX, STOCK_MAX } from '../kernel/limits.ts'
import { inventoryItemNotFound, stockBelowReserved, stockOutOfBounds } from '../stock/refusals.ts'
import { InventoryItem, PetStatus, StockMovement } from '../stock/schema.ts'
import { stockUnits } from '../stock/stock-units.ts'
import { InventoryUpdate, StockAdjustment, StoreSummary } from './schema.ts'

const pathParameters = { petId: idParameter('The id of the pet.') }

interface InventoryFilters {
  readonly petId?: unknown
  readonly status?: readonly unknown[]
  readonly quantityAtMost?: bigint
  readonly toReorder?: boolean
  readonly search?: string
  readonly sort?: string
}

const openingMovement = {
  id: 3,
  petId: 3,
  quantityChange: 1,
  reservedChange: 0,
  quantity: 1,
  reserved: 0,
  reason: 'opening',
  at: '2026-11-21T09:30:00.120Z',
}
const adjustmentMovement = {
  ...openingMovement,
  id: 335,
  quantityChange: 4,
  quantity: 5,
  reserved: 1,
  reason: 'adjustment',
  note: 'Four came from the other shop.',
}

export const inventory = {
  listInventory: {
    method: 'GET',
    path: '/store/inventory',
    tag: 'Store',
    summary: 'List the stock',
    description:
      'With `quantityAtMost` or `toReorder=true`, the list can only be sorted by `quantity` (the default: what to restock first) or `-quantity`. `toReorder=true` goes with `status` only if the list is of given pets (`petId`). `search` finds pets as in `GET /pets`; it goes with `status`, `quantityAtMost` and `toReorder`, and its pages can be short or empty although a next page follows.',
    scope: 'public',
    query: {
      ...paging,
      petId: repeated(
        IDS_MAX,
        idParameter('Items of these pets. With this filter, the default limit is 100.'),
      ),
      status: repeated(3, enumParameter(PetStatus, 'Items with one of these statuses.')),
      quantityAtMost: int64Parameter(
        stockUnits,
        `an integer from 0 to ${STOCK_MAX}`,
        'Items with at most this number of units on hand.',
      ),
      toReorder: booleanParameter(
        'true: only items whose quantity is at or below their reorderAt, sold out or not; false: no filter.',
      ),
      search: textParameter(
        1,
        200,
        'Items of pets whose names have each word of this text, also inside their words. An empty text is no filter.',
        '',
      ),
      sort: sortParameter(
        'InventorySort',
        z.enum(['id', '-id', 'quantity', '-quantity']),
        'quantity',
        'The sort order; a leading minus reverses it.',
      ),
    },
    success: {
      status: 200,
      list: InventoryItem,
      description: 'A page of inventory items.',
      example: [
        { petId: 1, quantity: 1, status: 'available', reserved: 0 },
        { petId: 2, quantity: 1, status: 'available', reserved: 0 },
      ],
    },
    errors: [invalidCursor()],
    represents: { table: 'pet' },
    isShort: ({ petId, status, quantityAtMost, toReorder, search, sort }: InventoryFilters) =>
      !petId &&
      !search &&
      (toReorder === true ||
        (status ? status.length === 1 : quantityAtMost === undefined && !sort?.endsWith('quantity'))),
    agent: {
      name: 'check_stock',
      about:
        'Show the stock of some pets, or which pets run low: toReorder true lists what is at or below its level, the lowest first; quantityAtMost 3 lists all with few units.',
      takes: {
        petId: 'Only these pets.',
        toReorder: 'true: only what should be reordered.',
        quantityAtMost: true,
        status: true,
        search: 'As in find_pets; not with petId.',
        ...pagingOfAgents,
      },
    },
  },
  getInventoryItem: {
    method: 'GET',
    path: '/store/inventory/{petId}',
    tag: 'Store',
    summary: 'Read the stock of a pet',
    description: 'Returns the units on hand, the reserved units and the status of the pet.',
    scope: 'public',
    pathParameters,
    success: { status: 200, resource: InventoryItem, description: 'The inventory item.' },
    resourceHasEtag: true,
    errors: [inventoryItemNotFound(404n)],
    // The status and stock of an item are columns of its pet.
    represents: { table: 'pet', rowId: 'petId' },
  },
  setInventory: {
    method: 'PUT',
    path: '/store/inventory/{petId}',
    tag: 'Store',
    summary: 'Set the stock of a pet',
    description:
      'Stores the result of a stock count, which must not be less than the units reserved for open orders, and the level at which the pet should be reordered. To change only the level, send the current quantity with If-Match: if a sale changes it meanwhile, the answer is 412.',
    scope: 'inventory:write',
    pathParameters,
    body: InventoryUpdate,
    success: {
      status: 200,
      resource: InventoryItem,
      description: 'The inventory item after the change.',
      example: { petId: 3, quantity: 12, status: 'available', reserved: 1, reorderAt: 3 },
    },
    resourceHasEtag: true,
    errors: [inventoryItemNotFound(404n), stockBelowReserved(3n, 1n, 2n)],
    agent: {
      name: 'count_stock',
      about: 'Store the result of a stock count: the units that are on the shelf.',
      takes: { petId: true, quantity: true, reorderAt: 'The level at which the pet should be reordered.' },
    },
  },
  adjustInventory: {
    method: 'POST',
    path: '/store/inventory/{petId}/adjustments',
    tag: 'Store',
    summary: 'Adjust the stock of a pet',
    description: 'Adds or removes units without an order. The stock ledger records the change with its note.',
    scope: 'inventory:write',
    stability: 'beta',
    pathParameters,
    body: StockAdjustment,
    success: {
      status: 201,
      resource: StockMovement,
      description: 'The stock movement.',
      example: adjustmentMovement,
    },
    errors: [
      inventoryItemNotFound(404n),
      stockBelowReserved(3n, 1n, 2n),
      stockOutOfBounds(3n, 1_000_000_003n),
    ],
    agent: {
      name: 'adjust_stock',
      about: 'Add units to the stock of a pet, or remove units, without an order.',
      takes: {
        petId: true,
        quantityChange: 'Units to add; negative to remove.',
        note: 'The reason, for the ledger.',
      },
    },
  },
  listMovements: {
    method: 'GET',
    path: '/store/inventory/{petId}/movements',
    tag: 'Store',
    summary: 'List the stock movements of a pet',
    description: 'The stock ledger of one pet, oldest first by default.',
    scope: 'inventory:read',
    stability: 'beta',
    pathParameters,
    query: {
      ...paging,
      sort: sortParameter('MovementSort', z.enum(['id', '-id']), 'id', 'Oldest first, or newest first.'),
    },
    success: {
      status: 200,
      list: StockMovement,
      description: 'A page of movements.',
      example: [
        openingMovement,
        {
          ...openingMovement,
          id: 334,
          quantityChange: 0,
          reservedChange: 1,
          reserved: 1,
          reason: 'order',
          orderId: 1,
        },
      ],
    },
    errors: [inventoryItemNotFound(404n), invalidCursor()],
    isShort: () => true,
  },
  getStoreSummary: {
    method: 'GET',
    path: '/store/summary',
    tag: 'Store',
    summary: 'Read the store summary',
    description: 'Returns the current totals of the whole store.',
    scope: 'orders:read',
    stability: 'experimental',
    preview: 'store-summary',
    success: { status: 200, resource: StoreSummary, description: 'The summary.' },
    agent: {
      name: 'how_is_business',
      about: 'Show the totals of the shop: pets by status, units, open orders, orders of the last 30 days.',
      takes: {},
    },
  },
} as const satisfies Record<string, Operation>
