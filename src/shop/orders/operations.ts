import { z } from 'zod'
import { linksBy, type Operation, pagingOfAgents } from '../../contract/operation.ts'
import {
  booleanParameter,
  idParameter,
  instantParameter,
  paging,
  repeated,
  sortParameter,
  textParameter,
} from '../../contract/parameter.ts'
import { invalidCursor, unknownReference } from '../../contract/refusals.ts'
import { PET_IDS_MAX } from '../kernel/limits.ts'
import { noStockToReturnTo, orderNotComplete, returnExceedsOrder, saleNotFound } from '../sales/refusals.ts'
import { returnExamples, SaleLine } from '../sales/schema.ts'
import { insufficientStock, petNotAvailable, stockOutOfBounds } from '../stock/refusals.ts'
import { orderAlreadyComplete, orderNotFound } from './refusals.ts'
import {
  NewOrder,
  NewReturn,
  NewSale,
  NewSaleReturn,
  Order,
  OrderPatch,
  orderExample,
  REFERENCE_CODE_POINTS_MAX,
  Sale,
} from './schema.ts'

const pathParameters = { orderId: idParameter('The id of the order.', 1) }

const whoMayReturn =
  'Requires the scope `orders:return` too, unless the same key sold the units within the last 15 minutes.'

interface OrderFilters {
  readonly petId?: unknown
  readonly complete?: boolean
  readonly reference?: string
  readonly shipDateAfter?: string
  readonly shipDateBefore?: string
  readonly createdAfter?: string
  readonly createdBefore?: string
  readonly referencePrefix?: string
  readonly search?: string
  readonly sort?: string
}

/** Returns whether a list is in the order of a time, in which open and complete orders have an index of their own. */
function isDated({
  shipDateAfter,
  shipDateBefore,
  createdAfter,
  createdBefore,
  sort,
}: OrderFilters): boolean {
  const times = [shipDateAfter, shipDateBefore, createdAfter, createdBefore]
  return times.some(time => time !== undefined) || /(shipDate|createdAt)$/.test(sort ?? '')
}

