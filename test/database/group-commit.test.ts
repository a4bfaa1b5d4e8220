import { expect, test } from 'bun:test'
import { StoreError } from '../../src/contract/error.ts'
import { storageFull } from '../../src/contract/refusals.ts'
import type { Tx } from '../../src/database/engine.ts'
import type { NewEvent } from '../../src/database/new-event.ts'
import { readHead } from '../../src/database/numbering/head.ts'
import { BatchWriter } from '../../src/database/sqlite/group-commit.ts'
import { sql } from '../../src/database/statement.ts'
import { openFailingConnection, sqliteError } from '../support/failing-connection.ts'

const insertText = `
  INSERT INTO category (id, name, name_key, description, pet_count, version, created_at, updated_at)
  VALUES ($id, $name, $name, NULL, 0, 1, '', '')`
const insert = sql()(insertText)
/** The same insert, but not marked as a write, for the control. */
const insertUnmarked = { ...sql()(`${insertText} RETURNING id`), writes: false }

const event: NewEvent = {
  id: 0n,
  type: 't',
  subject: 's',
  subjectVersion: 1n,
  data: '{}',
  keyId: null,
  requestId: 'r',
  at: '',
  traceparent: null,
  petId: null,
}

type Kind = 'good' | 'refused early' | 'refused half-way'

/** Takes an id, writes a row and returns the id. Refusals are thrown before or after the write, depending on `kind`. */
async function executeCommand(tx: Tx, kind: Kind): Promise<bigint> {
  if (kind === 'refused early') throw new StoreError('insufficient_stock', 'none left')
  const id = await tx.nextId('category')
  await tx.run(insert, { id, name: kind })
  tx.appendEvent({ ...event, id: await tx.nextId('event') }, { rows: 1n })
  if (kind === 'refused half-way') throw new StoreError('insufficient_stock', 'none left')
  return id
}

async function executeUnmarked(tx: Tx, kind: Kind): Promise<bigint> {
  const id = await tx.nextId('category')
  await tx.one(insertUnmarked, { id, name: kind })
  if (kind !== 'good') throw new StoreError('insufficient_stock', 'none left')
  return id
}

/** Commits the batches one after the other. Returns the outcomes, the stored rows and the total as one text. */
async function commitAll(
  batches: Kind[][],
  execute: (tx: Tx, kind: Kind) => Promise<bigint>,
): Promise<string> {
  using opened = openFailingConnection()
  const { connection } = opened
  const writer = new BatchWriter(connection, execute)
  const outcomes: string[] = []
  for (const batch of batches) {
    for (const outcome of await writer.commit(batch)) {
      outcomes.push('reply' in outcome ? String(outcome.reply) : 'refusal' in outcome ? 'no' : 'fault')
    }
  }
  const rows = connection.many(
    sql<{ id: bigint; name: string }>()('SELECT id, name FROM category ORDER BY id'),
  )
  const total = connection.one(sql<{ value: bigint }>()(`SELECT value FROM total WHERE name = 'rows'`))
  return `${outcomes.join(' ')} | ${rows.map(({ id, name }) => `${id} ${name}`).join(', ')} | ${total?.value}`
}

const batches: Kind[][] = [
  ['good', 'refused early', 'good'],
  ['good', 'refused half-way', 'good', 'refused early', 'refused half-way', 'good'],
  ['refused half-way', 'good'],
]

test('a refusal in a batch undoes its own command, uses no id, and changes no total', async () => {
  expect(await commitAll(batches, executeCommand)).toBe(
    '1 no 2 3 no 4 no no 5 no 6 | 1 good, 2 good, 3 good, 4 good, 5 good, 6 good | 6',
  )
})

test('the next batch is asked for when all commands of a batch have run, and before they are durable', async () => {
  const steps: string[] = []
  using opened = openFailingConnection()
  const { connection } = opened
  const writer = new BatchWriter(connection, async () => steps.push('command'))
  await writer.commit(['one', 'two'], () => steps.push(connection.inTransaction ? 'ask' : 'ask too late'))
  expect(steps).toEqual(['command', 'command', 'ask'])
})

test('control: a write that is not marked as a write, so that a refusal does not undo it, is detected', async () => {
  expect(await commitAll(batches, executeUnmarked)).toContain('refused early')
})

test('after a batch that failed at its commit, ids, positions and totals continue as before it', async () => {
  using opened = openFailingConnection()
  const { connection, failing } = opened
  const writer = new BatchWriter(failing, async (tx, kind: Kind) => {
    const id = await executeCommand(tx, kind)
    return `${id}`
  })
  await writer.commit(['good', 'good'])
  failing.failures.set('COMMIT', storageFull())
  for (const outcome of await writer.commit(['good', 'refused early', 'good']))
    expect(outcome).toMatchObject({ refusal: { code: 'storage_full' } })
  // The record beside the database must not name what was not committed.
  expect(writer.committed).toBe(2n)
  failing.failures.clear()
  await writer.commit(['good'])
  const head = connection.one(readHead)
  const total = connection.one(sql<{ value: bigint }>()(`SELECT value FROM total WHERE name = 'rows'`))
  const categories = connection.many(sql<{ id: bigint }>()('SELECT id FROM category ORDER BY id'))
  expect([head?.position, total?.value, ...categories.map(({ id }) => id)]).toEqual([3n, 3n, 1n, 2n, 3n])
})

test('only the events of commands that succeed take positions, with and without savepoints', async () => {
  using opened = openFailingConnection()
  const { connection } = opened
  const writer = new BatchWriter(connection, executeCommand)
  const positionAfter = async (batch: Kind[]): Promise<bigint | undefined> => {
    await writer.commit(batch)
    return connection.one(readHead)?.position
  }
  expect(await positionAfter(['good', 'refused early', 'good'])).toBe(2n)
  expect(await positionAfter(['good', 'refused half-way', 'good'])).toBe(4n)
  // The batches after a refusal half-way run with savepoints.
  expect(await positionAfter(['refused early', 'good', 'refused half-way'])).toBe(5n)
})

test('an I/O error at a commit ends the writer, because nobody knows whether the commit is durable', async () => {
  using opened = openFailingConnection()
  const { failing } = opened
  const writer = new BatchWriter(failing, executeCommand)
  failing.failures.set('COMMIT', sqliteError('SQLITE_IOERR_FSYNC'))
  await expect(writer.commit(['good'])).rejects.toThrow('SQLITE_IOERR_FSYNC')
})
