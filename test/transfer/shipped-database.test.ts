import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { chmodSync, existsSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../support/process.ts'
import { makePet } from '../support/shop.ts'
import { newStoreDirectory } from '../support/store-directory.ts'

test('a database that Litestream restored becomes a private store without its tables', async () => {
  await using place = await newStoreDirectory('sqlite')
  const [shipped, restored] = [join(place.directory, 'shipped.db'), join(place.directory, 'restored')]
  {
    await using server = await place.start()
    await makePet(place.client(server), { quantity: 2n })
    // As Litestream restores it: the file of a running store, for everybody to read, with tables of its own.
    await place.database(`VACUUM INTO '${shipped}'`)
    chmodSync(shipped, 0o644)
    using file = new Database(shipped)
    for (const name of ['_litestream_seq', '_litestream_lock']) file.run(`CREATE TABLE ${name} (id INTEGER)`)
    await server.kill('SIGTERM')
  }
  const restore = (from: string, to: string) => run(['restore', '--from-litestream', from, '--to', to])
  const done = await restore(shipped, restored)
  expect([done.exitCode, done.errors]).toEqual([0, expect.stringContaining('new ids skip 1,000,000 numbers')])
  const file = join(restored, 'petstore.db')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  {
    using database = new Database(file, { readonly: true })
    expect(database.query(`SELECT name FROM sqlite_master WHERE name LIKE '%litestream%'`).all()).toEqual([])
  }
  expect((await run(['audit', 'verify', '--data', restored])).exitCode).toBe(0)
  const both = await run(['restore', '--from', shipped, '--from-litestream', shipped, '--to', restored])
  expect([both.exitCode, both.errors]).toEqual([2, expect.stringContaining('one of')])
  // A file that was cut, one of another program, and one whose audit log was changed: nothing is restored.
  const cut = join(place.directory, 'cut.db')
  await Bun.write(cut, Bun.file(shipped))
  truncateSync(cut, statSync(cut).size - 8192)
  const text = join(place.directory, 'text.db')
  writeFileSync(text, 'no database')
  const changed = join(place.directory, 'changed.db')
  await Bun.write(changed, Bun.file(shipped))
  {
    using database = new Database(changed)
    database.run(`UPDATE event SET data = '{}' WHERE position = 1`)
  }
  for (const [from, reason] of [
    [cut, 'malformed'],
    [text, 'not a database'],
    [changed, 'its audit log is not intact'],
    [join(place.directory, 'none.db'), 'none.db'],
  ] as const) {
    const target = join(place.directory, 'not-restored')
    const refused = await restore(from, target)
    expect([refused.exitCode, refused.errors]).toEqual([1, expect.stringContaining(reason)])
    expect(existsSync(join(target, 'petstore.db'))).toBe(false)
  }
})
