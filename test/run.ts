import { join } from 'node:path'
import { SHARED_SERVER, startPostgres, stopPostgres } from './support/postgres-server.ts'

// `npm test` runs this program after the checks. It runs all tests in three processes, which share one PostgreSQL
// server.
// Arguments on the command line are passed to `bun test`.

/** The time limit of a test or hook without its own limit, long enough for a busy machine. */
const TIMEOUT_MS = 120_000
/** One more than the cores of a small machine, because many tests wait: for a process, a timer or a disk. */
const WORKERS = 3

const address = await startPostgres()
// The slowest files start first, so that all processes end at the same time; `--update-timings` measures again.
const timings = `--timings=${join(import.meta.dir, 'timings.json')}`
const options = [`--timeout=${TIMEOUT_MS}`, `--parallel=${WORKERS}`, '--no-isolate', timings]
const tests = Bun.spawn([process.execPath, 'test', ...options, ...process.argv.slice(2)], {
  env: { ...process.env, [SHARED_SERVER]: address },
  stdio: ['ignore', 'inherit', 'inherit'],
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
const exitCode = await tests.exited
await stopPostgres()
process.exit(exitCode)
