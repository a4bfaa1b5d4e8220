import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment, runToEnd } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { scratch } from '../support/tool.ts'
import { until } from '../support/until.ts'

const TIMEOUT_MS = 240_000
const PACKAGES_MAX = 45
const BYTES_MAX = 140 * 1024 * 1024

/** The folder of a project that has only the packed store as a dependency. */
const project = scratch()

// npm pack rebuilds dist/. No other test may pack the store, because two at once would delete each other's files.
beforeAll(async () => {
  writeFileSync(join(project.path, 'package.json'), '{"name":"shop","private":true}')
  await npm(['pack', '--pack-destination', project.path, '--silent'], ROOT)
  // The packages come from the cache that `npm ci` has filled; npm asks the registry only for missing packages.
  const options = ['--prefer-offline', '--no-audit', '--no-fund']
  await npm(['install', join(project.path, 'petstore-1.0.0.tgz'), ...options], project.path)
}, TIMEOUT_MS)

afterAll(() => project[Symbol.dispose]())

async function npm(args: string[], cwd: string): Promise<void> {
  const { exitCode, errors } = await runToEnd(['npm', ...args], childEnvironment({}), cwd)
  if (exitCode !== 0) throw new Error(errors)
}

/** Returns the size of a folder. A file with two names, such as bun and bunx, is counted once. */
function sizeOf(path: string, counted = new Set<number>()): number {
  const { ino, size, isDirectory } = entryAt(path)
  if (isDirectory)
    return readdirSync(path).reduce((bytes, name) => bytes + sizeOf(join(path, name), counted), 0)
  if (counted.has(ino)) return 0
  counted.add(ino)
  return size
}

function entryAt(path: string): { ino: number; size: number; isDirectory: boolean } {
  const stat = lstatSync(path)
  return { ino: stat.ino, size: stat.size, isDirectory: stat.isDirectory() }
}

test('the installed package is small, and contains no tests', async () => {
  const list = ['npm', 'ls', '--all', '--parseable']
  const { output } = await runToEnd(list, childEnvironment({}), project.path)
  const packages = output.trim().split('\n').slice(1)
  expect(packages.length).toBeGreaterThan(5)
  expect(packages.length).toBeLessThanOrEqual(PACKAGES_MAX)
  expect(sizeOf(join(project.path, 'node_modules'))).toBeLessThan(BYTES_MAX)
  const installed = join(project.path, 'node_modules/petstore')
  expect(['test', 'bench', 'build'].filter(name => existsSync(join(installed, name)))).toEqual([])
  const clientFiles = readdirSync(join(installed, 'src/client'))
  expect(clientFiles.filter(name => name.endsWith('.test.ts'))).toEqual([])
})

test('the installed package has the client as petstore/client', async () => {
  const program = join(project.path, 'program.mjs')
  writeFileSync(program, "console.log(typeof (await import('petstore/client')).createClient)")
  const { output } = await runToEnd(['node', program], childEnvironment({}), project.path)
  expect(output).toBe('function\n')
})

test(
  'npx --no-install petstore serve serves pets, the docs page and the guides',
  async () => {
    const args = ['--no-install', 'petstore', 'serve', '--port', '0', '--data', join(project.path, 'data')]
    const child = Bun.spawn(['npx', ...args], {
      cwd: project.path,
      env: childEnvironment({ PETSTORE_ADMIN_KEY: ADMIN_KEY }),
      stdout: 'ignore',
      stderr: 'pipe',
      detached: true,
    })
    try {
      let errorOutput = ''
      const reading = (async () => {
        for await (const chunk of child.stderr) errorOutput += Buffer.from(chunk).toString()
      })()
      await until('the store serves', () => /serves http:\S+/.test(errorOutput))
      const base = /serves (http:\S+)/.exec(errorOutput)?.[1] ?? ''
      expect(await (await fetch(`${base}/pets/3`)).json()).toMatchObject({ name: 'Biscuit (Beagle)' })
      expect(await (await fetch(`${base}/docs`)).text()).toContain('/docs/scalar.js')
      expect(await (await fetch(`${base}/docs/guide/start`)).text()).toContain('Start a store</h1>')
      const script = await fetch(`${base}/docs/scalar.js`)
      expect((await script.bytes()).length).toBeGreaterThan(1_000_000)
      // The signal is sent to the whole group, as a terminal or a service manager does: npx itself forwards no signal.
      process.kill(-child.pid, 'SIGTERM')
      await child.exited
      await until('the store has stopped', async () => !(await isServing(base)))
      await reading
    } finally {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
    }
  },
  TIMEOUT_MS,
)

async function isServing(base: string): Promise<boolean> {
  try {
    await fetch(`${base}/livez`)
    return true
  } catch {
    return false
  }
}
