import Database from 'better-sqlite3'
import Fastify from 'fastify'

// A plain pet store on Fastify and better-sqlite3: `node fastify-server.mjs '<JSON>'`. It follows the advice of both:
// statements are prepared once, requests and responses have schemas, and there is no log. It lacks everything else that
// the store has: keys, limits, ETags, lifecycle headers, events, a stock ledger and metrics.

const { port, file } = JSON.parse(process.argv[2] ?? '')

const database = new Database(file)
database.pragma('journal_mode = WAL')
if (database.pragma('journal_mode', { simple: true }) !== 'wal') throw new Error('SQLite refuses WAL')

const findPet = database.prepare(`
  SELECT id, name, category_id AS categoryId, status FROM pet WHERE id = ?`)
const listPets = database.prepare(`
  SELECT id, name, category_id AS categoryId, status FROM pet WHERE id > ? ORDER BY id LIMIT 20`)
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
const server = Fastify({ logger: false })

server.get('/pets/:petId', { schema: getPetSchema }, (request, reply) => {
  const found = findPet.get(request.params.petId)
  reply.code(found ? 200 : 404).send(found ?? { code: 'pet_not_found' })
})

server.get('/pets', { schema: listPetsSchema }, (request, reply) => {
  reply.send(listPets.all(request.query.after))
})

await server.listen({ host: '127.0.0.1', port })
