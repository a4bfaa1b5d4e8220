import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/root.ts'

/** The files that start a store, or show how. */
const files = [
  'package.json',
  'deploy/Containerfile',
  'deploy/petstore.service',
  'deploy/petstore@.service',
  'docs/running.md',
]

test('the start script, the systemd units, the container and docs/running.md have the same heap size', () => {
  const sizes = files.map(file => sizesIn(readFileSync(join(ROOT, file), 'utf8')))
  expect(sizes).toEqual(files.map(() => ['167772160']))
})

test('control: a missing size and a second size are detected', () => {
  expect(sizesIn('exec bun src/main.ts serve')).toEqual([])
  expect(sizesIn('BUN_JSC_forceRAMSize:-1} bun\nENV BUN_JSC_forceRAMSize=2')).toEqual(['1', '2'])
})

/** Returns the different values of the variable in a text, in bytes. */
function sizesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/BUN_JSC_forceRAMSize(?:=|:-)(\d+)/g)].map(([, size = '']) => size))]
}
