import { afterEach, beforeEach, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteConnection } from '../../src/database/sqlite/connection.ts'
import { refuseWrongFiles } from '../../src/database/sqlite/database-file.ts'
import { migrateSqlite } from '../../src/database/sqlite/engine.ts'
import { LogNumber } from '../../src/database/sqlite/log-number.ts'
import { readRecord } from '../../src/database/sqlite/run-record.ts'

let directory: string
let file: string
let connection: SqliteConnection
let log: LogNumber

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'petstore-log-number-'))
  file = join(directory, 'petstore.db')
  connection = new SqliteConnection(file, { readonly: false })
  await migrateSqlite(connection)
  connection.database.run('CREATE TABLE t (x)')
  log = new LogNumber(connection, file)
})
afterEach(() => {
  connection.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Returns the numbers that the database may have. */
function notedNumbers(): number {
  return readRecord(file)?.numbers.length ?? 0
}

test('a log that was moved into the database leaves one number, another one each time', () => {
  expect(log.renew('TRUNCATE')).toBeTrue()
  const first = readFileSync(`${file}-run`, 'latin1')
  connection.database.run('INSERT INTO t VALUES (1)')
  expect(log.renew('RESTART')).toBeTrue()
  expect([notedNumbers(), readFileSync(`${file}-run`, 'latin1') === first]).toEqual([1, false])
  expect(() => refuseWrongFiles(directory)).not.toThrow()
})

test('while another process reads the log, both numbers are valid, however often the store tries again', () => {
  expect(log.renew('TRUNCATE')).toBeTrue()
  const other = new SqliteConnection(file, { readonly: true })
  other.database.run('BEGIN')
  other.database.query('SELECT count(*) FROM t').get()
  for (let attempt = 1; attempt <= 12; attempt++) {
    connection.database.run(`INSERT INTO t VALUES (${attempt})`)
    expect(log.renew('RESTART')).toBeFalse()
    expect(notedNumbers()).toBe(2)
    // A store that is killed now must open again.
    expect(() => refuseWrongFiles(directory)).not.toThrow()
  }
  other.close()
  expect(log.renew('RESTART')).toBeTrue()
  expect(notedNumbers()).toBe(1)
  expect(() => refuseWrongFiles(directory)).not.toThrow()
})

test('while another process holds the lock, the record stays whole, however often the store tries again', () => {
  expect(log.renew('TRUNCATE')).toBeTrue()
  const other = new SqliteConnection(file, { readonly: false })
  for (let attempt = 1; attempt <= 12; attempt++) {
    connection.database.run(`INSERT INTO t VALUES (${attempt})`)
    other.database.run('BEGIN IMMEDIATE')
    expect([log.renew('TRUNCATE'), notedNumbers()]).toEqual([false, 2])
    other.database.run('ROLLBACK')
  }
  other.close()
  expect([log.renew('TRUNCATE'), notedNumbers()]).toEqual([true, 1])
  expect(() => refuseWrongFiles(directory)).not.toThrow()
})

test('a store that was killed before it had written its first number opens', () => {
  writeFileSync(`${file}-run`, '')
  expect(() => refuseWrongFiles(directory)).not.toThrow()
})

test('the log of an earlier run is refused even if it has no event and not the first page of the database', () => {
  const runs = [1, 2].map(run => {
    expect(log.renew('TRUNCATE')).toBeTrue()
    log.begin()
    connection.database.run(`INSERT INTO t VALUES (${run})`)
    return readFileSync(`${file}-wal`)
  })
  const copied = join(directory, 'copied')
  mkdirSync(copied)
  for (const suffix of ['', '-run']) copyFileSync(file + suffix, join(copied, `petstore.db${suffix}`))
  const refusals = runs.map(bytes => {
    writeFileSync(join(copied, 'petstore.db-wal'), bytes)
    rmSync(join(copied, 'petstore.db-shm'), { force: true })
    try {
      refuseWrongFiles(copied)
      return 'opens'
    } catch (error) {
      return String(error)
    }
  })
  expect(refusals).toEqual([expect.stringContaining('belongs to another database'), 'opens'])
})
