import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/root.ts'

/** The files that start a store or a host of sandboxes, or show how. */
const files = [
  'src/start.sh',
  'deploy/Containerfile',
  'deploy/petstore.service',
  'deploy/petstore@.service',
  'deploy/petstore-sandboxes.service',
  'docs/running.md',
]

const heapSettings = ['forceRAMSize=167772160', 'largeHeapGrowthFactor=1.65', 'mediumHeapGrowthFactor=1.65']

test('the start script, the systemd units, the container and docs/running.md have the same heap settings', () => {
  const settings = files.map(file => settingsIn(readFileSync(join(ROOT, file), 'utf8')))
  expect(settings).toEqual(files.map(() => heapSettings))
})

test('control: a missing setting and a second value are detected', () => {
  expect(settingsIn('exec bun src/main.ts serve')).toEqual([])
  expect(settingsIn('BUN_JSC_forceRAMSize:-1} bun\nENV BUN_JSC_forceRAMSize=2')).toEqual([
    'forceRAMSize=1',
    'forceRAMSize=2',
  ])
})

/** Returns the heap settings in a text as `name=value`, each once, in alphabetical order. */
function settingsIn(text: string): string[] {
  const pairs = text.matchAll(/BUN_JSC_(\w+)(?:=|:-)([\d.]*\d)/g)
  return [...new Set([...pairs].map(([, name, value]) => `${name}=${value}`))].toSorted()
}
