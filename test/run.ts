import { join } from 'node:path'
import { testedEngines } from './support/engines.ts'
import { SHARED_SERVER_VARIABLE, startPostgres, stopPostgres } from './support/postgres-server.ts'

// Runs the tests in three processes. They share one PostgreSQL server, unless ENGINE excludes PostgreSQL. `npm test`
// runs this program after the checks. Its arguments, such as the paths of files, are passed to `bun test`.

/** The time limit of a test or hook without its own limit, long enough for a busy machine. */
const TIMEOUT_MS = 120_000
/** One more than the cores of a small machine, because many tests wait: for a process, a timer or a disk. */
const WORKERS = 3

const shared = testedEngines.includes('postgres') ? { [SHARED_SERVER_VARIABLE]: await startPostgres() } : {}
// The slowest files start first, so that all processes end at about the same time. The argument `--update-timings`
// measures the times again.
const timings = `--timings=${join(import.meta.dir, 'timings.json')}`
const options = [`--timeout=${TIMEOUT_MS}`, `--parallel=${WORKERS}`, '--no-isolate', timings]
const tests = Bun.spawn([process.execPath, 'test', ...options, ...process.argv.slice(2)], {
  env: { ...process.env, ...shared },
  stdio: ['ignore', 'inherit', 'inherit'],
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
const exitCode = await tests.exited
await stopPostgres()
process.exit(exitCode)
