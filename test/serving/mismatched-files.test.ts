import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { makeClient } from '../support/client.ts'
import { run, startProcess } from '../support/process.ts'
import { makePet } from '../support/shop.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'

const root = testFolder()

const env = { PETSTORE_ADMIN_KEY: ADMIN_KEY, PETSTORE_LOG_LEVEL: 'error' }
const argsOf = (data: string): string[] => ['serve', '--data', data, '--port', '0', '--no-demo']
const start = (data: string) => startProcess(argsOf(data), env)

/** Starts a store, adds a pet with its stock, and kills the store or stops it. */
async function addPet(
  data: string,
  signal: 'SIGKILL' | 'SIGTERM',
  during?: () => Promise<void>,
): Promise<void> {
  await using server = await start(data)
  await makePet(makeClient({ base: server.base, key: ADMIN_KEY }), { quantity: 3n })
  await during?.()
  await server.kill(signal)
}

/** Returns a hash of the database of a directory, and of each file that belongs to it. */
function contentOf(directory: string): Record<string, string> {
  const names = readdirSync(directory).filter(
    name => name.startsWith('petstore.db') && !name.endsWith('-shm'),
  )
  return Object.fromEntries(names.map(name => [name, `${Bun.hash(readFileSync(join(directory, name)))}`]))
}

async function countPets(data: string): Promise<number> {
  await using server = await start(data)
  const { data: page } = await makeClient({ base: server.base }).listPets({})
  await server.kill('SIGTERM')
  return page.items.length
}

test('a database that was put in the place of a killed one is refused, and its log is left as it is', async () => {
  const data = join(root, 'replaced')
  await addPet(data, 'SIGTERM')
  const copied = join(root, 'nightly.db')
  copyFileSync(join(data, 'petstore.db'), copied)
  const backup = join(root, 'backup')
  await addPet(data, 'SIGKILL', async () => {
    expect((await run(['backup', '--data', data, '--to', backup])).exitCode).toBe(0)
  })
  for (const [index, older] of [copied, join(backup, 'petstore.db')].entries()) {
    const place = `${data}-${index}`
    cpSync(data, place, { recursive: true })
    copyFileSync(older, join(place, 'petstore.db'))
    rmSync(join(place, 'petstore.db-shm'), { force: true })
    const before = contentOf(place)
    for (const args of [
      argsOf(place),
      ['keys', 'list', '--data', place],
      ['backup', '--data', place, '--to', `${place}-b`],
    ]) {
      const { exitCode, errors } = await run(args, env)
      expect([args[0], exitCode]).toEqual([args[0] ?? '', 1])
      expect(errors).toContain('was replaced, and')
    }
    expect(contentOf(place)).toEqual(before)
    // The file to which the log belongs is good again.
    copyFileSync(join(data, 'petstore.db'), join(place, 'petstore.db'))
    expect(await countPets(place)).toBe(2)
  }
})

test('an older copy or a backup in the place of a stopped store is refused until the number is deleted', async () => {
  const data = join(root, 'stopped')
  await addPet(data, 'SIGTERM')
  const [copied, backup] = [join(root, 'stopped.db'), join(root, 'stopped-backup')]
  copyFileSync(join(data, 'petstore.db'), copied)
  await addPet(data, 'SIGTERM', async () => {
    expect((await run(['backup', '--data', data, '--to', backup])).exitCode).toBe(0)
  })
  const newest = readFileSync(join(data, 'petstore.db'))
  for (const older of [copied, join(backup, 'petstore.db')]) {
    copyFileSync(older, join(data, 'petstore.db'))
    const before = contentOf(data)['petstore.db']
    for (const args of [
      argsOf(data),
      ['doctor', '--data', data],
      ['reset', '--empty', '--yes', '--data', data],
    ]) {
      const { exitCode, errors, output } = await run(args, env)
      expect([args[0], exitCode]).toEqual([args[0] ?? '', 1])
      expect(errors + output).toContain('was replaced by another file')
      expect(errors + output).not.toContain('    at ')
    }
    expect(contentOf(data)['petstore.db']).toBe(before)
  }
  writeFileSync(join(data, 'petstore.db'), newest)
  expect(await countPets(data)).toBe(2)
  copyFileSync(copied, join(data, 'petstore.db'))
  rmSync(join(data, 'petstore.db-run'))
  expect(await countPets(data)).toBe(1)
})

