import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { proofFile, proofNames } from '../support/proof-files.ts'

test('each test that npm run prove repeats exists, and records its counts', () => {
  const silent = proofNames.filter(name => !readFileSync(proofFile(name), 'utf8').includes('recordSoak({'))
  expect(silent).toEqual([])
})

test('control: a name without a test file is refused', () => {
  expect(() => proofFile('deliverer')).toThrow('no file deliverer.test.ts')
})
