import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from './registry.ts'

test('a value of a host, such as its secret key, is made once and is the same after a restart', () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-registry-'))
  const values = ['first', 'second'].map(value => {
    const registry = new Registry(join(directory, 'sandboxes.db'))
    const stored = [1, 2].map(() => registry.getOrCreateValue('secret-key', () => value))
    registry.close()
    return stored
  })
  expect(values.flat()).toEqual(['first', 'first', 'first', 'first'])
  rmSync(directory, { recursive: true })
})
