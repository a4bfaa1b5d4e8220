import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientApi } from '../../build/client-api.ts'
import { clientSandboxApi } from '../../build/client-sandbox-api.ts'
import { ROOT } from '../support/root.ts'

/** Returns the text of a program, formatted by the rules of the project. */
function formatted(text: string): string {
  const command = [
    join(ROOT, 'node_modules/.bin/biome'),
    'check',
    '--write',
    '--stdin-file-path=src/client/x.ts',
  ]
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { stdin: Buffer.from(text), cwd: ROOT })
  if (exitCode !== 0) throw new Error(stderr.toString())
  return stdout.toString()
}

test('the generated files of the client are up to date: run `npm run client`', () => {
  const { types, operations } = clientApi()
  const committed = (name: string): string => readFileSync(join(ROOT, 'src/client', name), 'utf8')
  expect(formatted(types) === committed('api-types.ts')).toBe(true)
  expect(formatted(operations) === committed('operations.ts')).toBe(true)
  expect(formatted(clientSandboxApi()) === committed('sandbox-api.ts')).toBe(true)
})
