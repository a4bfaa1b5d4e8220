import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { Migrations } from '../../src/database/migrate.ts'
import { postgresMigrations, sqliteMigrations } from '../../src/database/migrations/migrations.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { run } from '../support/process.ts'
import { newStoreDirectory } from '../support/store-directory.ts'

/** Returns the end of the message about the migrations that a database of a version lacks. */
function missingText(migrations: Migrations, version: number): string {
  const { length } = migrations.missingIn(version)
  return `${length} ${length === 1 ? 'migration is' : 'migrations are'} missing.`
}

test('migrate --check reports missing migrations, and migrate runs them, on SQLite', async () => {
  await using place = await newStoreDirectory('sqlite')
  const directory = join(place.directory, 'old')
  mkdirSync(directory)
  {
    using database = new Database(databaseFile(directory), { create: true })
    database.run(sqliteMigrations.base)
    database.run(`PRAGMA user_version = ${sqliteMigrations.baseVersion}`)
  }
  const { version: known, baseVersion } = sqliteMigrations
  const check = await run(['migrate', '--check', '--data', directory])
  expect([check.exitCode, check.errors.trim()]).toEqual([
    1,
    `The database is at version ${baseVersion} of ${known}: ${missingText(sqliteMigrations, baseVersion)}`,
  ])
  const migrated = await run(['migrate', '--data', directory])
  expect([migrated.exitCode, migrated.errors]).toEqual([
    0,
    expect.stringContaining(`The database is now at version ${known}. It was at version ${baseVersion}; `),
  ])
  const again = await run(['migrate', '--check', '--data', directory])
  expect([again.exitCode, again.errors.trim()]).toEqual([
    0,
    `The database is at version ${known}: nothing is missing.`,
  ])
})

/** More pets than a migration writes between two lines of progress. */
const PETS = 50_250

test('migrate shows how far it is while it folds the names of a large store', async () => {
  await using place = await newStoreDirectory('sqlite')
  const directory = join(place.directory, 'old')
  mkdirSync(directory)
  {
    using database = new Database(databaseFile(directory), { create: true })
    database.run(sqliteMigrations.base)
    database.run(`PRAGMA user_version = ${sqliteMigrations.baseVersion}`)
    database.run(`INSERT INTO pet WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PETS})
      SELECT i, 'Pét ' || i, 'pét ' || i, 1, 0, 0, 0, 'sold', 1, '', '' FROM n`)
  }
  const { exitCode, errors } = await run(['migrate', '--data', directory])
  expect([exitCode, errors]).toEqual([
    0,
    expect.stringMatching(/^Migrating: 50,000 of 50,250 pets\nThe database /),
  ])
  using database = new Database(databaseFile(directory))
  const wrong = `SELECT id FROM pet WHERE sort_key <> 'pet ' || id || char(1) || name_key OR NOT EXISTS
    (SELECT 1 FROM pet_word WHERE word = CAST(pet.id AS TEXT) AND pet_id = pet.id)`
  expect(database.query(wrong).all()).toEqual([])
  expect(database.query('SELECT count(*) AS words FROM pet_word').get()).toEqual({ words: 2 * PETS })
})

test.skipIf(!testedEngines.includes('postgres'))(
  'migrate --check reports missing migrations, and migrate runs them, on PostgreSQL',
  async () => {
    const url = await newDatabase()
    const known = postgresMigrations.version
    await using place = await newStoreDirectory('sqlite')
    const env = { DATABASE_URL: url, PETSTORE_DATA: place.directory }
    const check = await run(['migrate', '--check'], env)
    expect([check.exitCode, check.errors.trim()]).toEqual([
      1,
      `The database is at version 0 of ${known}: ${missingText(postgresMigrations, 0)}`,
    ])
    const migrated = await run(['migrate'], env)
    expect([migrated.exitCode, migrated.errors]).toEqual([
      0,
      expect.stringContaining(`now at version ${known}`),
    ])
    await using pool = new SQL({ url, max: 1 })
    await pool.unsafe(`INSERT INTO migration (version) VALUES (${known + 1})`)
    const newer = await run(['migrate', '--check'], env)
    expect([newer.exitCode, newer.errors]).toEqual([
      1,
      expect.stringContaining('created by a newer petstore'),
    ])
  },
)

test('a running store on SQLite is not migrated', async () => {
  await using place = await newStoreDirectory('sqlite')
  await using server = await place.start()
  await place.database(`PRAGMA user_version = ${sqliteMigrations.baseVersion}`)
  const { exitCode, errors } = await run(['migrate', '--data', place.directory])
  expect([exitCode, errors]).toEqual([1, expect.stringContaining('Stop it first, then migrate.')])
  await server.kill('SIGKILL')
})

test('a database that cannot be opened is named by its place: the data directory, or DATABASE_URL', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-migrate-'))
  writeFileSync(databaseFile(directory), 'this is not a database'.repeat(1000))
  const onSqlite = await run(['migrate', '--check', '--data', directory])
  expect([onSqlite.exitCode, onSqlite.errors]).toEqual([
    1,
    expect.stringContaining(`The database in ${directory} cannot be opened`),
  ])
  const onPostgres = await run(['migrate', '--check'], { DATABASE_URL: 'postgres://shop@127.0.0.1:1/shop' })
  expect([onPostgres.exitCode, onPostgres.errors]).toEqual([
    1,
    expect.stringContaining('The database at DATABASE_URL cannot be opened'),
  ])
  rmSync(directory, { recursive: true })
})
