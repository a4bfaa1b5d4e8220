import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testedEngines } from './support/engines.ts'
import { SHARED_SERVER_VARIABLE, startPostgres, stopPostgres } from './support/postgres-server.ts'
import { PROGRAM_VARIABLE } from './support/process.ts'
import { ROOT } from './support/root.ts'

// Runs the tests in three processes. They share one PostgreSQL server, unless ENGINE excludes PostgreSQL. `npm test`
// runs this program after the checks. Its arguments, such as the paths of files, are passed to `bun test`. Without
// paths, it builds the single file first, and the tests start the processes of a store from it: a process that compiles
// the sources takes twice the processor time.

/** The time limit of a test or hook without its own limit, long enough for a busy machine. */
const TIMEOUT_MS = 120_000
/** One more than the cores of a small machine, because many tests wait: for a process, a timer or a disk. */
const WORKERS = 3

const options = process.argv.slice(2)
const isWhole = options.every(option => option.startsWith('-'))
const folder = mkdtempSync(join(tmpdir(), 'petstore-program-'))
const program = isWhole ? { [PROGRAM_VARIABLE]: buildProgram(join(folder, 'petstore')) } : {}
const shared = testedEngines.includes('postgres') ? { [SHARED_SERVER_VARIABLE]: await startPostgres() } : {}
// The slowest files start first, so that all processes end at about the same time. The argument `--update-timings`
// measures the times again.
const timings = `--timings=${join(import.meta.dir, 'timings.json')}`
const limits = [`--timeout=${TIMEOUT_MS}`, `--parallel=${WORKERS}`, '--no-isolate', timings]
const tests = Bun.spawn([process.execPath, 'test', ...limits, ...options], {
  env: { ...process.env, ...program, ...shared },
  stdio: ['ignore', 'inherit', 'inherit'],
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
const exitCode = await tests.exited
await stopPostgres()
rmSync(folder, { recursive: true, force: true })
process.exit(exitCode)

/** Builds the single file at a path, which it returns. */
function buildProgram(path: string): string {
  const build = Bun.spawnSync([process.execPath, 'build/single-file.ts', '--outfile', path], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (build.exitCode !== 0) process.exit(1)
  return path
}
