import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { postgresMigrations, sqliteMigrations } from '../../src/database/migrations/migrations.ts'
import { parseDatabaseUrl } from '../../src/database/postgres/database-url.ts'
import { openPostgres } from '../../src/database/postgres/engine.ts'
import { executeCommand, executeQuery } from '../../src/shop/registry/run.ts'
import { newCopyPlace, placeOf } from '../support/copy-place.ts'
import { type EngineName, testedEngines } from '../support/engines.ts'
import { EXPANDS_VARIABLE, laterScripts, STEP_FAILS_VARIABLE } from '../support/later-migrations.ts'
import { LaterPetstore } from '../support/later-petstore.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { run, startProcess } from '../support/process.ts'
import { makePet } from '../support/shop.ts'
import { onEveryEngine, type RawRow } from '../support/store.ts'
import { contentOf } from '../support/store-content.ts'
import { newStoreDirectory, type StoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'

const LIMIT_MS = 120_000

let later: LaterPetstore
beforeAll(() => {
  later = new LaterPetstore()
})
afterAll(() => later[Symbol.dispose]())

/** Returns a place with a stopped store that has a pet, Anybody, and an order for it. */
async function newUsedStore(engine: EngineName): Promise<StoreDirectory> {
  const place = await newStoreDirectory(engine)
  await using server = await place.start()
  await makePet(place.client(server), { quantity: 2n, reserved: 1n })
  await server.kill('SIGTERM')
  return place
}

/** Runs two commands on a database on PostgreSQL. Neither goes on until both wait for a lock. */
async function whileTableIsLocked<T>({ env, database }: StoreDirectory, both: () => Promise<T>): Promise<T> {
  await using pool = new SQL({ url: env.DATABASE_URL ?? '', max: 1 })
  const { running } = await pool.begin(async transaction => {
    await transaction.unsafe('LOCK TABLE category IN ACCESS EXCLUSIVE MODE')
    const running = both()
    await until('both wait', async () => {
      const waiting = await database(`
        SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
      return waiting.length === 2
    })
    // In an object, because a promise would be awaited before the lock is released.
    return { running }
  })
  return await running
}

onEveryEngine(engine => {
  const { baseVersion, version } = engine === 'sqlite' ? sqliteMigrations : postgresMigrations
  const laterVersion = version + laterScripts.length

  /** Returns the number of the last migration of a store. */
  async function versionOf({ database }: Pick<StoreDirectory, 'database'>): Promise<unknown> {
    const [row = {}] = await database(
      engine === 'sqlite' ? 'PRAGMA user_version' : 'SELECT max(version) FROM migration',
    )
    return Object.values(row)[0]
  }

  async function setVersion({ database }: StoreDirectory, number: number): Promise<void> {
    if (engine === 'sqlite') await database(`PRAGMA user_version = ${number}`)
    else {
      await database(`DELETE FROM migration WHERE version < ${version} RETURNING 1`)
      await database(`UPDATE migration SET version = ${number} RETURNING 1`)
    }
  }

  /** Throws unless a store has the rows of before its migration, the new columns, and what the step wrote. */
  async function expectMigrated(
    place: Pick<StoreDirectory, 'database'>,
    { pet = [], category = [] }: Record<string, RawRow[]>,
  ): Promise<void> {
    expect(await versionOf(place)).toBe(BigInt(laterVersion))
    expect(await place.database('SELECT * FROM pet')).toEqual(
      pet.map(row => ({ ...row, nickname: 'ydobynA' })),
    )
    expect(await place.database('SELECT * FROM category')).toEqual(
      category.map(row => ({ ...row, colour: null })),
    )
  }

  test(
    'a start migrates the store of an earlier version, which keeps every row and is used as before',
    async () => {
      await using place = await newUsedStore(engine)
      const before = await contentOf(place)
      {
        const args = ['serve', '--port', '0', ...place.args]
        await using server = await startProcess(args, place.env, later.script)
        await expectMigrated(place, before)
        const client = place.client(server)
        const { data: pets } = await client.listPets({})
        const [pet] = pets.items
        await client.placeOrder({ body: { petId: pet?.id ?? 0n } })
        expect((await client.listOrders({})).data.items).toHaveLength(2)
        await server.kill('SIGTERM')
      }
      const { exitCode, output } = await later.run(['doctor', '--data', place.directory], place.env)
      expect([exitCode, output]).toEqual([0, expect.stringContaining(`at version ${laterVersion}`)])
    },
    LIMIT_MS,
  )

  test(
    'only a start and "petstore migrate" migrate a store: every other command refuses it until then',
    async () => {
      await using place = await newUsedStore(engine)
      const before = await contentOf(place)
      const csv = join(place.directory, 'categories.csv')
      writeFileSync(csv, 'name\nOtters\n')
      const target = join(place.directory, 'target')
      const data = ['--data', place.directory]
      for (const words of [
        ['keys', 'list', ...data],
        ['keys', 'create', '--name', 'till', '--scope', 'orders:read', ...data],
        ['keys', 'revoke', '1', ...data],
        ['keys', 'reset-admin', ...data],
        ['import', '--categories', csv, '--dry-run', ...data],
        ['import', '--categories', csv, ...data],
        ['export', 'pets', ...data],
        ['reset', '--empty', '--yes', ...data],
        ['copy', '--from', placeOf(place).name, '--to', target],
        ...(engine === 'postgres' ? [['backup', '--to', target, ...data]] : []),
      ]) {
        const { exitCode, output, errors } = await later.run(words, place.env)
        expect([words.join(' '), exitCode, output, errors]).toEqual([
          words.join(' '),
          1,
          '',
          expect.stringContaining('run "petstore migrate", or start the store once.'),
        ])
        if (words[0] === 'backup') expect(errors).toContain('use the petstore that wrote it, or pg_dump.')
      }
      const doctor = await later.run(['doctor', ...data], place.env)
      expect([doctor.exitCode, doctor.output]).toEqual([1, expect.stringContaining('run "petstore migrate"')])
      const check = await later.run(['migrate', '--check', ...data], place.env)
      const missing = `The database is at version ${version} of ${laterVersion}: 2 migrations are missing.`
      expect([check.exitCode, check.errors.trim()]).toEqual([1, missing])
      expect([await versionOf(place), await contentOf(place)]).toEqual([BigInt(version), before])
      const migrated = await later.run(['migrate', ...data], place.env)
      expect([migrated.exitCode, migrated.errors]).toEqual([
        0,
        expect.stringContaining(
          `Migrating: 1 pets\nThe database is now at version ${laterVersion}. It was at version ${version}; `,
        ),
      ])
      await expectMigrated(place, before)
      const again = await later.run(['migrate', '--check', ...data], place.env)
      const nothing = `The database is at version ${laterVersion}: nothing is missing.`
      expect([again.exitCode, again.errors.trim()]).toEqual([0, nothing])
    },
    LIMIT_MS,
  )

  test(
    'a later version that only expands the tables is served by this one, before and after; any other is not',
    async () => {
      for (const expands of [true, false]) {
        await using place = await newUsedStore(engine)
        const migrate = async () => {
          const env = { ...place.env, ...(expands && { [EXPANDS_VARIABLE]: 'yes' }) }
          expect((await later.run(['migrate', '--data', place.directory], env)).exitCode).toBe(0)
        }
        if (engine === 'postgres') {
          // Another process migrates while this one serves.
          await using server = await place.start()
          await migrate()
          expect((await fetch(`${server.base}/readyz`)).status).toBe(expands ? 200 : 503)
          if (expands) await place.client(server).placeOrder({ body: { petId: 1n } })
          await server.kill('SIGTERM')
        } else await migrate()
        const started = await place.start().then(
          async server => {
            await using _ = server
            const { data } = await place.client(server).listOrders({})
            await server.kill('SIGTERM')
            return data.items.length > 0
          },
          () => false,
        )
        expect([expands, started, await versionOf(place)]).toEqual([expands, expands, BigInt(laterVersion)])
      }
    },
    LIMIT_MS,
  )

  test(
    'two processes that migrate one store at once run each script once',
    async () => {
      await using place = await newUsedStore(engine)
      const before = await contentOf(place)
      const migrate = () => later.run(['migrate', '--data', place.directory], place.env)
      const both = () => Promise.all([migrate(), migrate()])
      const results = await (engine === 'sqlite' ? both() : whileTableIsLocked(place, both))
      // Only one process at a time can have the data directory of a store on SQLite.
      const others = results.filter(
        ({ exitCode, errors }) => exitCode !== 0 && !errors.includes('Stop it first, then migrate.'),
      )
      expect(others).toEqual([])
      expect(results.some(({ exitCode }) => exitCode === 0)).toBeTrue()
      if (engine === 'postgres') expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0])
      await expectMigrated(place, before)
    },
    LIMIT_MS,
  )

  test(
    'a step that fails undoes its script, and the next migration goes on from there',
    async () => {
      await using place = await newUsedStore(engine)
      const before = await contentOf(place)
      const args = ['migrate', '--data', place.directory]
      const { exitCode, errors } = await later.run(args, { ...place.env, [STEP_FAILS_VARIABLE]: 'yes' })
      expect([exitCode, errors]).toEqual([1, expect.stringContaining('the step failed')])
      // On SQLite each script is a transaction, on PostgreSQL all of them are one.
      expect(await versionOf(place)).toBe(BigInt(engine === 'sqlite' ? laterVersion - 1 : version))
      expect((await contentOf(place)).pet).toEqual(before.pet)
      expect((await later.run(args, place.env)).exitCode).toBe(0)
      await expectMigrated(place, before)
    },
    LIMIT_MS,
  )

  test(
    'a restore migrates a backup of an earlier version',
    async () => {
      await using place = await newUsedStore(engine)
      const before = await contentOf(place)
      const backup = join(place.directory, 'backup')
      // On SQLite, a later version backs up a store that it has not migrated.
      const program = engine === 'sqlite' ? later : { run }
      const saved = await program.run(['backup', '--to', backup, '--data', place.directory], place.env)
      expect([saved.exitCode, saved.errors]).toEqual([0, expect.stringContaining('Backed up')])
      using restored = await newCopyPlace(engine)
      expect((await later.run(['restore', '--from', backup, '--to', restored.name])).exitCode).toBe(0)
      await expectMigrated(restored, before)
    },
    LIMIT_MS,
  )

  test.each([
    ['an unknown earlier', baseVersion - 1, 'orders, keys, webhooks and the audit log are not moved.'],
    ['a later', version + 1, 'created by a newer petstore'],
  ])(
    'a store of %s version is refused by every command, and is not changed',
    async (_, number, reason) => {
      await using place = await newUsedStore(engine)
      await setVersion(place, number)
      const before = await contentOf(place)
      const target = join(place.directory, 'target')
      const commands = [
        ['serve', '--port', '0'],
        ['migrate'],
        ['migrate', '--check'],
        ['doctor'],
        ['audit', 'verify'],
        ['keys', 'list'],
        ['export', 'pets'],
        ['backup', '--to', target],
        ['reset', '--empty', '--yes'],
      ]
      for (const args of [
        ...commands.map(words => [...words, '--data', place.directory]),
        ['copy', '--from', placeOf(place).name, '--to', target],
      ]) {
        const { exitCode, output, errors } = await run(args, place.env)
        expect([args.join(' '), exitCode, output + errors]).toEqual([
          args.join(' '),
          1,
          expect.stringContaining(reason.replace(/\.$/, '')),
        ])
      }
      await using other = await newUsedStore('sqlite')
      const copied = await run(['copy', '--from', other.directory, '--to', placeOf(place).name])
      const tables = `tables of version ${number}, not ${version}. Nothing was copied.`
      expect([copied.exitCode, copied.errors]).toEqual([1, expect.stringContaining(tables)])
      expect([await versionOf(place), await contentOf(place)]).toEqual([BigInt(number), before])
    },
    LIMIT_MS,
  )
})

test.skipIf(!testedEngines.includes('postgres'))(
  'five engines that migrate one PostgreSQL database at once all succeed',
  async () => {
    const open = (url: string) =>
      openPostgres({
        address: parseDatabaseUrl(url),
        commandsMax: 2,
        executeQuery,
        executeCommand,
        random: Math.random,
        onError: () => {},
        onOutage: () => {},
      })
    for (let database = 0; database < 10; database++) {
      const url = await newDatabase()
      const engines = await Promise.all(Array.from({ length: 5 }, () => open(url)))
      await using pool = new SQL({ url, bigint: true, max: 1 })
      expect([
        ...(await pool.unsafe('SELECT version FROM migration WHERE version > 0 ORDER BY version')),
      ]).toEqual(postgresMigrations.missingIn(0).map(([, version]) => ({ version: BigInt(version) })))
      for (const engine of engines) await engine.close()
    }
  },
  LIMIT_MS,
)
