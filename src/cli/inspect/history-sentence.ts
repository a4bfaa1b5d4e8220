import type { AuditEntry, InventoryItem, Order, Pet, StockMovement } from '../../client/api-types.ts'
import { unitsText } from '../../shop/stock/status.ts'

/** What is known about an entry of the audit log, in addition to the entry. */
interface EntryContext {
  /** The previous entry of the same resource, if it is known. With it, the sentence says what changed. */
  readonly before: AuditEntry | undefined
  /** The entry of the stock ledger for this change. */
  readonly movement: StockMovement | undefined
}

/** Returns one sentence about an entry of the audit log. */
export function entrySentence(entry: AuditEntry, { before, movement }: EntryContext): string {
  switch (entry.type) {
    case 'petstore.pet.created':
      return `Pet ${entry.data.id} "${entry.data.name}" was created in category ${entry.data.categoryId}.`
    case 'petstore.pet.updated':
      return petSentence(entry.data, before && isPetEntry(before) ? before.data : undefined)
    case 'petstore.pet.deleted':
      return `Pet ${entry.data.id} "${entry.data.name}" was deleted.`
    case 'petstore.category.created':
      return `Category ${entry.data.id} "${entry.data.name}" was created.`
    case 'petstore.category.updated':
      return `Category ${entry.data.id} "${entry.data.name}" was changed.`
    case 'petstore.category.deleted':
      return `Category ${entry.data.id} "${entry.data.name}" was deleted.`
    case 'petstore.order.placed':
    case 'petstore.order.updated':
    case 'petstore.order.completed':
    case 'petstore.order.returned':
    case 'petstore.order.cancelled':
      return orderSentence(entry.data, verbOf(entry))
    case 'petstore.inventory.changed':
      return stockSentence(entry.data, movement)
    default:
      return otherSentence(entry)
  }
}

function isPetEntry(entry: AuditEntry): entry is Extract<AuditEntry, { data: Pet }> {
  return entry.type.startsWith('petstore.pet.')
}

function petSentence(pet: Pet, before: Pet | undefined): string {
  const changes: string[] = []
  if (before && pet.name !== before.name) changes.push(`was renamed from "${before.name}" to "${pet.name}"`)
  if (before && pet.categoryId !== before.categoryId)
    changes.push(`was moved from category ${before.categoryId} to category ${pet.categoryId}`)
  if (before && pet.status !== before.status) changes.push(`became ${pet.status}`)
  // Without the previous state, it is not known what changed.
  if (changes.length === 0) changes.push(`was changed; it is ${pet.status}`)
  return `Pet ${pet.id} ${changes.join(' and ')}.`
}

function orderSentence(order: Order, verb: string): string {
  const { id, petId, quantity = 1n, reference, shipDate, returned } = order
  const details = [
    `${unitsText(quantity)} of pet ${petId}`,
    ...(returned === undefined ? [] : [`${returned} came back so far`]),
    ...(reference === undefined ? [] : [`reference ${reference}`]),
    ...(shipDate === undefined ? [] : [`ships ${shipDate}`]),
  ]
  return `Order ${id} was ${verb}: ${details.join(', ')}.`
}

const reasons: Readonly<Record<StockMovement['reason'], string>> = {
  opening: 'when the pet was created',
  order: 'by order',
  completion: 'on completion of order',
  return: 'by a return of order',
  cancellation: 'on cancellation of order',
  count: 'by a stock count',
  adjustment: 'by an adjustment',
  status: 'by a change of the status',
  closing: 'when the pet was deleted',
}

function stockSentence(item: InventoryItem, movement: StockMovement | undefined): string {
  const level = item.reorderAt === undefined ? '' : `, to reorder at ${item.reorderAt}`
  const state = `${unitsText(item.quantity)} on hand, ${item.reserved ?? 0n} reserved, ${item.status}${level}`
  if (!movement) return `The stock of pet ${item.petId} changed: ${state}.`
  const { quantityChange, reservedChange, reason, note, orderId } = movement
  const changes = [
    ...(quantityChange === 0n ? [] : [`${signed(quantityChange)} on hand`]),
    ...(reservedChange === 0n ? [] : [`${signed(reservedChange)} reserved`]),
  ]
  const cause = `${reasons[reason] ?? `(${reason})`}${orderId === undefined ? '' : ` ${orderId}`}`
  const change = changes.length === 0 ? '' : ` ${changes.join(' and ')}`
  return `The stock of pet ${item.petId} changed${change} ${cause}: ${state}.${note ? ` Note: ${note}` : ''}`
}

function signed(value: bigint): string {
  return value > 0n ? `+${value}` : String(value)
}

/** Returns a sentence from the subject and the type: `Webhook 3: secret rotated.` */
function otherSentence(entry: AuditEntry): string {
  const [kind = '', id = ''] = entry.subject.split('/')
  const noun = kind.replace(/s$/, '')
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${id}: ${verbOf(entry).replaceAll('-', ' ')}.`
}

/** Returns the last part of the type: `placed`. */
function verbOf({ type }: Pick<AuditEntry, 'type'>): string {
  return type.split('.').at(-1) ?? type
}
