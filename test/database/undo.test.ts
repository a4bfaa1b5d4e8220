import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineTarget } from '../../src/cli/import/target.ts'
import { sqliteMigrations } from '../../src/database/migrations/migrations.ts'
import { SqliteConnection } from '../../src/database/sqlite/connection.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { openSqlite } from '../../src/database/sqlite/engine.ts'
import { dynamicSql } from '../../src/database/statement.ts'
import { draftEnd } from '../../src/files/draft.ts'
import { openEngine } from '../../src/serving/open.ts'
import type { Command } from '../../src/shop/registry/commands.ts'
import { replyForms } from '../../src/shop/registry/run.ts'
import { openSqliteTarget } from '../../src/transfer/sqlite-copy.ts'
import { storeTables } from '../../src/transfer/tables.ts'

const countStaged = dynamicSql<{ count: bigint }>(() => 'SELECT count(*) AS count FROM staged_row')
const quiet = { access: () => {}, info: () => {}, error: () => {} }
const open = (directory: string, canUndo: boolean) =>
  openEngine({ directory, log: quiet, canUndo, onFatal: reason => expect(reason).toBe('') })

/** Stages rows of an import. Returns the size of the write-ahead log after that. */
async function stage(
  engine: Awaited<ReturnType<typeof open>>,
  directory: string,
  groups: number,
): Promise<number> {
  const target = engineTarget(engine, Date.now, 'test')
  const description = 'x'.repeat(1900)
  for (let group = 0; group < groups; group++) {
    const categories = Array.from({ length: 500 }, (_, index) => {
      const line = BigInt(group * 500 + index + 1)
      return { line, name: `Category ${line}`, description }
    })
    await target.stage({ categories, pets: [] })
  }
  return statSync(`${databaseFile(directory)}-wal`).size
}

test('a store that was opened for an import drops all of its commits without needing space', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-undo-'))
  const first = await open(directory, false)
  await engineTarget(first, Date.now, 'test').stage({ categories: [{ line: 1n, name: 'Kept' }], pets: [] })
  await first.close()
  const file = databaseFile(directory)
  const bytes = statSync(file).size
  const engine = await open(directory, true)
  // More than the size at which the log of a shop is moved into its database.
  expect(await stage(engine, directory, 40)).toBeGreaterThan(40 * 1024 * 1024)
  await engine.undo?.()
  expect([statSync(file).size, existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([
    bytes,
    false,
    false,
  ])
  const again = await open(directory, false)
  const row = await again.readShort(async reader => reader.one(countStaged))
  expect(row?.count).toBe(1n)
  await again.close()
  rmSync(directory, { recursive: true })
})

test('a store whose log has earlier commits has no undo, so that a failed import keeps them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-undo-'))
  const first = await open(directory, false)
  await engineTarget(first, Date.now, 'test').stage({ categories: [{ line: 1n, name: 'Kept' }], pets: [] })
  // Another process reads, so the log cannot be moved into the database.
  const file = databaseFile(directory)
  const other = new Database(file, { readonly: true })
  other.run('BEGIN')
  other.query('SELECT count(*) FROM staged_row').get()
  await engineTarget(first, Date.now, 'test').stage({
    categories: [{ line: 1n, name: 'Kept too' }],
    pets: [],
  })
  await first.close().catch(() => {})
  const second = await open(directory, true)
  expect(second.undo).toBeUndefined()
  other.close()
  await second.close()
  const third = await open(directory, true)
  expect(third.undo).toBeDefined()
  expect((await third.readShort(async reader => reader.one(countStaged)))?.count).toBe(2n)
  await third.close()
  rmSync(directory, { recursive: true })
})

test('the write-ahead log of a store that serves has a bounded size', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-undo-'))
  const engine = await open(directory, false)
  // As many rows as fill a log of more than 40 MiB if nothing is moved.
  expect(await stage(engine, directory, 40)).toBeLessThan(38 * 1024 * 1024)
  await engine.close()
  rmSync(directory, { recursive: true })
})

test('a store that was opened for an import, and from which nothing was read, drops its commits', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-undo-'))
  await (await open(directory, false)).close()
  const engine = await openSqlite<never, Command, never>({
    shared: replyForms,
    directory,
    writer: new URL('../../src/serving/sqlite-writer.ts', import.meta.url),
    reader: new URL('../../src/serving/sqlite-reader.ts', import.meta.url),
    onFatal: reason => expect(reason).toBe(''),
    canUndo: true,
  })
  const body = { categories: [{ line: 1n, name: 'Dropped' }], pets: [] }
  const now = new Date().toISOString()
  const context = { now, caller: { keyId: 1n, scopes: ['admin' as const] }, requestId: 'test' }
  await engine.execute({ id: 'stageImport', input: { importId: 1n, body }, context })
  await engine.undo?.()
  const again = await open(directory, false)
  expect((await again.readShort(async reader => reader.one(countStaged)))?.count).toBe(0n)
  await again.close()
  rmSync(directory, { recursive: true })
})

test('the copy of a store replaces an empty store together with its write-ahead log', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-undo-'))
  await (await open(directory, false)).close()
  // While this connection is open, the log of the empty store stays.
  const connection = new SqliteConnection(databaseFile(directory), { readonly: false })
  connection.database.run('PRAGMA user_version = 1')
  connection.database.run(`PRAGMA user_version = ${sqliteMigrations.version}`)
  expect(existsSync(`${databaseFile(directory)}-wal`)).toBeTrue()
  const target = await openSqliteTarget(directory, storeTables())
  await target.readBack()
  await target.publish()
  expect(existsSync(`${databaseFile(directory)}-wal`)).toBeFalse()
  connection.close()
  rmSync(directory, { recursive: true })
})

test('a copy does not use or keep the files that a copy left which was killed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-undo-'))
  const draft = databaseFile(directory) + draftEnd(999_999_999)
  writeFileSync(draft, 'half of a database'.repeat(1000))
  const target = await openSqliteTarget(directory, storeTables())
  await target.readBack()
  await target.publish()
  expect(readdirSync(directory)).toEqual(['petstore.db'])
  rmSync(directory, { recursive: true })
})
