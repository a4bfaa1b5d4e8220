import type { contract } from '../contract/contract.ts'
import type { Input, Page } from '../contract/operation.ts'
import type { Reader } from '../engine/engine.ts'
import { sentInstant, toStoredInstant } from '../model/instant.ts'
import type { MovementReason, StockMovement } from '../model/inventory.ts'
import type { Order } from '../model/order.ts'
import { distinct, sortBy } from './catalogue-lists.ts'
import { getInventoryItem } from './inventory.ts'
import { type Condition, compares, equals, isNotNull, listPage, padded } from './lists.ts'
import { orderColumns, orderOf } from './orders.ts'

// Texts that sort before and after every stored instant, for the open end of a range.
const BEFORE_ANY = ''
const AFTER_ANY = '~'

/** Lists orders. If sorted by shipDate, lists only those that have one. */
export async function listOrders(
  reader: Reader,
  input: Input<typeof contract.listOrders>,
): Promise<Page<Order>> {
  const { petId, complete, shipDateAfter, shipDateBefore } = input
  const ranged = shipDateAfter !== undefined || shipDateBefore !== undefined
  const sort = sortBy(input.sort, { shipDate: 'ship_date' }, ranged ? 'shipDate' : undefined)
  const range: Condition[] =
    sort.column === 'ship_date'
      ? [
          isNotNull('ship_date'),
          compares('ship_date', '>', shipDateAfter ? toStoredInstant(shipDateAfter) : BEFORE_ANY),
          compares('ship_date', '<', shipDateBefore ? toStoredInstant(shipDateBefore) : AFTER_ANY),
        ]
      : []
  return listPage(
    reader,
    {
      list: 'listOrders',
      table: 'orders',
      columns: orderColumns,
      input,
      filters: { petId, complete, shipDateAfter, shipDateBefore },
      sort,
      branches: orderBranches(petId, complete, range),
    },
    orderOf,
  )
}

interface MovementRow {
  readonly id: bigint
  readonly petId: bigint
  readonly quantityChange: bigint
  readonly reservedChange: bigint
  readonly quantity: bigint
  readonly reserved: bigint
  readonly reason: MovementReason
  readonly note: string | null
  readonly orderId: bigint | null
  readonly at: string
}

const movementColumns = `id, pet_id AS "petId", version, quantity_change AS "quantityChange",
  reserved_change AS "reservedChange", quantity, reserved, reason, note, order_id AS "orderId", at`

/** Lists the stock ledger of one pet. Throws `inventory_item_not_found`. */
export async function listMovements(
  reader: Reader,
  input: Input<typeof contract.listMovements>,
): Promise<Page<StockMovement>> {
  const { petId } = input
  await getInventoryItem(reader, { petId })
  return listPage(
    reader,
    {
      list: 'listMovements',
      table: 'movement',
      columns: movementColumns,
      input,
      filters: { petId },
      sort: { column: 'version', descending: input.sort === '-id' },
      tie: 'version',
      branches: [[equals('pet_id', petId)]],
    },
    movementOf,
  )
}

function orderBranches(
  petId: readonly bigint[] | undefined,
  complete: boolean | undefined,
  range: readonly Condition[],
): Condition[][] {
  if (!petId && complete === undefined && range.length === 0) return [[]]
  const states = complete === undefined ? [0n, 1n] : [complete ? 1n : 0n]
  const heads = petId ? padded(distinct(petId)).map(id => [equals('pet_id', id)]) : [[]]
  return heads.flatMap(head => states.map(state => [...head, equals('complete', state), ...range]))
}

function movementOf({ note, orderId, at, ...row }: MovementRow): StockMovement {
  const { id, petId, quantityChange, reservedChange, quantity, reserved, reason } = row
  return {
    ...{ id, petId, quantityChange, reservedChange, quantity, reserved, reason },
    ...(note !== null && { note }),
    ...(orderId !== null && { orderId }),
    at: sentInstant(at),
  }
}
