import { Database } from 'bun:sqlite'
import { Hono } from 'hono'

// A plain pet store on Hono and bun:sqlite: `bun hono-server.mjs '<JSON>'`. Its statements are prepared once. It has no
// validation, keys, limits, ETags, lifecycle headers, metrics or log.

const { port, file } = JSON.parse(process.argv[2] ?? '')

const database = new Database(file)
database.run('PRAGMA journal_mode = WAL')
const findPet = database.query('SELECT id, name, category_id AS categoryId, status FROM pet WHERE id = ?')
const listPets = database.query(
  'SELECT id, name, category_id AS categoryId, status FROM pet WHERE id > ? ORDER BY id LIMIT 20',
)

const app = new Hono()

app.get('/pets/:petId', context => {
  const pet = findPet.get(Number(context.req.param('petId')))
  return pet ? context.json(pet) : context.json({ code: 'pet_not_found' }, 404)
})

app.get('/pets', context => context.json(listPets.all(Number(context.req.query('after')))))

Bun.serve({ hostname: '127.0.0.1', port, fetch: app.fetch })
