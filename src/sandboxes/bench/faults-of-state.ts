import type { JsonValue } from '../../values/json.ts'
import { writeJson } from '../../values/json.ts'
import { itemsOf } from './faults-of-responses.ts'
import {
  type BenchReply,
  bodyOf,
  type FaultOfClass,
  isObject,
  onMember,
  onSuccess,
  Remembered,
} from './planted-fault.ts'

/** How long a resource that was just created or changed is not seen, in milliseconds. */
const UNSEEN_MS = 2000

export const stateFaults: readonly FaultOfClass[] = [
  {
    id: 'deleted-still-listed',
    summary:
      'A deleted pet stays in the list: at the end of its first page, which can then be longer than its limit.',
    sign: 'The list has a pet that was deleted.',
    clause: 'RFC 9110, section 9.3.5 (DELETE)',
    operations: ['listPets'],
    sees: ['deletePet'],
    needsBefore: true,
    change: () => {
      const deleted = new Remembered<JsonValue>()
      return (reply, { operationId, path, before, query }) => {
        if (operationId === 'deletePet' && reply.status === 204 && before !== undefined)
          deleted.set(path, before)
        const items = operationId === 'listPets' ? itemsOf(reply) : undefined
        if (!items || deleted.size === 0 || query.has('cursor')) return undefined
        return { ...reply, text: writeJson([...items, ...deleted.values()]) }
      }
    },
  },
  {
    id: 'deleted-still-read',
    summary: 'A deleted resource can still be read.',
    sign: 'A read of what was deleted gets 200 in place of 404.',
    clause: 'RFC 9110, section 9.3.5 (DELETE)',
    operations: ['getCategory', 'getOrder'],
    sees: ['deleteCategory', 'cancelOrder'],
    needsBefore: true,
    change: () => {
      const deleted = new Remembered<JsonValue>()
      return (reply, { method, path, before }) => {
        if (method === 'DELETE' && reply.status === 204 && before !== undefined) deleted.set(path, before)
        const old = deleted.get(path)
        return method === 'GET' && reply.status === 404 && old !== undefined
          ? { ...reply, status: 200, text: writeJson(old) }
          : undefined
      }
    },
  },
  {
    id: 'created-not-yet-read',
    summary: 'A new resource does not exist for two seconds.',
    sign: 'A read of what was just created gets 404.',
    clause: 'RFC 9110, section 15.3.2 (201): the resource has been created',
    operations: ['getCategory', 'getOrder'],
    sees: ['createCategory', 'placeOrder'],
    change: () => {
      const created = new Remembered<number>()
      return (reply, { method, path, nowMs }) => {
        const id = createdId(reply)
        if (method === 'POST' && id !== undefined) created.set(`${path}/${id}`, nowMs)
        const isNew = nowMs - (created.get(path) ?? Number.NEGATIVE_INFINITY) < UNSEEN_MS
        return method === 'GET' && reply.status === 200 && isNew ? notFound(reply, path) : undefined
      }
    },
  },
  {
    id: 'created-not-listed',
    summary: 'A new category is missing from the list for two seconds.',
    sign: 'The list lacks what was just created.',
    clause: 'RFC 9110, section 15.3.2 (201): the resource has been created',
    operations: ['listCategories'],
    sees: ['createCategory'],
    change: () => {
      const created = new Remembered<number>()
      return (reply, { operationId, nowMs }) => {
        if (operationId === 'createCategory') {
          const id = createdId(reply)
          if (id !== undefined) created.set(String(id), nowMs)
          return undefined
        }
        const items = itemsOf(reply)
        const isSeen = (item: JsonValue): boolean =>
          !isObject(item) || nowMs - (created.get(String(item.id)) ?? Number.NEGATIVE_INFINITY) >= UNSEEN_MS
        const seen = items?.filter(isSeen)
        return seen && seen.length < (items?.length ?? 0) ? { ...reply, text: writeJson(seen) } : undefined
      }
    },
  },
  {
    id: 'change-not-yet-read',
    summary: 'For two seconds after a change, a read returns the state before it.',
    sign: 'A client does not read what it wrote.',
    clause: 'RFC 9110, section 15.3.1: 200 of a change describes what was done',
    operations: ['getCategory', 'getOrder', 'getInventoryItem'],
    sees: ['updateCategory', 'updateOrder', 'setInventory'],
    needsBefore: true,
    change: () => {
      const before = new Remembered<{ readonly value: JsonValue; readonly atMs: number }>()
      return (reply, call) => {
        const { method, path, nowMs } = call
        if (method !== 'GET') {
          if (reply.status === 200 && call.before !== undefined)
            before.set(path, { value: call.before, atMs: nowMs })
          return undefined
        }
        const old = before.get(path)
        if (!old || nowMs - old.atMs >= UNSEEN_MS || reply.status !== 200) return undefined
        const text = writeJson(old.value)
        return text === reply.text ? undefined : { ...reply, text }
      }
    },
  },
  {
    id: 'change-not-shown',
    summary: 'The response to a change shows the resource as it was before.',
    sign: 'The response does not have the value that was sent.',
    clause: 'Description: a change returns the changed resource',
    operations: ['updateCategory', 'updatePet', 'updateOrder'],
    needsBefore: true,
    change: onSuccess((body, _, { before }) =>
      before === undefined || writeJson(before) === writeJson(body) ? undefined : before,
    ),
  },
  {
    id: 'stock-one-too-high',
    summary: 'After an order for a pet, its stock is said to be one unit higher.',
    sign: 'Stock does not go down by the units that were sold, or its movements do not add up to it.',
    clause: 'Description: the quantity is the sum of the movements',
    operations: ['getInventoryItem', 'listInventory'],
    sees: ['placeOrder'],
    change: () => {
      const ordered = new Remembered<true>()
      const raise = (item: JsonValue): JsonValue =>
        isObject(item) && ordered.has(String(item.petId)) && typeof item.quantity === 'bigint'
          ? { ...item, quantity: item.quantity + 1n }
          : item
      return (reply, { operationId }) => {
        const body = reply.status < 300 ? bodyOf(reply) : undefined
        if (body === undefined) return undefined
        if (operationId === 'placeOrder') {
          if (isObject(body)) ordered.set(String(body.petId), true)
          return undefined
        }
        const text = writeJson(Array.isArray(body) ? body.map(raise) : raise(body))
        return text === reply.text ? undefined : { ...reply, text }
      }
    },
  },
  {
    id: 'summary-one-too-low',
    summary: 'The summary says one open order less.',
    sign: 'A count differs from the length of the list.',
    clause: 'Description, StoreSummary: openOrders is the number of orders that are not complete',
    operations: ['getStoreSummary'],
    change: onMember('openOrders', value =>
      typeof value === 'bigint' && value > 0n ? value - 1n : undefined,
    ),
  },
  {
    id: 'takings-one-cent-too-high',
    summary: 'The takings of a day are one minor unit too high.',
    sign: 'The total of a day differs from the sum of its sales.',
    clause: 'Description, listSalesTotals: amount is the sum of the lines',
    operations: ['listSalesTotals'],
    change: onSuccess(body => {
      const periods = isObject(body) && Array.isArray(body.periods) ? body.periods : []
      const index = periods.findLastIndex(
        day => isObject(day) && typeof day.amount === 'bigint' && day.amount > 0n,
      )
      const day = periods[index]
      if (!isObject(body) || !isObject(day) || typeof day.amount !== 'bigint') return undefined
      return { ...body, periods: periods.with(index, { ...day, amount: day.amount + 1n }) }
    }),
  },
  {
    id: 'return-not-counted',
    summary: 'An order does not say that units of it were returned.',
    sign: 'The member returned stays 0 after a return.',
    clause: 'Description, Order: returned is the number of units that came back',
    operations: ['getOrder', 'listOrders'],
    change: onMember('returned', value => (typeof value === 'bigint' && value > 0n ? 0n : undefined)),
  },
  {
    id: 'movement-missing',
    summary: 'The stock ledger of a pet lacks its last movement.',
    sign: 'The movements do not add up to the stock.',
    clause: 'Description: the quantity is the sum of the movements',
    operations: ['listMovements'],
    change: onSuccess(body => (Array.isArray(body) && body.length > 1 ? body.slice(0, -1) : undefined)),
  },
]

function createdId(reply: BenchReply): JsonValue | undefined {
  const body = reply.status === 201 ? bodyOf(reply) : undefined
  return isObject(body) ? body.id : undefined
}

function notFound(reply: BenchReply, path: string): BenchReply {
  const code = path.startsWith('/categories') ? 'category_not_found' : 'order_not_found'
  const message = `${path} does not exist.`
  const headers = new Headers(reply.headers)
  headers.delete('etag')
  return { status: 404, headers, text: writeJson({ code, message, status: 404n }) }
}
