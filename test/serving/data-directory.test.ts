import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { watchFiles, watchSize } from '../../src/database/sqlite/files.ts'
import { makeClient } from '../support/client.ts'
import { run, type ServerProcess, startProcess } from '../support/process.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

/** The longest time until a deleted file is noticed. The store checks once a second, and the machine can be slow. */
const DETECTION_MS_MAX = 20_000

const directory = testFolder()

let count = 0
const newDirectory = (): string => join(directory, `data-${++count}`)

function serve(data: string): Promise<ServerProcess> {
  return startProcess(['serve', '--port', '0', '--no-demo', '--data', data], {
    PETSTORE_ADMIN_KEY: ADMIN_KEY,
  })
}

function modesIn(data: string): Record<string, string> {
  const names = ['.', ...readdirSync(data).sort()]
  return Object.fromEntries(names.map(name => [name, (statSync(join(data, name)).mode & 0o777).toString(8)]))
}

test('only its owner can access a new data directory and its files; an existing one keeps its mode', async () => {
  const data = newDirectory()
  {
    await using server = await startProcess(['serve', '--port', '0', '--no-demo', '--data', data])
    const { '.': own, ...files } = modesIn(data)
    expect(own).toBe('700')
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        'address',
        'admin-key',
        'lock',
        'petstore.db',
        'petstore.db-wal',
        'secret-key',
      ]),
    )
    expect(new Set(Object.values(files))).toEqual(new Set(['600']))
    await server.kill('SIGTERM')
  }
  const shared = newDirectory()
  mkdirSync(shared)
  chmodSync(shared, 0o750)
  await using _server = await serve(shared)
  expect(modesIn(shared)).toMatchObject({ '.': '750', 'petstore.db': '600' })
})

const removals: { name: string; gone: string; remove: (data: string) => void }[] = [
  {
    name: 'the data directory is deleted',
    // Any of its files: the check may come while the others are still being deleted.
    gone: '',
    remove: data => rmSync(data, { recursive: true }),
  },
  {
    name: 'the data directory is moved away',
    gone: 'petstore.db',
    remove: data => renameSync(data, `${data}-moved`),
  },
  {
    name: 'the database is replaced by a copy',
    gone: 'petstore.db',
    remove: data => {
      copyFileSync(databaseFile(data), `${databaseFile(data)}.copy`)
      renameSync(`${databaseFile(data)}.copy`, databaseFile(data))
    },
  },
  {
    name: 'the write-ahead log is deleted',
    gone: 'petstore.db-wal',
    remove: data => rmSync(`${databaseFile(data)}-wal`),
  },
]

for (const { name, gone, remove } of removals) {
  test(`a running store exits, and reports the reason, if ${name}`, async () => {
    const data = newDirectory()
    await using server = await serve(data)
    await makeClient({ base: server.base, key: ADMIN_KEY }).createCategory({ body: { name: 'C' } })
    remove(data)
    const late = AbortSignal.timeout(DETECTION_MS_MAX)
    const exitCode = await Promise.race([
      server.exited,
      new Promise(resolve => late.addEventListener('abort', () => resolve('still running'))),
    ])
    expect(exitCode).toBe(1)
    expect(server.logged()).toContain(`${gone} was deleted or replaced under the running store`)
  })
}

/** Returns whether a watch detects within `limitMs` that a file was replaced by another file. */
async function detectsReplacement(limitMs: number): Promise<boolean> {
  const file = join(directory, `watched-${++count}`)
  writeFileSync(file, 'old')
  writeFileSync(`${file}.new`, 'new')
  const detected = Promise.withResolvers<boolean>()
  const end = watchFiles([file], () => detected.resolve(true))
  renameSync(`${file}.new`, file)
  const timer = setTimeout(() => detected.resolve(false), limitMs)
  const result = await detected.promise
  clearTimeout(timer)
  end()
  return result
}

