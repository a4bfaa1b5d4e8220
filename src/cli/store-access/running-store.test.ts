import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { keyText } from '../../shop/keys/key-text.ts'
import { keyForRunning } from './running-store.ts'
import { configFrom } from './store-config.ts'

afterEach(() => {
  delete process.env.PETSTORE_KEY
})

test('the key for a running store is that of --key, PETSTORE_KEY, the settings or its directory', () => {
  const data = mkdtempSync(join(tmpdir(), 'petstore-keys-'))
  const [option, variable, admin, inFile, generated] = [1, 2, 3, 4, 5].map(byte =>
    keyText(new Uint8Array(32).fill(byte)),
  )
  if (!generated || !variable) throw new Error('there is no key')
  writeFileSync(join(data, 'admin-key'), `${generated}\n`)
  const keyOf = (config: Partial<Config>, given?: string): string =>
    keyForRunning({ ...configFrom({}), data, ...config }, given, 'pets:write')
  const keys = [
    keyOf({}),
    keyOf({ adminKeyInFile: inFile }),
    keyOf({ adminKey: admin, adminKeyInFile: inFile }),
  ]
  process.env.PETSTORE_KEY = variable
  keys.push(keyOf({ adminKey: admin }), keyOf({ adminKey: admin }, option))
  expect(keys).toEqual([generated, inFile, admin, variable, option].map(String))
  rmSync(data, { recursive: true })
  delete process.env.PETSTORE_KEY
  expect(() => keyOf({})).toThrow('specify a key with the scope pets:write')
})
