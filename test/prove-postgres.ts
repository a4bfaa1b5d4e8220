import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION_VARIABLE } from './support/postgres-server.ts'
import { ROOT } from './support/root.ts'

// `npm run prove:postgres [FILE...]` runs tests on each version of PostgreSQL and each isolation level that `npm test`
// does not use.

const MAJORS = ['15', '16', '17']
const LEVELS = ['REPEATABLE READ', 'SERIALIZABLE']
const folder = join(ROOT, 'test/postgres-versions')
const paths = process.argv.slice(2)
const files =
  paths.length > 0
    ? paths
    : ['database', 'shop', 'http', 'serving', 'transfer', 'webhooks', 'cli'].map(folder => `test/${folder}`)

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
  process.stderr.write('The versions of PostgreSQL cannot be installed, so no test was run.\n')
  process.exit(1)
}
/** The name of each run, and the environment variables that it sets. */
const runs = [
  ...MAJORS.map(major => [`PostgreSQL ${major}`, { [VERSION_VARIABLE]: major }] as const),
  ...LEVELS.map(level => [level, { TEST_ISOLATION: level }] as const),
]
const failed = runs.filter(([name, env]) => {
  process.stdout.write(`\n${name}\n`)
  return !run([process.execPath, 'test/run.ts', ...files], { ...env, ENGINE: 'postgres' })
})
process.stdout.write(`\n${runs.length - failed.length} of ${runs.length} runs passed.\n`)
process.exit(failed.length === 0 ? 0 : 1)