test('a copy of the database that was made earlier in the same run is refused too', async () => {
  const data = join(root, 'same-run')
  const copied = join(root, 'same-run.db')
  const description = 'x'.repeat(2000)
  {
    await using server = await start(data)
    const client = makeClient({ base: server.base, key: ADMIN_KEY })
    copyFileSync(join(data, 'petstore.db'), copied)
    // More than the size at which the log is moved into the database.
    for (let wave = 0; wave < 60; wave++) {
      const names = Array.from({ length: 100 }, (_, index) => `Category ${wave} ${index}`)
      await Promise.all(names.map(name => client.createCategory({ body: { name, description } })))
    }
    await server.kill('SIGKILL')
  }
  const place = `${data}-replaced`
  cpSync(data, place, { recursive: true })
  copyFileSync(copied, join(place, 'petstore.db'))
  rmSync(join(place, 'petstore.db-shm'), { force: true })
  const before = contentOf(place)
  for (const args of [
    argsOf(place),
    ['export', 'pets', '--data', place],
    ['audit', 'verify', '--data', place],
    ['migrate', '--check', '--data', place],
    ['copy', '--from', place, '--to', `${place}-copy`],
  ]) {
    const { exitCode, errors } = await run(args, env)
    expect([args[0], exitCode === 0, errors]).toEqual([
      args[0] ?? '',
      false,
      expect.stringContaining('was replaced, and'),
    ])
  }
  expect(contentOf(place)).toEqual(before)
  await using server = await start(data)
  const summary = await makeClient({ base: server.base, key: ADMIN_KEY }).listCategories({
    limit: 1,
    sort: '-id',
  })
  expect(summary.data.items[0]?.id).toBe(6000n)
})

test('two directories with one database cannot be served at once', async () => {
  const [first, second] = [join(root, 'one'), join(root, 'two')]
  await using _ = await start(first)
  mkdirSync(second)
  symlinkSync(join(first, 'petstore.db'), join(second, 'petstore.db'))
  copyFileSync(join(first, 'secret-key'), join(second, 'secret-key'))
  const { exitCode, errors } = await run(argsOf(second), env)
  expect([exitCode, errors]).toEqual([1, expect.stringContaining('is in use by another petstore process')])
})

test('control: SQLite alone applies the log of one database to another one', async () => {
  const data = join(root, 'unchecked')
  await addPet(data, 'SIGTERM')
  const older = readFileSync(join(data, 'petstore.db'))
  await addPet(data, 'SIGKILL')
  writeFileSync(join(data, 'petstore.db'), older)
  rmSync(join(data, 'petstore.db-shm'), { force: true })
  const database = new Database(join(data, 'petstore.db'))
  database.query('SELECT count(*) FROM sqlite_master').get()
  database.close()
  expect(existsSync(join(data, 'petstore.db-wal'))).toBe(false)
  expect(readFileSync(join(data, 'petstore.db')).equals(older)).toBe(false)
})

