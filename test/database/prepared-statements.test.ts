import { describe, expect, test } from 'bun:test'
import type { Reader } from '../../src/database/engine.ts'
import type { PostgresOptions } from '../../src/database/postgres/engine.ts'
import { PREPARED_MAX } from '../../src/database/sqlite/connection.ts'
import { dynamicSql, type ParametersOf, type Statement, sql } from '../../src/database/statement.ts'
import type { Reply } from '../../src/shop/kernel/idempotency.ts'
import type { Command } from '../../src/shop/registry/commands.ts'
import type { Query } from '../../src/shop/registry/queries.ts'
import { executeQuery } from '../../src/shop/registry/run.ts'
import { testedEngines } from '../support/engines.ts'
import { seeded } from '../support/seeded.ts'
import { makePet } from '../support/shop.ts'
import { openTestStore, type TestStore } from '../support/store.ts'
import { randomListPath } from './list-queries.ts'

/**
 * The maximum number of statements that a connection may prepare. A connection would prepare more if the SQL text of a
 * list depended on the page limit or on the number of filter values.
 */
const NAMED_MAX = 120
/** The maximum number of texts of all lists together. */
const TEXTS_MAX = 300
const REQUESTS = 1600
const PROBE = 'probe'
const PROBES = 80

const findPrepared = sql<{ pid: bigint; statements: bigint; waited: unknown }>()(`
  SELECT CAST(pg_backend_pid() AS BIGINT) AS pid, count(*) AS statements, pg_sleep(0.02) AS waited
  FROM pg_prepared_statements`)

/** Returns the highest number of statements that a connection of a pool has prepared. */
async function maxPrepared(probe: () => Promise<{ pid: bigint; statements: bigint }>): Promise<number> {
  const counts = await Promise.all(Array.from({ length: PROBES }, probe))
  expect(new Set(counts.map(({ pid }) => pid)).size).toBeGreaterThan(1)
  return Math.max(...counts.map(({ statements }) => Number(statements)))
}

async function probe(reader: Reader): Promise<{ pid: bigint; statements: bigint }> {
  const row = await reader.one(findPrepared)
  if (!row) throw new Error('the database returned no count')
  return row
}

/** A reader that passes statements on to another reader, and records their texts. */
class RecordingReader implements Reader {
  readonly #reading: Reader
  readonly #texts: Set<string>

  constructor(reader: Reader, texts: Set<string>) {
    this.#reading = reader
    this.#texts = texts
  }

  one<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Row | undefined | Promise<Row | undefined> {
    this.#texts.add(statement.text)
    return this.#reading.one(statement, ...parameters)
  }

  many<Row, Name extends string>(
    statement: Statement<Row, Name>,
    ...parameters: ParametersOf<Name>
  ): Row[] | Promise<Row[]> {
    this.#texts.add(statement.text)
    return this.#reading.many(statement, ...parameters)
  }
}

/**
 * Returns a function that runs lists and records their texts. A query with the base PROBE gets the result of a probe.
 */
const executeRecorded =
  (texts: Set<string>): PostgresOptions<Query, Command, Reply>['executeQuery'] =>
  async (reader, query) => {
    if (query.base !== PROBE) return executeQuery(new RecordingReader(reader, texts), query)
    const { pid, statements } = await probe(reader)
    return { status: 200, body: `${pid} ${statements}` }
  }

async function probeScans({ engine }: TestStore): Promise<{ pid: bigint; statements: bigint }> {
  const { body } = await engine.readLong({ id: 'listPets', input: {}, now: '', base: PROBE, keyId: null })
  const [pid = '0', statements = '0'] = (body ?? '').split(' ')
  return { pid: BigInt(pid), statements: BigInt(statements) }
}

/** Sends random lists, each followed by its next page if there is one. Returns the number of successful requests. */
async function sendLists(store: TestStore, requests: number): Promise<number> {
  const random = seeded(20_261_121)
  let succeeded = 0
  const client = async (): Promise<void> => {
    for (let sent = 0; sent < requests / 8; sent++) {
      let path: string | undefined = randomListPath(random)
      for (let pages = 0; pages < 2 && path !== undefined; pages++) {
        const reply = await store.send('GET', path)
        if (reply.status === 200) succeeded++
        await reply.arrayBuffer()
        const next: string | undefined = /<([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1]
        path = next?.slice(store.base.length)
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  return succeeded
}

async function createRows({ client }: TestStore): Promise<void> {
  for (let index = 0; index < 30; index++) {
    const { petId } = await makePet(client, { quantity: 9n })
    await client.placeOrder({ body: { petId, quantity: 1n, shipDate: '2027-01-01T00:00:00Z' } })
  }
}

describe.skipIf(!testedEngines.includes('postgres'))('on PostgreSQL', () => {
  test('a connection keeps few prepared statements, however many different lists are read', async () => {
    const texts = new Set<string>()
    await using store = await openTestStore('postgres', { executeQuery: executeRecorded(texts) })
    await createRows(store)
    expect(await sendLists(store, REQUESTS)).toBeGreaterThan(REQUESTS)
    expect(await maxPrepared(() => probeScans(store))).toBeLessThan(NAMED_MAX)
    expect(await maxPrepared(() => store.engine.readShort(probe))).toBeLessThan(NAMED_MAX)
    // SQLite also prepares these texts, and has room for all of them.
    expect(TEXTS_MAX).toBeLessThan(PREPARED_MAX)
    expect(texts.size).toBeGreaterThan(100)
    expect(texts.size).toBeLessThan(TEXTS_MAX)
  }, 120_000)

  test('control: lists that are read through named statements are detected', async () => {
    await using store = await openTestStore('postgres')
    const read = store.engine.readShort
    const random = seeded(1)
    for (let count = 0; count < 600; count++) {
      const ids = Array.from({ length: 1 + random.below(100) }, () => 1n)
      const limit = 1 + random.below(100)
      const statement = dynamicSql(
        place => `SELECT id FROM pet WHERE id IN (${ids.map(place)}) LIMIT ${limit}`,
      )
      await Promise.all(Array.from({ length: 8 }, () => read(async reader => reader.many(statement))))
    }
    expect(await maxPrepared(() => read(probe))).toBeGreaterThan(NAMED_MAX)
  }, 120_000)
})
