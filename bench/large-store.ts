import { oneOf, type Range, type Request, sendAll } from './load.ts'
import type { Server } from './server.ts'
import { cursorWith, importPets, KEYED, type Place, startStore, stopAtOnce } from './store.ts'

const CATEGORIES = 50
/** Every fifth pet, from the first one, has one order. */
const PETS_PER_ORDER = 5
/** Every fourth order has a reference, and one of the pattern of its pet, so these pets have the same events. */
const ORDERS_PER_PATTERN = 4
/** Each ship date is a whole number of hours, below this number, after the first one. */
const SHIP_HOURS = 200
const SHIP_FROM_MS = Date.UTC(2027, 0, 1)
const HOUR_MS = 3_600_000
/** Higher than any number of pets, so that all names have the same length. */
const NAME_NUMBER_FIRST = 1_000_001
const CLIENTS = 64

/** About a twentieth of the pets have names that start with the first word, in a store of any size. */
const WORDS = [
  ...['Biscuit', 'Argos', 'Bella', 'Coco', 'Daisy', 'Echo', 'Fern', 'Ginger', 'Hazel', 'Iris'],
  ...['Juno', 'Kiwi', 'Luna', 'Mango', 'Nala', 'Olive', 'Pepper', 'Ruby', 'Saffron', 'Tulip'],
]

/**
 * Creates a store on SQLite with this many pets, a multiple of 1,000, and an order for every fifth: stock, orders and
 * names have the same proportions in every store. Returns the seconds of the import of the pets.
 */
export async function makeLargeStore(place: Place, pets: number): Promise<number> {
  await stopAtOnce(startStore(place, { PETSTORE_DEMO: 'false' }))
  const rows = Array.from({ length: pets }, (_, index) => petRow(index))
  const startedMs = performance.now()
  await importPets(place, rows)
  const seconds = (performance.now() - startedMs) / 1000
  await using server = await startStore(place)
  const orders = pets / PETS_PER_ORDER
  await sendAll({ server, requests: [orderOfEach()], connections: CLIENTS }, orders)
  return seconds
}

/** Returns the line of a pet, whose id will be `index + 1`. An order makes half of the ordered pets pending. */
function petRow(index: number): string {
  // Ten pets have a rare name, in a store of any size.
  const isRare = index < 1000 && index % 100 === 7
  const word = isRare ? 'Quincy' : WORDS[Math.floor(index / CATEGORIES) % WORDS.length]
  const category = `Category ${(Math.floor(index / 20) % CATEGORIES) + 1}`
  const ordered = 1 + (Math.floor(index / PETS_PER_ORDER) % 2)
  const quantity = [ordered, 1000, 0][index % PETS_PER_ORDER] ?? index % 20
  return `${word} ${NAME_NUMBER_FIRST + index},${category},${quantity}`
}

/** Returns the request that orders a unit of each pet that has an order. A quarter of the orders are complete. */
function orderOfEach(): Request {
  let placed = 0
  return {
    method: 'POST',
    target: () => '/store/orders',
    headers: () => KEYED,
    body: () => {
      const order = placed++
      return JSON.stringify({
        petId: 1 + PETS_PER_ORDER * order,
        shipDate: shipInstant(order % SHIP_HOURS),
        complete: order % ORDERS_PER_PATTERN === 1,
        reference: order % ORDERS_PER_PATTERN === 0 ? `R-${order}` : null,
      })
    },
    status: 201,
  }
}

function shipInstant(hours: number): string {
  return new Date(SHIP_FROM_MS + hours * HOUR_MS).toISOString()
}

/** A kind of read, of the tables that grow with the number of pets. */
export interface Read extends Request {
  readonly name: string
}

