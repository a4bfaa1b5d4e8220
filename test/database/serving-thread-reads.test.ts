import { expect, test } from 'bun:test'
import type { Reader } from '../../src/database/engine.ts'
import { seeded } from '../support/seeded.ts'
import { makePet } from '../support/shop.ts'
import { openTestStore, type TestStore } from '../support/store.ts'
import { randomListPath } from './list-queries.ts'

interface Reads {
  /** The texts of the multi-row statements that ran on the serving thread. */
  readonly texts: string[]
  /** The number of lists that ran in the reader worker. */
  inWorker: number
}

async function openCountingStore(): Promise<{ store: TestStore; reads: Reads }> {
  const reads: Reads = { texts: [], inWorker: 0 }
  const store = await openTestStore('sqlite', {
    cache: 'off',
    wrapEngine: engine => ({
      ...engine,
      readShort: work =>
        engine.readShort(reader => {
          const recordingReader: Reader = {
            one: (statement, ...parameters) => reader.one(statement, ...parameters),
            many: (statement, ...parameters) => {
              reads.texts.push(statement.text)
              return reader.many(statement, ...parameters)
            },
          }
          return work(recordingReader)
        }),
      readLong: query => {
        reads.inWorker++
        return engine.readLong(query)
      },
    }),
  })
  return { store, reads }
}

test('the serving thread reads a list only if it is a single index scan', async () => {
  const { store, reads } = await openCountingStore()
  await using _ = store
  await makePet(store.client, { quantity: 9n, reserved: 2n })
  const random = seeded(20261122)
  for (let count = 0; count < 400; count++) {
    expect((await store.send('GET', randomListPath(random))).status).toBe(200)
  }
  const lists = reads.texts
    // A row of a short list may read one other row by its id.
    .map(text => text.replaceAll(/\(SELECT \w+ FROM (\w+) WHERE \1\.id = \w+\)/g, ''))
    .filter(text => /FROM (pet|pet_word|category|orders|movement|sale_line)\b/.test(text))
  expect(lists.filter(text => text.includes('UNION') || text.split('SELECT').length > 2)).toEqual([])
  expect(lists.length).toBeGreaterThan(20)
  expect(reads.inWorker).toBeGreaterThan(100)
})

test.each([
  { path: '/pets', here: true },
  { path: '/pets?limit=20&status=sold&sort=-name', here: true },
  { path: '/pets?limit=21', here: false },
  { path: '/pets?status=sold&status=pending', here: false },
  { path: '/pets?id=1', here: false },
  { path: '/pets?search=re', here: false },
  { path: '/categories?name=a', here: true },
  { path: '/store/inventory?search=re', here: false },
  { path: '/store/inventory?quantityAtMost=3', here: false },
  { path: '/store/orders?complete=false&sort=shipDate', here: true },
  { path: '/store/orders?reference=R-1', here: false },
])('$path is read on the serving thread: $here', async ({ path, here }) => {
  const { store, reads } = await openCountingStore()
  await using _ = store
  expect((await store.send('GET', path)).status).toBe(200)
  expect(reads.inWorker).toBe(here ? 0 : 1)
})

test('a read of one row on SQLite needs no promise, in contrast to the read of a list', async () => {
  let hadPromise: boolean[] = []
  await using store = await openTestStore('sqlite', {
    cache: 'off',
    wrapEngine: engine => ({
      ...engine,
      readShort: work => {
        const result = engine.readShort(work)
        hadPromise.push(result instanceof Promise)
        return result
      },
    }),
  })
  const { client } = store
  const { petId, orderId } = await makePet(client, { quantity: 9n, reserved: 2n })
  const { data: pet } = await client.getPet({ petId })
  const reads = {
    getPet: () => client.getPet({ petId }),
    getInventoryItem: () => client.getInventoryItem({ petId }),
    getCategory: () => client.getCategory({ categoryId: pet.categoryId }),
    getOrder: () => client.getOrder({ orderId }),
    listPets: () => client.listPets({}),
  }
  const lastHadPromise: Record<string, boolean | undefined> = {}
  for (const [name, read] of Object.entries(reads)) {
    hadPromise = []
    await read()
    // Reading the key of the caller comes first.
    lastHadPromise[name] = hadPromise.at(-1)
  }
  expect(lastHadPromise).toEqual({
    getPet: false,
    getInventoryItem: false,
    getCategory: false,
    getOrder: false,
    listPets: true,
  })
})
