import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDirectory, reserveFile, writeWholeFile } from './private-file.ts'

let directory: string

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'petstore-private-'))
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

/** Returns the permissions of a file, as in `chmod`. */
function modeOf(file: string): string {
  return (statSync(file).mode & 0o777).toString(8)
}

test('only the owner can read the files and enter the directories of a store', () => {
  const created = join(directory, 'store')
  makeDirectory(created)
  reserveFile(join(created, 'petstore.db'))
  writeWholeFile(join(created, 'admin-key'), 'secret', { replace: false })
  writeWholeFile(join(created, 'address'), 'http://127.0.0.1', { replace: true })
  const modes = [created, ...['petstore.db', 'admin-key', 'address'].map(name => join(created, name))].map(
    modeOf,
  )
  expect(modes).toEqual(['700', '600', '600', '600'])
})

test('a file that must be new is not replaced, and neither attempt leaves a temporary file', () => {
  const place = join(directory, 'new')
  makeDirectory(place)
  const file = join(place, 'admin-key')
  writeWholeFile(file, 'first', { replace: false })
  expect(() => writeWholeFile(file, 'second', { replace: false })).toThrow('EEXIST')
  expect(readFileSync(file, 'utf8')).toBe('first')
  writeWholeFile(file, 'third', { replace: true })
  expect([readFileSync(file, 'utf8'), readdirSync(place)]).toEqual(['third', ['admin-key']])
})

test('reserving a file keeps what it contains', () => {
  const file = join(directory, 'kept')
  writeWholeFile(file, 'content', { replace: false })
  reserveFile(file)
  expect(readFileSync(file, 'utf8')).toBe('content')
})
