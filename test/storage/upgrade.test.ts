import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { migrations } from '../../src/engine/sqlite.ts'

test('migration 4 keeps the ends of the chain and the metadata of an older database', () => {
  using database = new Database(':memory:')
  for (const script of migrations.slice(0, 3)) database.run(script)
  database.run(`UPDATE chain SET position = 9, hash = 'h9' WHERE place = 'head'`)
  database.run(`UPDATE chain SET position = 4, hash = 'h4' WHERE place = 'horizon'`)
  database.run(`INSERT INTO note (name, value) VALUES ('secret-key', 'encrypted')`)
  for (const script of migrations.slice(3)) database.run(script)
  expect(database.query('SELECT name, position, hash FROM chain_end ORDER BY name').all()).toEqual([
    { name: 'floor', position: 4, hash: 'h4' },
    { name: 'head', position: 9, hash: 'h9' },
  ])
  expect(database.query('SELECT name, value FROM metadata').all()).toEqual([
    { name: 'secret-key', value: 'encrypted' },
  ])
})
