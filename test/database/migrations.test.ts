import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { UnsupportedVersion } from '../../src/database/migrate.ts'
import { postgresMigrations } from '../../src/database/migrations/migrations.ts'
import { parseDatabaseUrl } from '../../src/database/postgres/database-url.ts'
import { openPostgres } from '../../src/database/postgres/engine.ts'
import { executeCommand } from '../../src/shop/registry/commands.ts'
import { executeQuery } from '../../src/shop/registry/queries.ts'
import { testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'

function openOn(url: string) {
  return openPostgres({
    address: parseDatabaseUrl(url),
    commandsMax: 2,
    executeQuery,
    executeCommand,
    random: Math.random,
    onError: () => {},
    onOutage: () => {},
  })
}

test.skipIf(!testedEngines.includes('postgres'))(
  'five engines that migrate one PostgreSQL database at once all succeed',
  async () => {
    for (let database = 0; database < 10; database++) {
      const url = await newDatabase()
      const engines = await Promise.all(Array.from({ length: 5 }, () => openOn(url)))
      await using pool = new SQL({ url, bigint: true, max: 1 })
      expect([
        ...(await pool.unsafe('SELECT version FROM migration WHERE version > 0 ORDER BY version')),
      ]).toEqual(postgresMigrations.missingIn(0).map(([, version]) => ({ version: BigInt(version) })))
      for (const engine of engines) await engine.close()
    }
  },
  120_000,
)

test.skipIf(!testedEngines.includes('postgres'))(
  'a PostgreSQL database that a newer version of the store has migrated is refused',
  async () => {
    const url = await newDatabase()
    await (await openOn(url)).close()
    await using pool = new SQL({ url, bigint: true, max: 1 })
    await pool.unsafe('INSERT INTO migration (version) VALUES (99)')
    await expect(openOn(url)).rejects.toThrow(UnsupportedVersion)
  },
)
