import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TimeSlices } from '../../src/database/time-slices.ts'
import { SandboxFiles } from '../../src/sandboxes/host/files.ts'
import { Templates } from '../../src/sandboxes/host/templates.ts'

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
  const adoption = { id: 'abc', keyHash: '', keyHint: '', generation: 1, isForeign: false }
  const filling = files.fill(adoption, join(root, 'missing.db'))
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

test('a reset whose seed is damaged leaves no copy of it', async () => {
  const root = mkdtempSync(join(tmpdir(), 'petstore-files-'))
  const files = new SandboxFiles(join(root, 'sandboxes'), new TimeSlices())
  await files.create('abc')
  writeFileSync(join(root, 'damaged.db'), 'this is not a database'.repeat(1000))
  const adoption = { id: 'abc', keyHash: '', keyHint: '', generation: 1, isForeign: false }
  const filling = files.fill(adoption, join(root, 'damaged.db'))
  expect(await filling.catch(String)).toContain('not a database')
  expect(readdirSync(files.directoryOf('abc'))).toEqual([])
  rmSync(root, { recursive: true })
})

test('the write-ahead log of a damaged sandbox is deleted with its old content', async () => {
  const root = mkdtempSync(join(tmpdir(), 'petstore-files-'))
  const slices = new TimeSlices()
  const files = new SandboxFiles(join(root, 'sandboxes'), slices)
  await files.create('abc')
  const file = files.storeOf('abc')
  writeFileSync(`${file}-wal`, 'this is not a log'.repeat(1000))
  writeFileSync(file, 'this is not a database'.repeat(1000))
  const loadSeed = async (): Promise<void> => {}
  const templates = new Templates({
    directory: root,
    loadSeed,
    slices,
    clock: Date.now,
  })
  const adoption = { id: 'abc', keyHash: 'hash', keyHint: 'hint', generation: 1, isForeign: false }
  await files.fill(adoption, await templates.file('empty'))
  expect(readdirSync(files.directoryOf('abc'))).toEqual(['petstore.db'])
  rmSync(root, { recursive: true })
})
