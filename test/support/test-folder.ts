import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns a new directory for the tests of a file or of a block. It is deleted after them. */
export function testFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'petstore-tests-'))
  afterAll(() => rmSync(path, { recursive: true, force: true }))
  return path
}