export const orders = {
  listOrders: {
    method: 'GET',
    path: '/store/orders',
    tag: 'Store',
    summary: 'List orders',
    description:
      '`shipDateAfter` and `shipDateBefore` are exclusive bounds. With either of them, the list contains only orders that have a shipDate, and can only be sorted by `shipDate` (the default) or `-shipDate`. In the same way, `createdAfter` and `createdBefore` sort by `createdAt`; of the other filters, they and the sort go only with `complete`. `referencePrefix` goes with no other filter: the list is in the order of the references. `search` goes only with `complete`: the newest orders come first, and each page looks at the references of the next 2,000 orders. **Such a page can be short, or even empty, although a next page follows.** Only with `reference`, which few orders share, all filters go together.',
    scope: 'orders:read',
    query: {
      ...paging,
      petId: repeated(PET_IDS_MAX, idParameter('Orders for one of these pets.')),
      complete: booleanParameter('Complete orders (true) or open orders (false).'),
      shipDateAfter: instantParameter('Orders that ship after this instant.'),
      shipDateBefore: instantParameter('Orders that ship before this instant.', '2027-12-01T00:00:00Z'),
      reference: textParameter(
        1,
        REFERENCE_CODE_POINTS_MAX,
        'Orders with exactly this reference; upper and lower case differ.',
        'R-2026-0042',
      ),
      referencePrefix: textParameter(
        1,
        REFERENCE_CODE_POINTS_MAX,
        'Orders whose reference starts with this text; upper and lower case differ.',
        'R-2026',
      ),
      search: textParameter(
        1,
        REFERENCE_CODE_POINTS_MAX,
        'Orders whose reference has words that start with each word of this text, without case and accents. An empty text is no filter.',
        '',
      ),
      createdAfter: instantParameter('Orders that were placed after this instant.', '2026-11-21T00:00:00Z'),
      createdBefore: instantParameter('Orders that were placed before this instant.', '2027-12-01T00:00:00Z'),
      sort: sortParameter(
        'OrderSort',
        z.enum(['id', '-id', 'shipDate', '-shipDate', 'createdAt', '-createdAt']),
        'shipDate',
        'The sort order; a leading minus reverses it. Sorting by shipDate lists only orders that have one.',
      ),
    },
    success: { status: 200, list: Order, description: 'A page of orders.' },
    errors: [invalidCursor()],
    isShort: ({ petId, complete, reference, search, ...others }: OrderFilters) =>
      !petId && reference === undefined && !search && (complete !== undefined || !isDated(others)),
    agent: {
      name: 'find_orders',
      about: 'Find orders by pet, reference, ship date, or whether they are complete.',
      takes: {
        petId: 'Orders for these pets.',
        complete: 'true: shipped; false: open.',
        reference: 'Exactly this reference.',
        search: 'Words of the reference, such as a name; only with complete.',
        shipDateAfter: true,
        shipDateBefore: true,
        sort: '-id: newest first.',
        ...pagingOfAgents,
      },
    },
  },
  placeOrder: {
    method: 'POST',
    path: '/store/orders',
    tag: 'Store',
    summary: 'Place an order',
    description:
      'Reserves the units. With `complete: true` it is a sale over the counter: the units leave the stock at once. Such a sale has no `petstore.order.completed` event: the data of its `petstore.order.placed` event has `complete: true`.',
    scope: 'orders:write',
    body: NewOrder,
    success: { status: 201, resource: Order, description: 'The order.' },
    location: '/store/orders/{id}',
    resourceHasEtag: true,
    errors: [
      unknownReference('Pet', 404n),
      petNotAvailable(3n),
      insufficientStock({ petId: 3n, free: 2n, quantity: 5n, requested: 3n }),
    ],
    links: {
      ...linksBy('orderId', '$response.body#/id', {
        read: ['getOrder', 'Read the order.'],
        update: ['updateOrder', 'Change or complete the order.'],
        cancel: ['cancelOrder', 'Cancel the order.'],
      }),
      ...linksBy('petId', '$response.body#/petId', {
        stock: ['getInventoryItem', 'Read the stock that the order reserves from.'],
      }),
    },
    agent: {
      name: 'place_order',
      about:
        'Sell a pet: complete true is a sale over the counter. Otherwise the order only reserves the units.',
      takes: {
        petId: true,
        quantity: true,
        unitPrice: 'Another price than that of the pet, in minor units such as cents.',
        complete: 'true: the customer takes the units along.',
        shipDate: 'When it ships.',
        reference: 'A name for the order, such as the number of a receipt.',
      },
    },
  },
  getOrder: {
    method: 'GET',
    path: '/store/orders/{orderId}',
    tag: 'Store',
    summary: 'Read an order',
    description: 'Cancelled orders are deleted; complete orders are kept.',
    scope: 'orders:read',
    pathParameters,
    success: { status: 200, resource: Order, description: 'The order.' },
    resourceHasEtag: true,
    errors: [orderNotFound(404n)],
    agent: { name: 'get_order', about: 'Show one order by its id.', takes: { orderId: true } },
    represents: { table: 'orders', rowId: 'orderId' },
  },
  updateOrder: {
    method: 'PATCH',
    path: '/store/orders/{orderId}',
    tag: 'Store',
    summary: 'Change or complete an order',
    description:
      'A JSON Merge Patch. `complete: true` ships the units: the sale gets its line in the books. Of a complete order, only the reference can be changed. To take units back, return them.',
    scope: 'orders:write',
    pathParameters,
    body: OrderPatch,
    success: {
      status: 200,
      resource: Order,
      description: 'The order after the change.',
      example: { ...orderExample, shipDate: '2026-12-02T09:30:00Z' },
    },
    resourceHasEtag: true,
    errors: [
      orderNotFound(404n),
      orderAlreadyComplete(1n, 'changed'),
      petNotAvailable(3n),
      insufficientStock({ petId: 3n, free: 2n, quantity: 5n, requested: 3n }),
    ],
    agent: {
      name: 'change_order',
      about:
        'Complete an open order (complete true ships its units), or change it. Only what you send changes. A complete order is returned with return_order.',
      takes: {
        orderId: true,
        complete: 'true: ship it.',
        quantity: true,
        shipDate: 'When it ships.',
        reference: 'Another reference.',
      },
    },
  },
  cancelOrder: {
    method: 'DELETE',
    path: '/store/orders/{orderId}',
    tag: 'Store',
    summary: 'Cancel an order',
    description: 'Releases the reserved units and deletes the order.',
    scope: 'orders:write',
    pathParameters,
    success: { status: 204, description: 'The order was cancelled.' },
    resourceHasEtag: true,
    errors: [orderNotFound(404n), orderAlreadyComplete(1n, 'cancelled')],
    agent: {
      name: 'cancel_order',
      about: 'Cancel an open order: its units are free again, and the order is deleted.',
      takes: { orderId: true },
    },
  },
  recordSale: {
    method: 'POST',
    path: '/store/sales',
    tag: 'Store',
    summary: 'Sell several pets to one customer',
    description:
      'A sale over the counter, all or nothing: each line becomes a complete order, and all have one receipt, the id of the first. Each order has a `petstore.order.placed` event.',
    scope: 'orders:write',
    body: NewSale,
    success: { status: 201, resource: Sale, description: 'The lines of the books.' },
    errors: [
      unknownReference('Pet', 404n),
      petNotAvailable(3n),
      insufficientStock({ petId: 3n, free: 2n, quantity: 5n, requested: 3n }),
    ],
  },
  returnOrder: {
    method: 'POST',
    path: '/store/orders/{orderId}/returns',
    tag: 'Store',
    summary: 'Return units of a complete order',
    description: `Writes a line of the books with a negative quantity, at the time of the return: no day that is over changes. ${whoMayReturn}`,
    scope: 'orders:write',
    pathParameters: { orderId: idParameter('The id of the order.', 2) },
    body: NewReturn,
    success: {
      status: 201,
      resource: SaleLine,
      description: 'The line of the return.',
      example: returnExamples[0],
    },
    errors: [
      orderNotFound(404n),
      orderNotComplete(1n),
      returnExceedsOrder(1n, 2n),
      noStockToReturnTo(1n, 3n),
      stockOutOfBounds(3n, 1_000_000_003n),
    ],
    agent: {
      name: 'return_order',
      about: 'Take back units of a complete order: a return in the books, and usually back into the stock.',
      takes: {
        orderId: true,
        quantity: 'All that are left by default.',
        restock: 'false: the units do not go back into the stock.',
        note: true,
      },
    },
  },
  returnSale: {
    method: 'POST',
    path: '/store/sales/{receipt}/returns',
    tag: 'Store',
    summary: 'Return all that is left of a sale',
    description: `Returns the rest of each order of a receipt in one transaction. ${whoMayReturn}`,
    scope: 'orders:write',
    pathParameters: { receipt: idParameter('The receipt of the sale.', 2) },
    body: NewSaleReturn,
    success: {
      status: 201,
      resource: Sale,
      description: 'The lines of the returns.',
      example: { receipt: 2, lines: [returnExamples[1]] },
    },
    errors: [
      saleNotFound(404n),
      returnExceedsOrder(1n, 0n),
      noStockToReturnTo(1n, 3n),
      stockOutOfBounds(3n, 1_000_000_003n),
    ],
  },
} as const satisfies Record<string, Operation>