test('a store that is killed at any moment of its start opens again', async () => {
  const data = join(root, 'killed')
  await addPet(data, 'SIGKILL')
  for (const delayMs of [20, 60, 100, 140, 180, 220, 260]) {
    const child = Bun.spawn([process.execPath, 'src/main.ts', ...argsOf(data)], {
      env: { ...process.env, ...env },
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await Bun.sleep(delayMs)
    child.kill('SIGKILL')
    await child.exited
  }
  await addPet(data, 'SIGKILL')
  expect(await countPets(data)).toBe(2)
})

test('a damaged database keeps its write-ahead log when a start fails', async () => {
  const data = join(root, 'damaged')
  await addPet(data, 'SIGKILL')
  const file = join(data, 'petstore.db')
  const bytes = readFileSync(file)
  // The log has the first page, and not those of the tables.
  bytes.fill(0xff, 4096)
  writeFileSync(file, bytes)
  rmSync(join(data, 'petstore.db-shm'), { force: true })
  const before = contentOf(data)
  expect(Object.keys(before)).toContain('petstore.db-wal')
  const { exitCode, errors } = await run(argsOf(data), env)
  expect([exitCode, errors]).toEqual([1, expect.stringContaining('cannot be opened')])
  expect(contentOf(data)).toEqual(before)
})

test('an empty or missing database of a directory that had a store is no new shop', async () => {
  const data = join(root, 'emptied')
  await addPet(data, 'SIGTERM')
  const file = join(data, 'petstore.db')
  const saved = join(root, 'emptied.db')
  copyFileSync(file, saved)
  truncateSync(file)
  for (const args of [
    argsOf(data),
    ['import', '--data', data, '--categories', 'demo/categories.csv'],
    ['backup', '--data', data, '--to', join(root, 'none')],
  ]) {
    const { exitCode, errors } = await run(args, env)
    expect([args[0], exitCode]).toEqual([args[0] ?? '', 1])
    expect(errors).toContain('is empty, although')
  }
  expect((await run(['doctor', '--data', data])).output).toMatch(/FAIL .*is empty, although/)
  rmSync(file)
  const missing = await run(argsOf(data), env)
  expect(missing.errors).toMatch(
    /is missing, although .*petstore\.db-run and .*secret-key are there: .* move those files away/,
  )
  const dryRun = ['import', '--dry-run', '--data', data, '--categories', 'demo/categories.csv']
  const checked = await run(dryRun, env)
  expect([checked.exitCode, checked.errors.split('\n').length]).toEqual([1, 2])
  expect(checked.errors).toContain('is missing, although')
  // The two ways out that the message names.
  copyFileSync(saved, file)
  expect(await countPets(data)).toBe(1)
  rmSync(file)
  for (const name of ['petstore.db-run', 'secret-key']) rmSync(join(data, name), { force: true })
  expect(await countPets(data)).toBe(0)
})

test('a first start that was interrupted before its tables were created starts again', async () => {
  const data = join(root, 'interrupted')
  mkdirSync(data)
  writeFileSync(join(data, 'petstore.db'), '')
  writeFileSync(join(data, 'admin-key'), `${ADMIN_KEY}\n`)
  expect(await countPets(data)).toBe(0)
})

test('a database on another disk can be linked, and a log that was left next to the link is not lost', async () => {
  const data = join(root, 'linked')
  const disk = join(root, 'disk')
  mkdirSync(disk)
  await addPet(data, 'SIGKILL')
  for (const name of ['petstore.db', 'petstore.db-run']) renameSync(join(data, name), join(disk, name))
  symlinkSync(join(disk, 'petstore.db'), join(data, 'petstore.db'))
  const refused = await run(argsOf(data), env)
  expect(refused.errors).toContain('move it next to')
  renameSync(join(data, 'petstore.db-wal'), join(disk, 'petstore.db-wal'))
  expect(await countPets(data)).toBe(1)
  expect((await run(['backup', '--data', data, '--to', join(root, 'linked-backup')])).exitCode).toBe(0)
  rmSync(join(disk, 'petstore.db'))
  expect((await run(argsOf(data), env)).errors).toContain('is its disk mounted?')
})

/** Changes the name of a pet in an index, but not in its row. */
function damageIndex(database: Database): void {
  const file = database.filename
  const found = database
    .query<{ rootpage: number }, []>(
      "SELECT rootpage FROM sqlite_master WHERE type = 'index' AND name LIKE 'pet_by_name%'",
    )
    .get()
  const name = database.query<{ name_key: string }, []>('SELECT name_key FROM pet').get()?.name_key ?? ''
  database.close()
  const bytes = readFileSync(file)
  const at = bytes.indexOf(name, (Number(found?.rootpage) - 1) * 4096)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  writeFileSync(file, bytes)
}

test('a backup of a store with a damaged page fails, and leaves nothing', async () => {
  const data = join(root, 'damage')
  await addPet(data, 'SIGTERM')
  damageIndex(new Database(join(data, 'petstore.db')))
  const to = join(root, 'damage-backup')
  const { exitCode, errors } = await run(['backup', '--data', data, '--to', to])
  expect([exitCode, existsSync(to), errors]).toEqual([1, false, expect.stringContaining('damaged')])
})

test.skipIf(process.getuid?.() !== 0)(
  'a command of the superuser leaves no file that the owner of the directory cannot open',
  async () => {
    const data = join(root, 'owned')
    await addPet(data, 'SIGTERM')
    const { uid, gid } = { uid: 65_534, gid: 65_534 }
    for (const name of ['lock', 'address']) rmSync(join(data, name), { force: true })
    spawnSync('chown', ['-R', `${uid}:${gid}`, data])
    chownSync(data, uid, gid)
    for (const args of [
      ['keys', 'list'],
      ['keys', 'reset-admin', '--yes'],
      ['import', '--categories', 'demo/categories.csv'],
    ])
      await run([...args, '--data', data])
    expect(readdirSync(data).filter(name => statSync(join(data, name)).uid !== uid)).toEqual([])
  },
)
