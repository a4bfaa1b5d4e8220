import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DATABASE_FILE } from '../../src/cli/backup-files/backup-manifest.ts'
import { makeBackup } from '../../src/cli/backup-files/make-backup.ts'
import { startNightlyBackups } from '../../src/cli/backup-files/nightly-backups.ts'
import { configFrom } from '../../src/cli/store-access/store-config.ts'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { draftEnd } from '../../src/files/draft.ts'
import { settleStoreId } from '../../src/serving/first-start.ts'
import { backupSqlite } from '../../src/transfer/sqlite-backup.ts'
import { DAY_MS } from '../../src/values/time-zone.ts'
import { metricsOf } from '../support/metrics.ts'
import { run } from '../support/process.ts'
import { makePet } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'

test('a served store backs itself up into PETSTORE_BACKUPS, says so, and the backup restores it', async () => {
  await using place = await newStoreDirectory('sqlite')
  const backups = join(place.directory, 'backups')
  mkdirSync(backups)
  writeFileSync(join(backups, 'notes.txt'), 'Mine')
  await using server = await place.startWith({ ...place.env, PETSTORE_BACKUPS: backups })
  await makePet(place.client(server))
  const saved = 'petstore_nightly_backups_total{result="saved"}'
  await until('a backup is made', async () => (await metricsOf(server, 'petstore_nightly'))[saved] === 1)
  const { petstore_last_backup_timestamp_seconds: at = 0 } = await metricsOf(server, 'petstore_last_backup')
  expect(Date.now() / 1000 - at).toBeLessThan(60)
  const [name = '', ...others] = readdirSync(backups).sort().reverse()
  expect([name, others]).toEqual([
    expect.stringMatching(/^petstore-[0-9a-f]{8}-20\d\d-\d\d-\d\dT\d\d-\d\d-\d\dZ$/),
    ['notes.txt'],
  ])
  await server.kill('SIGTERM')
  const restored = join(place.directory, 'restored')
  expect((await run(['restore', '--from', join(backups, name), '--to', restored])).exitCode).toBe(0)
  copyFileSync(join(place.directory, 'secret-key'), join(restored, 'secret-key'))
  expect((await run(['doctor', '--data', restored])).exitCode).toBe(0)
})

test('the name of a store in its backups is chosen once', async () => {
  await using store = await openTestStore('sqlite')
  const id = await settleStoreId(store.engine, Date.now)
  expect(id).toMatch(/^[0-9a-f]{8}$/)
  expect(await settleStoreId(store.engine, Date.now)).toBe(id)
})

test('each night gets one backup, also after a failure, and a changed audit log is reported', async () => {
  await using store = await openTestStore('sqlite')
  await makePet(store.client)
  const { directory: data } = store.place
  const directory = join(data, 'nightly')
  const lines: string[] = []
  const log = {
    access: () => {},
    info: (_: object, message: string) => lines.push(message),
    error: (fields: object, message: string) => lines.push(`${message}: ${JSON.stringify(fields)}`),
  }
  let nowMs = Date.parse('2026-11-29T12:00:00Z')
  const start = () =>
    startNightlyBackups({
      config: configFrom({ data }),
      directory,
      storeId: '00c0ffee',
      log,
      clock: () => nowMs,
      firstCheckMs: 1,
      checkEveryMs: 5,
    })
  // The disk of the backups is not mounted.
  const failing = start()
  await until('it failed', () => failing.counts.failed === 1)
  await failing.stop()
  expect(lines.pop()).toContain('is its disk mounted?')
  // A backup of another store of that night, and a directory of somebody else.
  const others = ['petstore-00000000-2026-11-29T12-00-00Z', 'petstore-00c0ffee-2026-11-20T12-00-00Z']
  for (const name of others) mkdirSync(join(directory, name), { recursive: true })
  const backups = start()
  await until('the first night', () => backups.counts.saved === 1)
  nowMs += 6 * 3_600_000
  await Bun.sleep(100)
  expect(readdirSync(directory).sort()).toEqual([...others, 'petstore-00c0ffee-2026-11-29T12-00-00Z'].sort())
  nowMs += DAY_MS
  // A backup that cannot be recorded is made all the same.
  rmSync(join(data, 'last-backup'))
  mkdirSync(join(data, 'last-backup'))
  await until('the second night', () => backups.counts.saved === 2)
  rmSync(join(data, 'last-backup'), { recursive: true })
  await store.database(`UPDATE event SET data = '{}' WHERE position = 1`)
  nowMs += DAY_MS
  await until('the third night', () => backups.counts.damaged === 1)
  await backups.stop()
  expect(readdirSync(directory)).toHaveLength(5)
  expect(backups.counts).toEqual({ saved: 2, damaged: 1, failed: 0 })
  expect(lines.at(-1)).toContain('the audit log of the store was changed')
})

test('a directory that vanishes while a backup is made fails the backup, and the store serves on', async () => {
  await using place = await newStoreDirectory('sqlite')
  const backups = join(place.directory, 'stick')
  mkdirSync(backups)
  await using server = await place.startWith({ ...place.env, PETSTORE_BACKUPS: backups })
  const failed = 'petstore_nightly_backups_total{result="failed"}'
  await until(
    'a backup failed',
    async () => {
      // A draft lives for some milliseconds: the directory goes whenever there is one.
      if (readdirSync(place.directory).includes('stick') && readdirSync(backups).length > 0)
        rmSync(backups, { recursive: true, force: true })
      return existsSync(backups) ? false : (await metricsOf(server, failed))[failed] === 1
    },
    20_000,
  )
  await makePet(place.client(server))
  expect(await server.kill('SIGTERM')).toBe(0)
}, 30_000)

test('a start refuses a directory in which a restore was interrupted, and repeating the restore works', async () => {
  await using place = await newStoreDirectory('sqlite')
  await place.use(client => makePet(client))
  const [backup, target] = [join(place.directory, 'backup'), join(place.directory, 'target')]
  await run(['backup', '--to', backup, '--data', place.directory], place.env)
  mkdirSync(target)
  // A process that was killed has left its draft.
  writeFileSync(join(target, `petstore.db${draftEnd(4_194_303)}`), 'half')
  const refused = await run(['serve', '--port', '0', '--data', target], place.env)
  expect([refused.exitCode, refused.errors]).toEqual([
    1,
    expect.stringContaining('was interrupted: repeat it'),
  ])
  expect((await run(['restore', '--from', backup, '--to', target])).exitCode).toBe(0)
})

test('a backup that does not read back as it was written gets no name, and leaves no draft', async () => {
  await using store = await openTestStore('sqlite')
  const directory = join(store.place.directory, 'backups')
  const to = join(directory, 'monday')
  const named: boolean[] = []
  const making = makeBackup({
    to,
    signal: new AbortController().signal,
    copyDatabase: async draft => {
      const task = { from: databaseFile(store.place.directory), to: join(draft, DATABASE_FILE) }
      const facts = await backupSqlite(task, { signal: new AbortController().signal, onBytes: () => {} })
      return { facts, engine: 'sqlite' }
    },
    verify: async draft => {
      named.push(existsSync(to))
      throw new Error(`the disk of ${basename(draft)} is damaged`)
    },
  })
  await expect(making).rejects.toThrow('is damaged')
  expect([named, readdirSync(directory)]).toEqual([[false], []])
})
