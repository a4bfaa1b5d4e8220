import { expect, test } from 'bun:test'
import { testedEngines } from '../support/engines.ts'
import { metricsOf } from '../support/metrics.ts'
import { openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

/**
 * Lets every read and every insertion of categories fail with an error of the server. Returns a function that chooses
 * the SQLSTATE of the error.
 */
async function breakCategories({ database }: TestStore): Promise<(state: string) => Promise<void>> {
  await database('CREATE TABLE broken (state TEXT)')
  await database("INSERT INTO broken VALUES ('')")
  await database(`CREATE FUNCTION fail() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'told by the server' USING ERRCODE = (SELECT state FROM broken); END $$`)
  await database(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM fail(); RETURN NEW; END $$`)
  await database('ALTER TABLE category RENAME TO stored_category')
  await database('CREATE VIEW category AS SELECT * FROM stored_category WHERE fail()')
  await database(
    'CREATE TRIGGER refuse BEFORE INSERT ON stored_category FOR EACH ROW EXECUTE FUNCTION refuse()',
  )
  return async state => {
    await database(`UPDATE broken SET state = '${state}'`)
  }
}

test.skipIf(!testedEngines.includes('postgres'))(
  'no error of the server ends as a 500: a full disk, a limit, an I/O error or damaged data is a 503 with Retry-After',
  async () => {
    await using store = await openTestStore('postgres')
    await store.client.createCategory({ body: { name: 'Dogs' } })
    const choose = await breakCategories(store)
    const results: Record<string, string[]> = {}
    /** How long the slowest of three requests took, in milliseconds. */
    const durations: Record<string, number> = {}
    for (const state of ['53000', '53100', '53400', '54001', '57000', '58000', '58030', 'XX000', 'XX001']) {
      await choose(state)
      const startedMs = performance.now()
      const replies = await Promise.all([
        store.send('GET', '/categories/1'),
        store.send('GET', '/categories'),
        store.send('POST', '/categories', { body: '{"name":"Cats"}' }),
      ])
      durations[state] = performance.now() - startedMs
      results[state] = await Promise.all(
        replies.map(async reply => {
          const [, code] = /"code":"(\w+)"/.exec(await reply.text()) ?? []
          return `${reply.status} ${code} ${Number(reply.headers.get('retry-after')) > 0}`
        }),
      )
    }
    // A full disk is not tried again until the deadline of the request.
    expect(durations['53100']).toBeLessThan(2500)
    const refused = '503 overloaded true'
    const all = [refused, refused, refused]
    expect(results).toEqual({
      ...Object.fromEntries(Object.keys(results).map(state => [state, all])),
      '53100': [refused, refused, '503 storage_full true'],
    })
    const errors = store.logged.map(({ fields }) => String(fields.error))
    expect(errors.filter(error => error.includes('told by the server')).length).toBeGreaterThanOrEqual(15)
  },
  120_000,
)

test.skipIf(!testedEngines.includes('postgres'))(
  'a process whose database a later version migrated is not ready, says so once in its log, and sends no 500',
  async () => {
    await using store = await openTestStore('postgres')
    const { data } = await store.client.createCategory({ body: { name: 'Dogs' } })
    expect((await store.send('GET', '/readyz')).status).toBe(200)
    await store.database('INSERT INTO migration SELECT max(version) + 1 FROM migration')
    expect((await store.send('GET', '/readyz')).status).toBe(503)
    expect(await metricsOf(store, 'petstore_not_ready')).toMatchObject({
      'petstore_not_ready{reason="schema"}': 1,
      'petstore_not_ready{reason="database"}': 0,
    })
    const logged = () => store.logged.filter(({ message }) => message.includes('those of another version'))
    await until('the log says so', () => logged().length > 0)
    await store.database('ALTER TABLE category RENAME COLUMN description TO about')
    const replies = await Promise.all([
      store.send('GET', `/categories/${data.id}`),
      store.send('GET', '/categories'),
      store.send('POST', '/categories', { body: '{"name":"Cats"}' }),
      store.send('GET', '/readyz'),
    ])
    expect(replies.map(({ status }) => status)).toEqual([503, 503, 503, 503])
    expect(logged().map(({ fields }) => String(fields.error))).toEqual([
      expect.stringContaining('a newer petstore'),
    ])
  },
)
