import { afterAll } from 'bun:test'
import { stopPostgres } from './postgres-server.ts'

// Without test/run.ts, the first test that needs PostgreSQL starts a server. This hook stops the server after the last
// test. By default a hook may take 5 seconds, which a busy machine exceeds.
afterAll(stopPostgres, 120_000)
