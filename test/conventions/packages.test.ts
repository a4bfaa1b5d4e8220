import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment, runToEnd } from '../support/process.ts'
import { ROOT } from '../support/root.ts'

/** The maximum number of packages in the lockfile of the store, for all platforms. */
const PACKAGES_MAX = 450

function lockedPackages(folder: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, folder, 'package-lock.json'), 'utf8'))
  return Object.keys(packages).filter(path => path !== '')
}

test('a clone that only runs the store installs few packages', () => {
  expect(lockedPackages('.').length).toBeLessThanOrEqual(PACKAGES_MAX)
})

test('control: the tools of the tests would be too many packages for the store', () => {
  expect(lockedPackages('test').length).toBeGreaterThan(PACKAGES_MAX)
})

test('the tools of the tests are installed once', async () => {
  const program = join(ROOT, 'test/install-tools.ts')
  const { exitCode, output, errors } = await runToEnd([process.execPath, program], childEnvironment({}), ROOT)
  expect({ exitCode, output, errors }).toEqual({ exitCode: 0, output: '', errors: '' })
})
