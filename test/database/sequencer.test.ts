import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ReservedSQL, SQL } from 'bun'
import { batchOf } from '../../src/database/numbering/numbering.ts'
import { TotalSums } from '../../src/database/numbering/totals.ts'
import { startSequencer } from '../../src/database/postgres/sequencer.ts'
import { testedEngines } from '../support/engines.ts'
import { openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

type Run = Parameters<typeof startSequencer>[0]

const unexpected = (error: unknown): void => expect(error).toBeUndefined()

let store: TestStore
let pool: SQL

/** Runs work in a transaction of another process than that of the store. */
const inTransaction: Run = async work => {
  using connection = await pool.reserve()
  await connection.unsafe('BEGIN')
  const result = await work(connection)
  await connection.unsafe('COMMIT')
  return result
}

/** Returns a batch of one event as JSON. */
function batchText(id: number, subject: string, version: number): string {
  const type = 'petstore.category.updated'
  const event = { id: BigInt(id), type, subject, subjectVersion: BigInt(version), data: '{}', keyId: null }
  const rest = { requestId: 'test', at: '2026-01-01', traceparent: null, petId: null }
  return batchOf([{ ...event, ...rest }], new TotalSums()).events
}

async function headPosition(): Promise<number> {
  const [row] = await store.database("SELECT position FROM chain_end WHERE name = 'head'")
  return Number(row?.position)
}

describe.skipIf(!testedEngines.includes('postgres'))('the sequencer', () => {
  beforeAll(async () => {
    store = await openTestStore('postgres')
    pool = new SQL({ url: store.place.databaseUrl ?? '', max: 4, bigint: true })
  })
  afterAll(async () => {
    await pool.close()
    await store[Symbol.asyncDispose]()
  })

  test('a process is notified of events that another process has numbered', async () => {
    let moves = 0
    let isNumbering = false
    /** Numbers only when the store has numbered all events. */
    const afterTheStore: Run = async work => {
      if (isNumbering)
        await until('the store has numbered its events', async () => (await headPosition()) > before)
      return inTransaction(work)
    }
    const before = await headPosition()
    const sequencer = startSequencer(afterTheStore, () => moves++, unexpected)
    await until('the first look has ended', () => moves === 1)
    isNumbering = true
    await store.client.createCategory({ body: { name: 'Dogs' } })
    await until('the other process is notified', () => moves === 2)
    await sequencer.close()
  })

  test('the events of a large commit are numbered without a pause, in several steps', async () => {
    const before = await headPosition()
    const events = Array.from({ length: 250 }, (_, n) => batchText(1_000_000 + n, 'categories/1', 1000 + n))
    await pool.unsafe(
      `INSERT INTO event_batch (events) VALUES ${events.map(text => `('${text}')`).join(', ')}`,
    )
    // A sequencer that is closed at once ends after its first pass.
    await startSequencer(inTransaction, () => {}, unexpected).close()
    expect(await headPosition()).toBe(before + 250)
  })

  test('a process numbers events only after the positions that another process gives at the same time', async () => {
    const before = await headPosition()
    const insert = (id: number, subject: string): Promise<unknown> =>
      store.database(`INSERT INTO event_batch (events) VALUES ('${batchText(id, subject, 1)}') RETURNING id`)
    const numbered = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const slow: Run = work =>
      inTransaction(async connection => {
        const result = await work(connection)
        numbered.resolve()
        await release.promise
        return result
      })
    await insert(2_000_002, 'categories/8')
    const first = startSequencer(slow, () => {}, unexpected)
    await numbered.promise
    // This event comes first in the order of ids, and in that of subjects.
    await insert(2_000_001, 'categories/7')
    const second = startSequencer(inTransaction, () => {}, unexpected)
    await until('the second process waits', async () => {
      const [row] = await store.database(
        "SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      )
      return Number(row?.n) > 0
    })
    release.resolve()
    await Promise.all([first.close(), second.close()])
    const rows = await store.database('SELECT position FROM event WHERE id > 2000000 ORDER BY id')
    expect(rows.map(({ position }) => Number(position) - before)).toEqual([2, 1])
  })

  test('a commit is published at once, and not at the next look for events of other processes', async () => {
    const startedMs = performance.now()
    for (let round = 0; round < 5; round++) {
      const after = BigInt(await headPosition())
      const waiting = store.client.listEvents({ after, wait: 10 })
      await store.client.createCategory({ body: { name: `Cats ${round}` } })
      expect((await waiting).data.items).toHaveLength(1)
    }
    // The look for events of other processes comes once a second, so five in a row would take about five seconds.
    expect(performance.now() - startedMs).toBeLessThan(3000)
  })

  test('while another process moves the head, a process only looks, and takes over after the last move', async () => {
    const steps: string[] = []
    const heads = [
      { position: 5n, waiting: 0n },
      { position: 7n, waiting: 1n },
      { position: 7n, waiting: 1n },
    ]
    /** Answers the statements of the sequencer as a server does whose head another process has moved to 7. */
    const answer = async (text: string): Promise<unknown[]> => {
      if (text.includes('AS waiting')) {
        steps.push('look')
        return [heads.shift() ?? { position: 7n, waiting: 0n }]
      }
      steps.push(text.includes('UPDATE chain_end') ? 'lock' : 'take')
      return text.includes('UPDATE chain_end') ? [{ position: 7n, hash: '' }] : []
    }
    // Safe: the sequencer only calls `unsafe`.
    const connection = { unsafe: answer } as unknown as ReservedSQL
    const sequencer = startSequencer(
      work => work(connection),
      () => {},
      unexpected,
    )
    await until('the first look has ended', () => steps.length === 1)
    sequencer.wake()
    const wokenMs = performance.now()
    await until('the process has taken over', () => steps.includes('take'))
    await sequencer.close()
    expect(steps.slice(0, 5)).toEqual(['look', 'look', 'look', 'lock', 'take'])
    // Without a look of its own, the process would sleep for a second.
    expect(performance.now() - wokenMs).toBeLessThan(900)
  })

  test('a database that stays down is reported once, and again after it worked', async () => {
    const faults: string[] = []
    const results = ['fails', 'fails', 'fails', 'works', 'fails', 'fails']
    const failing: Run = async work => {
      const result = results.shift()
      if (result === 'fails') throw new Error('no response')
      return inTransaction(work)
    }
    const sequencer = startSequencer(
      failing,
      () => {},
      error => faults.push(String(error)),
    )
    await until('all results are used', () => {
      sequencer.wake()
      return results.length === 0
    })
    await sequencer.close()
    expect(faults).toEqual(['Error: no response', 'Error: no response'])
  })
})
