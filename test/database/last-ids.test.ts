import { expect, test } from 'bun:test'
import { makePet } from '../support/shop.ts'
import { onEveryEngine } from '../support/store.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'

const LAST = 9223372036854775807n
const LIMIT_MS = 120_000

/** Starts a store, sends a request with the admin key for each of `paths`, and stops it. Returns the responses. */
async function responses(
  place: StoreDirectory,
  ...requests: [method: string, path: string, body?: object][]
) {
  await using server = await place.start()
  const all: string[] = []
  for (const [method, path, body] of requests) {
    const response = await fetch(server.base + path, {
      method,
      headers: {
        Authorization: `Bearer ${place.env.PETSTORE_ADMIN_KEY}`,
        'Petstore-Preview': 'store-summary',
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const [, message = ''] = /"message":"([^"]*)"/.exec(text) ?? []
    all.push(response.ok ? String(response.status) : `${response.status} ${message}`)
  }
  await server.kill('SIGTERM')
  return all
}

onEveryEngine(engine => {
  test(
    'a change that needs an id or a position after 2^63 - 1 is refused with one sentence, and reads continue',
    async () => {
      await using place = await newStoreDirectory(engine)
      let petId = 0n
      {
        await using server = await place.start()
        petId = (await makePet(place.client(server), { quantity: 9n })).petId
        await server.kill('SIGTERM')
      }
      const refusal = (what: string): string =>
        `503 The store has no ${what} left; its operator must look into it.`
      const order = { petId: Number(petId) }
      const url = 'http://127.0.0.1:9/hook'
      const changes: [noun: string, path: string, body: object][] = [
        ['category', '/categories', { name: 'Cats' }],
        ['pet', '/pets', { name: 'Tom', categoryId: 1 }],
        ['order', '/store/orders', order],
        ['movement', '/store/orders', order],
        ['event', '/categories', { name: 'Cats' }],
        ['key', '/keys', { name: 'till', scopes: ['orders:read'] }],
        ['webhook', '/webhooks', { url }],
      ]
      const reads = ['/pets', '/events?after=0', '/audit', '/store/summary', `/events?after=${LAST - 5n}`]
      const get = reads.map((path): [string, string] => ['GET', path])
      for (const [noun, path, body] of changes) {
        const [row] = await place.database(`SELECT last FROM counter WHERE noun = '${noun}'`)
        await place.database(`UPDATE counter SET last = ${LAST} WHERE noun = '${noun}' RETURNING 1`)
        const seen = await responses(place, ['POST', path, body], ['POST', path, body], ['GET', '/pets'])
        expect(seen).toEqual([refusal(`id for another ${noun}`), refusal(`id for another ${noun}`), '200'])
        await place.database(`UPDATE counter SET last = ${row?.last} WHERE noun = '${noun}' RETURNING 1`)
      }
      // A list of events ends before the next position, so the last event leaves one position free.
      await place.database(`UPDATE chain_end SET position = ${LAST - 1n} WHERE name = 'head' RETURNING 1`)
      const seen = await responses(
        place,
        ['POST', '/categories', { name: 'Last' }],
        ['POST', '/categories', { name: 'Last' }],
        ...get,
      )
      const none = refusal('position for another event')
      expect(seen).toEqual([none, none, ...get.map(() => '200')])
    },
    LIMIT_MS,
  )
})
