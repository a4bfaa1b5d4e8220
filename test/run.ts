import { join } from 'node:path'
import { SHARED_SERVER, startPostgres, stopPostgres } from './support/postgres-server.ts'

// `npm test` runs this after the checks: all tests in two processes, which share one PostgreSQL. Whatever is given on
// the command line goes to `bun test`.

/** Of a test or a hook, unless it has a deadline of its own: as long as a busy machine needs. */
const TIMEOUT_MS = 120_000
const WORKERS = 2

const address = await startPostgres()
// The slowest files begin first, so that both processes end together: `--update-timings` measures again.
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
