import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TimeSlices } from '../../src/engine/time-slices.ts'
import { SandboxFiles } from '../../src/sandboxes/sandbox-files.ts'

test('a reset that fails keeps the commits that a killed host left in the write-ahead log', async () => {
  const root = mkdtempSync(join(tmpdir(), 'petstore-files-'))
  const files = new SandboxFiles(root, new TimeSlices())
  const file = files.storeOf('abc')
  mkdirSync(files.directoryOf('abc'))
  {
    using open = new Database(join(root, 'open.db'))
    open.run('PRAGMA journal_mode = WAL')
    open.run('CREATE TABLE commits (number INTEGER)')
    open.run('INSERT INTO commits VALUES (1)')
    // While the database is open, its log has the commits: this is what a killed host leaves.
    cpSync(join(root, 'open.db'), file)
    cpSync(join(root, 'open.db-wal'), `${file}-wal`)
  }
  const adoption = { hash: '', hint: '', generation: 1, isForeign: false }
  const filling = files.fill({ id: 'abc' }, join(root, 'missing.db'), adoption)
  expect(
    await filling.then(
      () => 'filled',
      () => 'failed',
    ),
  ).toBe('failed')
  rmSync(`${file}-wal`, { force: true })
  expect(existsSync(file)).toBe(true)
  using kept = new Database(file, { readonly: true })
  expect(kept.query('SELECT number FROM commits').all()).toEqual([{ number: 1 }])
  rmSync(root, { recursive: true })
})
