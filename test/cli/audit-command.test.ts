import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { openSnapshot } from '../../src/cli/store-access/snapshot.ts'
import { configFrom } from '../../src/cli/store-access/store-config.ts'
import type { EventRecord } from '../../src/database/new-event.ts'
import { CHAIN_START, type ChainEntry, nextChainEntry } from '../../src/database/numbering/chain.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { type AuditReport, verifyAuditChain } from '../../src/shop/log/verification.ts'
import { parseJson, writeJson } from '../../src/values/json.ts'
import type { EngineName } from '../support/engines.ts'
import { type ProcessResult, run } from '../support/process.ts'
import { waitForPositions } from '../support/received-events.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'

/** Opens a store with 15 audit entries. The first entry records the admin key, the last entries the fifth order. */
async function openUsedStore(engine: EngineName): Promise<TestStore> {
  const store = await openTestStore(engine)
  const { client } = store
  await client.createCategory({ body: { name: 'Any' } })
  await client.createPet({ body: { name: 'Anybody', categoryId: 1n } })
  await client.setInventory({ petId: 1n, body: { quantity: 9n } })
  for (let order = 0; order < 5; order++) await client.placeOrder({ body: { petId: 1n } })
  await waitForPositions(store)
  return store
}

function audit(store: TestStore, ...args: string[]): Promise<ProcessResult> {
  const { directory, databaseUrl } = store.place
  return run(['audit', ...args, '--data', directory, ...(databaseUrl ? ['--database-url', databaseUrl] : [])])
}

async function verify({ place }: TestStore, anchor?: ChainEntry): Promise<AuditReport> {
  const { directory: data, databaseUrl } = place
  await using snapshot = await openSnapshot({ ...configFrom({}), data, databaseUrl })
  return await verifyAuditChain(snapshot.reader, anchor)
}

/** Changes the database directly, and returns the problems that the verification finds. */
async function problemsAfter(store: TestStore, ...tampering: string[]): Promise<readonly string[]> {
  for (const text of tampering) await store.database(`${text} RETURNING 1`)
  return (await verify(store)).problems
}

onEveryEngine(engine => {
  test('an unchanged audit log is reported as intact, and its anchor is still valid after more entries', async () => {
    await using store = await openUsedStore(engine)
    const first = await audit(store, 'verify')
    const anchor = /Anchor: (15:[\w-]{43})$/.exec(first.output.trim())?.[1] ?? ''
    expect([first.exitCode, first.output]).toEqual([
      0,
      `15 entries, 1 to 15, are intact. Anchor: ${anchor}\n`,
    ])
    await store.client.placeOrder({ body: { petId: 1n } })
    await waitForPositions(store)
    const second = await audit(store, 'verify', '--anchor', anchor)
    expect([second.exitCode, second.output.slice(0, 35)]).toEqual([0, '17 entries, 1 to 17, are intact. An'])
    const other = await audit(store, 'verify', '--anchor', anchor.replace('15:', '13:'))
    expect([other.exitCode, other.errors.trim()]).toEqual([
      1,
      'The audit log up to entry 13 does not match the anchor.',
    ])
  })

  test('a change to the data, key, request id, instant, subject or pet of an entry is detected', async () => {
    await using store = await openUsedStore(engine)
    for (const change of [
      `data = '{}'`,
      'key_id = 7',
      `request_id = 'x'`,
      `at = '2020-01-01T00:00:00.000Z'`,
      `subject = 'pets/2'`,
      'pet_id = 7',
    ]) {
      await store.database('CREATE TABLE spare AS SELECT * FROM event WHERE position = 5').catch(() => [])
      const column = change.split(' ')[0] ?? ''
      const problems = await problemsAfter(store, `UPDATE event SET ${change} WHERE position = 5`)
      expect([change, problems.length, problems[0]?.startsWith('Entry 5 ')]).toEqual([change, 1, true])
      await store.database(
        `UPDATE event SET ${column} = (SELECT ${column} FROM spare) WHERE position = 5 RETURNING 1`,
      )
    }
    expect(await problemsAfter(store)).toEqual([])
  })

  test('missing entries are detected: in the middle, at the end and at the beginning', async () => {
    await using store = await openUsedStore(engine)
    expect(await problemsAfter(store, 'DELETE FROM event WHERE position IN (6, 7)')).toEqual([
      'Entries 6 to 7 are missing.',
    ])
    expect(await problemsAfter(store, 'DELETE FROM event WHERE position = 15')).toEqual([
      'Entries 6 to 7 are missing.',
      'Entry 15 is missing.',
    ])
    expect((await problemsAfter(store, 'DELETE FROM event WHERE position = 1'))[0]).toBe(
      'Entry 1 is missing.',
    )
  })

  test('an inserted entry is detected, after the end or in the middle', async () => {
    await using store = await openUsedStore(engine)
    const copy = (id: string, position: string): string =>
      `INSERT INTO event (id, position, hash, type, subject, subject_version, data, key_id, request_id, at)
       SELECT ${id}, ${position}, hash, type, subject, subject_version, data, key_id, request_id, at
       FROM event WHERE position = 5`
    expect(await problemsAfter(store, copy('777', '16'))).toEqual([
      'Entry 16 is outside the chain: it was inserted.',
    ])
    const shifted = await problemsAfter(
      store,
      'UPDATE event SET position = position + 1000 WHERE position > 5',
      copy('778', '6'),
      'UPDATE event SET position = position - 999 WHERE position > 1000',
    )
    expect(shifted[0]).toStartWith('Entry 6 ')
  })

  test('an audit log that was rewritten as a whole is detected by an anchor, and by nothing else', async () => {
    await using store = await openUsedStore(engine)
    const { head } = await verify(store)
    await rewrite(store)
    expect((await verify(store)).problems).toEqual([])
    expect((await verify(store, head)).problems).toEqual([
      'The audit log up to entry 15 does not match the anchor.',
    ])
  })

  test('the export has one line of JSON per entry, and the chain can be verified from it', async () => {
    await using store = await openUsedStore(engine)
    const { exitCode, output } = await audit(store, 'export')
    const lines = output.trim().split('\n')
    expect([exitCode, lines.length]).toEqual([0, 15])
    let last = CHAIN_START
    for (const line of lines) {
      const entry = Exported.parse(parseJson(line))
      last = nextChainEntry(last, { ...entry, data: writeJson(entry.data), at: entry.at })
      expect({ position: entry.position, hash: entry.hash }).toEqual(last)
    }
  })
})

