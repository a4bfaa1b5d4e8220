import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startNightlyBackups } from '../../src/cli/backup-files/nightly-backups.ts'
import { configFrom } from '../../src/cli/store-access/store-config.ts'
import { metricsOf } from '../support/metrics.ts'
import { run } from '../support/process.ts'
import { makePet } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'
import { until } from '../support/until.ts'

const DAY_MS = 86_400_000

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
    expect.stringMatching(/^petstore-20\d\d-\d\d-\d\dT\d\d-\d\d-\d\dZ$/),
    ['notes.txt'],
  ])
  await server.kill('SIGTERM')
  const restored = join(place.directory, 'restored')
  expect((await run(['restore', '--from', join(backups, name), '--to', restored])).exitCode).toBe(0)
  copyFileSync(join(place.directory, 'secret-key'), join(restored, 'secret-key'))
  expect((await run(['doctor', '--data', restored])).exitCode).toBe(0)
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
      ...{ config: configFrom({ data }), directory, log, clock: () => nowMs },
      ...{ firstCheckMs: 1, checkEveryMs: 5 },
    })
  // The disk of the backups is not mounted.
  const failing = start()
  await until('it failed', () => failing.counts.failed === 1)
  await failing.stop()
  expect(lines.pop()).toContain('is its disk mounted?')
  mkdirSync(directory)
  const backups = start()
  await until('the first night', () => backups.counts.saved === 1)
  nowMs += 6 * 3_600_000
  await Bun.sleep(100)
  expect(readdirSync(directory)).toEqual(['petstore-2026-11-29T12-00-00Z'])
  nowMs += DAY_MS
  await until('the second night', () => backups.counts.saved === 2)
  await store.database(`UPDATE event SET data = '{}' WHERE position = 1`)
  nowMs += DAY_MS
  await until('the third night', () => backups.counts.damaged === 1)
  await backups.stop()
  expect(readdirSync(directory)).toHaveLength(3)
  expect(backups.counts).toEqual({ saved: 2, damaged: 1, failed: 0 })
  expect(lines.at(-1)).toContain('the audit log of the store was changed')
})

test('a start refuses a place for backups that cannot be one', async () => {
  await using place = await newStoreDirectory('sqlite')
  const inData = await run(['serve', ...place.args], { ...place.env, PETSTORE_BACKUPS: place.directory })
  expect([inData.exitCode, inData.errors]).toEqual([
    1,
    expect.stringContaining('must not be the data directory'),
  ])
  const env = { ...place.env, PETSTORE_BACKUPS: '/tmp', DATABASE_URL: 'postgres://shop@127.0.0.1:9/shop' }
  const onPostgres = await run(['serve', ...place.args], env)
  expect([onPostgres.exitCode, onPostgres.errors]).toEqual([1, expect.stringContaining('for PostgreSQL')])
})
