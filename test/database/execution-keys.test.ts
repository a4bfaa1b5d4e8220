import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { type ReservedSQL, SQL } from 'bun'
import { Executions } from '../../src/database/postgres/executions.ts'
import { DAY_MS } from '../../src/values/time-zone.ts'
import { testedEngines } from '../support/engines.ts'
import { newMigratedDatabase } from '../support/postgres-server.ts'

const NOW = Date.parse('2026-06-01T12:00:00Z')
/** A sweep follows each of these many commands that have ended. */
const SWEEP_EVERY = 500

let pool: SQL

async function use<T>(work: (connection: ReservedSQL) => Promise<T>): Promise<T> {
  using connection = await pool.reserve()
  return await work(connection)
}

/** The keys of the commands in the table, in order: process, then number. */
async function storedKeys(): Promise<string[]> {
  const rows = await pool.unsafe<{ key: string }[]>(
    "SELECT process || ' ' || number AS key FROM execution ORDER BY process, number",
  )
  return rows.map(({ key }) => key.replace(/^\d+ /, ''))
}

/** Returns the commands of a new process. */
function newProcess(clock: () => number = () => NOW) {
  return new Executions(use, clock)
}

describe.skipIf(!testedEngines.includes('postgres'))('the keys of commands on PostgreSQL', () => {
  beforeAll(async () => {
    pool = new SQL({ url: await newMigratedDatabase(), max: 2, bigint: true })
  })
  afterAll(() => pool.close())
  beforeEach(async () => {
    await pool.unsafe('DELETE FROM execution')
  })

  test('a sweep keeps the key of the oldest command that runs, and all later ones', async () => {
    const executions = newProcess()
    const [ended, running, ...others] = Array.from({ length: SWEEP_EVERY + 1 }, () => executions.start())
    if (!ended || !running) throw new Error('no command was started')
    for (const { insertion } of [ended, running]) await pool.unsafe(insertion)
    executions.end(ended)
    for (const other of others) executions.end(other)
    await executions.close()
    expect(await storedKeys()).toEqual(['2'])
  })

  test('once all commands have ended, no key of the process is left', async () => {
    const executions = newProcess()
    const started = [executions.start(), executions.start()]
    for (const { insertion } of started) await pool.unsafe(insertion)
    for (const execution of started) executions.end(execution)
    await executions.close()
    expect(await storedKeys()).toEqual([])
  })

  test('a process deletes the keys of other processes only once they are seven days old', async () => {
    for (const [number, days] of [
      [71, 8],
      [61, 6],
    ] as const) {
      const at = new Date(NOW - days * DAY_MS).toISOString()
      await pool.unsafe(`INSERT INTO execution (process, number, at) VALUES (1, ${number}, '${at}')`)
    }
    await newProcess().close()
    expect(await storedKeys()).toEqual(['61'])
  })

  test('only a conflict in the table of the keys means that a command has committed', async () => {
    const execution = newProcess().start()
    await pool.unsafe(execution.insertion)
    const errorOf = (text: string): Promise<unknown> =>
      pool.unsafe(text).then(
        () => 'no error',
        error => error,
      )
    const conflict = await errorOf(execution.insertion)
    const other = await errorOf(
      "INSERT INTO counter (noun, last) SELECT noun, 0 FROM counter WHERE noun = 'pet'",
    )
    expect(String(other)).toContain('duplicate key')
    expect([execution.hasCommitted(conflict), execution.hasCommitted(other)]).toEqual([true, false])
  })
})
