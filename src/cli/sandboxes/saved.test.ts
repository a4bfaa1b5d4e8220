import { expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyText } from '../../shop/keys/key-text.ts'
import { SavedSandboxes, savedSandbox } from './saved.ts'

test('a sandbox is added on a line of its own to a list whose last line has no end, which becomes private', () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-saved-'))
  const path = join(directory, 'sandboxes.csv')
  const [first, second] = ['2', '3'].map(char => {
    const id = char.repeat(26)
    const times = { createdAt: '2026-11-21T09:30:00Z', expiresAt: '2026-11-22T09:30:00Z' }
    const common = { id, seed: 'demo', state: 'ready', generation: 1n, ...times } as const
    const adminKey = keyText(new Uint8Array(32).fill(Number(char)))
    return savedSandbox({ ...common, baseUrl: `http://127.0.0.1:8081/s/${id}`, adminKey })
  })
  if (!first || !second) throw new Error('there is no sandbox')
  const saved = new SavedSandboxes(path)
  saved.prepare()
  saved.add(first)
  writeFileSync(path, readFileSync(path, 'utf8').trimEnd())
  chmodSync(path, 0o644)
  saved.add(second)
  expect(saved.read().map(({ id }) => id)).toEqual([first.id, second.id])
  expect(statSync(path).mode & 0o777).toBe(0o600)
  rmSync(directory, { recursive: true })
})
