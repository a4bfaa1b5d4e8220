import Database from 'better-sqlite3'
import Fastify from 'fastify'

// A plain pet store on Fastify and better-sqlite3: `node fastify-server.mjs '<JSON>'`. It follows the advice of both:
// statements are prepared once, requests and responses have schemas, and there is no log. It lacks everything else that
// the store has: keys, limits, ETags, lifecycle headers, events, a stock ledger and metrics.

const { port, file } = JSON.parse(process.argv[2] ?? '')

const database = new Database(file)
database.pragma('journal_mode = WAL')
// The default of better-sqlite3 is NORMAL. A power failure could then lose acknowledged orders.
database.pragma('synchronous = FULL')
if (database.pragma('journal_mode', { simple: true }) !== 'wal') throw new Error('SQLite refuses WAL')
if (database.pragma('synchronous', { simple: true }) !== 2) throw new Error('SQLite refuses synchronous=FULL')

const findPet = database.prepare(`
  SELECT id, name, category_id AS categoryId, status FROM pet WHERE id = ?`)
const listPets = database.prepare(`
  SELECT id, name, category_id AS categoryId, status FROM pet WHERE id > ? ORDER BY id LIMIT 20`)
const reserveStock = database.prepare(`
  UPDATE pet SET reserved = reserved + $quantity, version = version + 1, updated_at = $now,
    status = CASE WHEN quantity = reserved + $quantity THEN 'pending' ELSE status END
  WHERE id = $petId AND status = 'available' AND quantity >= reserved + $quantity`)
const insertOrder = database.prepare(`
  INSERT INTO orders (pet_id, quantity, complete, version, created_at, updated_at)
  VALUES ($petId, $quantity, 0, 1, $now, $now)`)

const placeOrder = database.transaction(order => {
  if (reserveStock.run(order).changes === 0) return undefined
  return insertOrder.run(order).lastInsertRowid
})

const positiveInteger = { type: 'integer', minimum: 1 }
const problem = { type: 'object', properties: { code: { type: 'string' } } }
const pet = {
  type: 'object',
  properties: {
    id: positiveInteger,
    name: { type: 'string' },
    categoryId: positiveInteger,
    status: { type: 'string' },
  },
}
const getPetSchema = {
  params: { type: 'object', properties: { petId: positiveInteger }, required: ['petId'] },
  response: { 200: pet, 404: problem },
}
const listPetsSchema = {
  querystring: { type: 'object', properties: { after: positiveInteger }, required: ['after'] },
  response: { 200: { type: 'array', items: pet } },
}
const placeOrderSchema = {
  body: {
    type: 'object',
    properties: {
      petId: positiveInteger,
      quantity: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 },
    },
    required: ['petId'],
  },
  response: {
    201: {
      type: 'object',
      properties: {
        id: positiveInteger,
        petId: positiveInteger,
        quantity: positiveInteger,
        complete: { type: 'boolean' },
      },
    },
    409: problem,
  },
}

const server = Fastify({ logger: false })

server.get('/pets/:petId', { schema: getPetSchema }, (request, reply) => {
  const found = findPet.get(request.params.petId)
  reply.code(found ? 200 : 404).send(found ?? { code: 'pet_not_found' })
})

server.get('/pets', { schema: listPetsSchema }, (request, reply) => {
  reply.send(listPets.all(request.query.after))
})

server.post('/store/orders', { schema: placeOrderSchema }, (request, reply) => {
  const { petId, quantity } = request.body
  const orderId = placeOrder({ petId, quantity, now: new Date().toISOString() })
  if (orderId === undefined) reply.code(409).send({ code: 'insufficient_stock' })
  else reply.code(201).send({ id: orderId, petId, quantity, complete: false })
})

await server.listen({ host: '127.0.0.1', port })
