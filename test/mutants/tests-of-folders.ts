import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { z } from 'zod'
import { ROOT } from '../support/root.ts'

/** The tests of a room of src that are in no folder of its name. */
const testsOfRoom: Readonly<Record<string, readonly string[]>> = {
  files: ['test/cli/admin-key.test.ts', 'test/cli/secret-key.test.ts', 'test/serving/'],
  values: ['test/openapi/description.test.ts', 'test/shop/', 'test/http/'],
  contract: ['test/openapi/description.test.ts', 'test/shop/', 'test/http/'],
  shop: ['test/http/', 'test/webhooks/', 'test/database/query-plans.test.ts'],
  database: ['test/serving/'],
  transfer: [
    'test/cli/export.test.ts',
    'test/cli/reset-command.test.ts',
    'test/serving/mismatched-files.test.ts',
  ],
  serving: ['test/shop/', 'test/http/', 'test/cli/admin-key.test.ts'],
  http: ['test/shop/', 'test/console/serving.test.ts', 'test/client/browser.test.ts'],
  sandboxes: ['test/openapi/sandbox-description.test.ts'],
  catalogue: ['test/cli/import'],
  cli: ['test/catalogue/', 'test/transfer/', 'test/sandboxes/sandboxes.test.ts'],
}
/** The tests of a file at the root of src. */
const TESTS_OF_ROOT = [
  'src/setting-readers.test.ts',
  'test/cli/refused-starts.test.ts',
  'test/cli/serve.test.ts',
]

/** Tests that take long and drive the whole program in a browser, or many processes: never the first to notice. */
const LEFT_OUT =
  /\/(docs|guides|hostile|many-processes|failover|crash|postgres-query-plans|installed-package)\.test\.ts$/

/** How long the tests that are not named take at most, on both engines, by `test/timings.json`. */
const ALL_TESTS_MS_MAX = 45_000

/** The time of a test file that was not measured yet. */
const UNKNOWN_MS = 5000

const Timings = z.object({ files: z.record(z.string(), z.number()) })

/**
 * Returns the tests of a source file, the fastest first: those that are named like a part of its path always, and the
 * others of its room as long as the time allows.
 */
export function testsOf(file: string): string[] {
  const [, room = '', ...names] = file.replace(/\.tsx?$/, '').split('/')
  const prefixes =
    names.length === 0 ? TESTS_OF_ROOT : [`src/${room}/`, `test/${room}/`, ...(testsOfRoom[room] ?? [])]
  const words = names.flatMap(name => name.split('-')).map(word => word.replace(/s$/, ''))
  const isNamed = (test: string): boolean => {
    const name = test.split('/').slice(2).join('/')
    return prefixes.includes(test) || words.some(word => word.length > 3 && name.includes(word))
  }
  const { files } = Timings.parse(JSON.parse(readFileSync(join(ROOT, 'test/timings.json'), 'utf8')))
  const timeMsOf = (name: string): number => files[name] ?? UNKNOWN_MS
  const found = [...new Glob('{src,test}/**/*.test.ts').scanSync(ROOT)]
    .filter(name => prefixes.some(prefix => name.startsWith(prefix)))
    .filter(name => !name.includes('node_modules') && !LEFT_OUT.test(name))
    .sort((a, b) => timeMsOf(a) - timeMsOf(b))
  let totalMs = 0
  return [...found.filter(isNamed), ...found.filter(name => !isNamed(name))].filter(name => {
    totalMs += timeMsOf(name)
    return isNamed(name) || totalMs <= ALL_TESTS_MS_MAX
  })
}