/** Returns reads that return the same numbers of rows from stores of all sizes. */
export async function largeReads(server: Server, pets: number): Promise<Read[]> {
  const categories = (count: number): string =>
    Array.from({ length: count }, (_, index) => `categoryId=${index + 1}`).join('&')
  const middle = await cursorWith(server, '/pets', [pets / 2, pets / 2])
  const middleName = await cursorWith(server, '/pets?sort=name', ['kiwi', pets / 2])
  const of = (name: string, target: string | (() => string)): Read => ({
    name,
    target: typeof target === 'string' ? () => target : target,
  })
  const pet = { first: 1, count: pets }
  const petId = oneOf(pet)
  const category = oneOf({ first: 1, count: CATEGORIES })
  return [
    of('getPet', () => `/pets/${petId()}`),
    of('getInventoryItem', () => `/store/inventory/${petId()}`),
    of('listPets', '/pets'),
    of('listPets, cursor in the middle', `/pets?cursor=${middle}`),
    of('listPets by status', '/pets?status=available'),
    of('listPets of one category', () => `/pets?limit=10&categoryId=${category()}`),
    of('listPets of 20 categories', `/pets?${categories(20)}`),
    of('listPets of 16 categories, by name', `/pets?sort=name&${categories(16)}`),
    of('listPets, common start of the name', '/pets?name=biscuit'),
    of('listPets, rare start of the name', '/pets?name=quincy'),
    of('listPets, search for a common word', '/pets?search=biscuit'),
    of('listPets, search for a rare word', '/pets?search=quincy'),
    of('listPets, search for two words', '/pets?search=1%20g'),
    of('listPets, 20 ids', repeated('/pets?', 'id=', pet)),
    of('listPets with stock', '/pets?include=stock'),
    of('listPets by name, descending', '/pets?sort=-name'),
    of('listPets by name, cursor in the middle', `/pets?sort=name&cursor=${middleName}`),
    of('listInventory', '/store/inventory'),
    of('listInventory, at most 5 units', '/store/inventory?quantityAtMost=5'),
    of('listInventory by status', '/store/inventory?status=pending'),
    of('listInventory by quantity, descending', '/store/inventory?sort=-quantity'),
    of('listInventory, search for two words', '/store/inventory?search=1%20g'),
    of('listInventory, 20 ids', repeated('/store/inventory?', 'petId=', pet)),
    ...keyedReads(pets, of),
  ]
}

function keyedReads(pets: number, of: (name: string, target: string | (() => string)) => Read): Read[] {
  const orders = pets / PETS_PER_ORDER
  const step = PETS_PER_ORDER * ORDERS_PER_PATTERN
  const orderedPet = { first: 1, count: pets / step, step }
  const petId = oneOf(orderedPet)
  const orderId = oneOf({ first: 1, count: orders })
  const referenced = oneOf({ first: 0, count: orders / ORDERS_PER_PATTERN, step: ORDERS_PER_PATTERN })
  // There are more events than pets, so the most that a page can have follow each position.
  const position = oneOf({ first: 1, count: pets })
  const shipDates = `shipDateAfter=${shipInstant(50)}&shipDateBefore=${shipInstant(100)}`
  const reads = [
    of('getOrder', () => `/store/orders/${orderId()}`),
    of('listOrders', '/store/orders'),
    of('listOrders, open', '/store/orders?complete=false'),
    of('listOrders of one pet', () => `/store/orders?petId=${petId()}`),
    of('listOrders of 20 pets', repeated('/store/orders?', 'petId=', orderedPet)),
    of('listOrders by shipDate', `/store/orders?${shipDates}`),
    of('listOrders by reference', () => `/store/orders?reference=R-${referenced()}`),
    of('listMovements', () => `/store/inventory/${petId()}/movements`),
    of('listAudit', '/audit'),
    of('listAudit of one pet', () => `/audit?petId=${petId()}`),
    of('listEvents', () => `/events?after=${position()}`),
    of('listEvents of one pet', () => `/events?petId=${petId()}`),
  ].map((read): Read => ({ ...read, headers: () => KEYED }))
  const preview = () => `${KEYED}Petstore-Preview: store-summary\r\n`
  return [...reads, { ...of('getStoreSummary', '/store/summary'), headers: preview }]
}

/** Returns the function that returns a target with 20 different ids in its query. */
function repeated(path: string, parameter: string, ids: Range): () => string {
  const id = oneOf(ids, 20)
  return () => `${path}${Array.from({ length: 20 }, () => `${parameter}${id()}`).join('&')}`
}
