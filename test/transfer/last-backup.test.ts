import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newCopyPlace } from '../support/copy-place.ts'
import { metricsOf } from '../support/metrics.ts'
import { run, type ServerProcess } from '../support/process.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'
import { newStoreDirectory } from '../support/store-directory.ts'

const headers = { Authorization: `Bearer ${ADMIN_KEY}` }

/** What the dashboard gets. */
async function stateOf({ base }: Pick<ServerProcess, 'base'>): Promise<Record<string, unknown>> {
  const state: unknown = await (await fetch(`${base}/console/backups`, { headers })).json()
  // Safe: the response is an object, and each member is compared.
  return state as Record<string, unknown>
}

onEveryEngine(engine => {
  test('a backup of the command is recorded, of a running and a stopped store, and no failed one is', async () => {
    await using place = await newStoreDirectory(engine)
    const backups = join(place.directory, 'backups')
    const backUp = async (name: string, ...more: string[]): Promise<{ exitCode: number; at: string }> => {
      const to = join(backups, name)
      // The command has no key: a record must not need one.
      const env = { ...place.env, PETSTORE_ADMIN_KEY: '' }
      const { exitCode } = await run(['backup', '--to', to, '--data', place.directory, ...more], env)
      const manifest = join(to, 'manifest.json')
      return {
        exitCode,
        at: existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).createdAt : '',
      }
    }
    let running = ''
    {
      await using server = await place.start()
      expect(await stateOf(server)).toMatchObject({
        lastBackupAt: null,
        restoredAt: null,
        engine,
        isFileOffered: engine === 'sqlite',
        since: expect.stringMatching(/^20/),
      })
      running = (await backUp('running')).at
      expect((await stateOf(server)).lastBackupAt).toBe(running)
      expect((await backUp('running')).exitCode).toBe(1)
      expect((await stateOf(server)).lastBackupAt).toBe(running)
      const metrics = ['petstore_last_backup', 'petstore_last_audit_check', 'petstore_audit_log_intact']
      const backedUp = {
        petstore_last_backup_timestamp_seconds: Date.parse(running) / 1000,
        petstore_last_audit_check_timestamp_seconds: Date.parse(running) / 1000,
        petstore_audit_log_intact: 1,
      }
      expect(await metricsOf(server, ...metrics)).toEqual(backedUp)
      expect((await run(['audit', 'verify', '--data', place.directory], place.env)).exitCode).toBe(0)
      const verified = await metricsOf(server, ...metrics)
      expect(verified.petstore_last_backup_timestamp_seconds).toBe(Date.parse(running) / 1000)
      const checkedAt = verified.petstore_last_audit_check_timestamp_seconds ?? 0
      expect(checkedAt).toBeGreaterThan(backedUp.petstore_last_audit_check_timestamp_seconds)
      expect(checkedAt).toBeLessThanOrEqual(Date.now() / 1000)
      if (engine === 'postgres') {
        const { status } = await fetch(`${server.base}/console/backups/one`, { method: 'PUT', headers })
        expect(status).toBe(503)
      }
      await server.kill('SIGTERM')
    }
    const stopped = await backUp('stopped')
    expect(stopped.at > running).toBe(true)
    await using server = await place.start()
    expect((await stateOf(server)).lastBackupAt).toBe(stopped.at)
    await server.kill('SIGTERM')
    // The restored store has the backup that it was made from, and not a later one.
    using restored = await newCopyPlace(engine)
    await run(['restore', '--from', join(backups, 'running'), '--to', restored.name])
    await using again = await restored.serve(place.env.PETSTORE_SECRET_KEY_FILE)
    expect(await stateOf(again)).toMatchObject({ lastBackupAt: running, restoredAt: expect.any(String) })
    const keep = ['--empty', '--yes', '--keep-keys', '--data', place.directory]
    expect((await run(['reset', ...keep], place.env)).exitCode).toBe(0)
    await using empty = await place.start()
    expect((await stateOf(empty)).lastBackupAt).toBeNull()
  })
})
