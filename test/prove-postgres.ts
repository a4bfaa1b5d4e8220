import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from './support/postgres-server.ts'
import { ROOT } from './support/root.ts'

// `npm run prove:postgres [FILE...]` runs the tests on each version of PostgreSQL and at each isolation level that the
// store supports, in addition to those of `npm test`. It installs the versions with npm at its first run.

const MAJORS = ['15', '16', '17']
const LEVELS = ['REPEATABLE READ', 'SERIALIZABLE']
const folder = join(ROOT, 'test/postgres-versions')
const paths = process.argv.slice(2)
const files =
  paths.length > 0 ? paths : ['test/storage', 'test/api', 'test/events', 'test/webhooks', 'test/cli']

function run(command: string[], env: Record<string, string> = {}, cwd = ROOT): boolean {
  const child = Bun.spawnSync(command, {
    cwd,
    env: { ...process.env, ...env },
    stdout: 'inherit',
    stderr: 'inherit',
  })
  return child.exitCode === 0
}

if (!existsSync(join(folder, 'node_modules')) && !run(['npm', 'ci'], {}, folder)) {
  process.stderr.write('The versions of PostgreSQL cannot be installed, so nothing was proved.\n')
  process.exit(1)
}
/** Each run with its name and its part of the environment. */
const runs = [
  ...MAJORS.map(major => [`PostgreSQL ${major}`, { [VERSION]: major }] as const),
  ...LEVELS.map(level => [level, { PETSTORE_TEST_ISOLATION: level }] as const),
]
const failed = runs.filter(([name, env]) => {
  process.stdout.write(`\n${name}\n`)
  return !run([process.execPath, 'test/run.ts', ...files], { ...env, ENGINE: 'postgres' })
})
process.stdout.write(`\n${runs.length - failed.length} of ${runs.length} runs passed.\n`)
process.exit(failed.length === 0 ? 0 : 1)