test('a watch of a size reports once that a file has become large', async () => {
  const file = join(directory, `large-${++count}`)
  writeFileSync(file, 'x')
  const reported: number[] = []
  const end = watchSize(file, 5, bytes => reported.push(bytes), 1)
  writeFileSync(file, 'x'.repeat(6))
  await until('the size is reported', () => reported.length === 1)
  // It stays large, and another watch that begins now reports it within as many checks.
  const later: number[] = []
  const endLater = watchSize(file, 5, bytes => later.push(bytes), 1)
  await until('the later watch reports it', () => later.length === 1)
  end()
  endLater()
  expect(reported).toEqual([6])
})

test('a watch detects that a file was replaced', async () => {
  expect(await detectsReplacement(DETECTION_MS_MAX)).toBe(true)
})

test('a store that cannot write its address file reports that in one sentence, and serves', async () => {
  const data = newDirectory()
  mkdirSync(join(data, 'address'), { recursive: true })
  await using server = await serve(data)
  const file = join(data, 'address')
  expect(server.messages()).toContain(`The address of the store cannot be written to ${file}: `)
  expect((await fetch(`${server.base}/pets`)).status).toBe(200)
  expect(await server.kill('SIGTERM')).toBe(0)
})

test('the file with the address of a store keeps its size, so that a full disk has room for it', async () => {
  const data = newDirectory()
  const size = (): number => statSync(join(data, 'address')).size
  const sizes: number[] = []
  for (let run = 0; run < 2; run++) {
    await using server = await serve(data)
    sizes.push(size())
    await server.kill('SIGTERM')
    sizes.push(size())
  }
  expect(new Set(sizes)).toEqual(new Set([512]))
  expect(readFileSync(join(data, 'address'), 'utf8').trim()).toBe('')
})

test('a write-ahead log without its database stops the start, and the start keeps the log', async () => {
  const data = newDirectory()
  {
    await using server = await serve(data)
    await makeClient({ base: server.base, key: ADMIN_KEY }).createCategory({ body: { name: 'Otters' } })
    await server.kill('SIGKILL')
  }
  const log = `${databaseFile(data)}-wal`
  const bytes = statSync(log).size
  expect(bytes).toBeGreaterThan(0)
  rmSync(databaseFile(data))
  for (const command of [
    ['serve', '--port', '0'],
    ['import', '--categories', import.meta.path],
  ]) {
    const { exitCode, errors } = await run([...command, '--data', data], { PETSTORE_ADMIN_KEY: ADMIN_KEY })
    expect([exitCode, errors]).toEqual([
      1,
      expect.stringContaining(`is missing, but ${log}, with its last changes, is there`),
    ])
  }
  expect([existsSync(databaseFile(data)), statSync(log).size]).toEqual([false, bytes])
  // Control: SQLite alone discards the log.
  {
    using database = new Database(databaseFile(data), { create: true })
    database.run('PRAGMA journal_mode = WAL')
    database.run('CREATE TABLE other (id INTEGER)')
    expect(database.query("SELECT name FROM sqlite_master WHERE name = 'category'").get()).toBeNull()
  }
  expect(existsSync(log) ? statSync(log).size : 0).toBeLessThan(bytes)
})

test('a locked data directory cannot be locked again until its lock is released', async () => {
  const { DirectoryInUse, isDirectoryLocked, lockDirectory } = await import(
    '../../src/database/sqlite/data-lock.ts'
  )
  const directory = mkdtempSync(join(tmpdir(), 'petstore-lock-'))
  expect(isDirectoryLocked(directory)).toBeFalse()
  const lock = lockDirectory(directory)
  expect(() => lockDirectory(directory)).toThrow(DirectoryInUse)
  expect(isDirectoryLocked(directory)).toBeTrue()
  lock.release()
  expect(isDirectoryLocked(directory)).toBeFalse()
  lockDirectory(directory).release()
  rmSync(directory, { recursive: true, force: true })
})
