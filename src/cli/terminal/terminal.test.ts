import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { testFolder } from '../../../test/support/test-folder.ts'
import { reasonOf } from './terminal.ts'

test('a database whose folder cannot be written gets a reason that says what to do', () => {
  const file = join(testFolder(), 'petstore.db')
  new Database(file).close()
  using database = new Database(file, { readonly: true })
  const reason = (() => {
    try {
      return database.run('CREATE TABLE pet (id)')
    } catch (error) {
      return reasonOf(error)
    }
  })()
  expect(reason).toBe(
    'its folder or its files cannot be written; copy the folder to a place that can be written, and use the copy',
  )
})
