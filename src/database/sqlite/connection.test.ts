import { expect, test } from 'bun:test'
import { SqliteConnection } from './connection.ts'

test('a file on which commits cannot be durable is refused', () => {
  // A database in memory has no write-ahead log, like a file on some network file systems.
  expect(() => new SqliteConnection(':memory:', { readonly: false })).toThrow(
    'refused WAL with synchronous=FULL',
  )
})