test('a damaged database is reported in one line', async () => {
  await using place = await newStoreDirectory('sqlite')
  await place.use(client => client.createCategory({ body: { name: 'Dogs' } }))
  const [{ rootpage = 0, size = 0 } = {}] = await place.database(
    `SELECT rootpage, page_size AS size FROM sqlite_master, pragma_page_size WHERE name = 'event'`,
  )
  const bytes = readFileSync(databaseFile(place.directory))
  bytes.fill('x', (Number(rootpage) - 1) * Number(size), Number(rootpage) * Number(size))
  writeFileSync(databaseFile(place.directory), bytes)
  const { exitCode, errors } = await run(['audit', 'verify', '--data', place.directory], place.env)
  expect([exitCode, errors]).toEqual([1, 'The database reports: database disk image is malformed.\n'])
})

test('an invalid anchor is reported in one line', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-audit-'))
  const wrong = await run(['audit', 'verify', '--data', directory, '--anchor', '15'])
  rmSync(directory, { recursive: true })
  expect([wrong.exitCode, wrong.errors.trim().split('\n').length]).toEqual([2, 1])
})

const Exported = z.object({
  position: z.bigint(),
  hash: z.string(),
  id: z.bigint(),
  type: z.string(),
  subject: z.string(),
  subjectVersion: z.bigint(),
  at: z.string(),
  keyId: z.bigint().nullable(),
  requestId: z.string(),
  traceparent: z.string().nullable().default(null),
  data: z.unknown(),
})

/**
 * Changes the log like an attacker that can compute the chain: entry 5 gets a new request id, and all hashes are
 * computed again.
 */
async function rewrite(store: TestStore): Promise<void> {
  await store.database(`UPDATE event SET request_id = 'somebody-else' WHERE position = 5 RETURNING 1`)
  const rows = await store.database('SELECT * FROM event ORDER BY position')
  let last = CHAIN_START
  for (const row of rows) {
    last = nextChainEntry(last, recordOf(row))
    await store.database(
      `UPDATE event SET hash = '${last.hash}' WHERE position = ${last.position} RETURNING 1`,
    )
  }
  await store.database(`UPDATE chain_end SET hash = '${last.hash}' WHERE name = 'head' RETURNING 1`)
}

const Row = z.object({
  id: z.bigint(),
  type: z.string(),
  subject: z.string(),
  subject_version: z.bigint(),
  data: z.string(),
  key_id: z.bigint().nullable(),
  request_id: z.string(),
  at: z.string(),
  traceparent: z.string().nullable(),
})

function recordOf(row: unknown): EventRecord {
  const { subject_version, key_id, request_id, ...rest } = Row.parse(row)
  return { ...rest, subjectVersion: subject_version, keyId: key_id, requestId: request_id }
}
