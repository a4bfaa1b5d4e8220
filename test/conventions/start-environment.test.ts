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

/** The variables of the runtime and of its allocator that these files set. */
const settings = {
  BUN_JSC_forceRAMSize: '167772160',
  MIMALLOC_PURGE_DELAY: '1000',
  MIMALLOC_PURGE_HOLES: '0',
}

test.each(Object.entries(settings))(
  'the start script, the systemd units, the container and docs/running.md set %s to %s',
  (name, value) => {
    const values = files.map(file => valuesIn(readFileSync(join(ROOT, file), 'utf8'), name))
    expect(values).toEqual(files.map(() => [value]))
  },
)

test('control: a missing value and a second value are detected', () => {
  expect(valuesIn('exec bun src/main.ts serve', 'SIZE')).toEqual([])
  expect(valuesIn('SIZE:-1} bun\nENV SIZE=2', 'SIZE')).toEqual(['1', '2'])
})

/** Returns the different numbers to which a text sets a variable. */
function valuesIn(text: string, name: string): string[] {
  const found = text.matchAll(/(\w+)(?:=|:-)(\d+)/g)
  return [...new Set([...found].filter(([, variable]) => variable === name).map(([, , value = '']) => value))]
}
