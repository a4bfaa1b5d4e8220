import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresMigrations } from '../../src/database/migrations/migrations.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { countText } from '../../src/values/count-text.ts'
import { testedEngines } from '../support/engines.ts'
import { LaterPetstore } from '../support/later-petstore.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { run } from '../support/process.ts'
import { newStoreDirectory } from '../support/store-directory.ts'

test.skipIf(!testedEngines.includes('postgres'))(
  'migrate creates the tables of an empty PostgreSQL database',
  async () => {
    const url = await newDatabase()
    const known = postgresMigrations.version
    const lack = countText(postgresMigrations.scripts.length, 'migration is', 'migrations are')
    await using place = await newStoreDirectory('sqlite')
    const env = { DATABASE_URL: url, PETSTORE_DATA: place.directory }
    const check = await run(['migrate', '--check'], env)
    expect([check.exitCode, check.errors.trim()]).toEqual([
      1,
      `The database is at version 0 of ${known}: ${lack} missing.`,
    ])
    const migrated = await run(['migrate'], env)
    expect([migrated.exitCode, migrated.errors]).toEqual([
      0,
      expect.stringContaining(`now at version ${known}`),
    ])
  },
)

test('a running store on SQLite is not migrated', async () => {
  await using place = await newStoreDirectory('sqlite')
  await using server = await place.start()
  using later = new LaterPetstore()
  const { exitCode, errors } = await later.run(['migrate', '--data', place.directory])
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
