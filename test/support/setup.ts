import { afterAll } from 'bun:test'
import { stopPostgres } from './postgres-server.ts'

// The first test that needs PostgreSQL starts the server, and this hook stops it after the last test of the run. A hook
// without its own limit has 5 seconds, which a busy machine exceeds.
afterAll(stopPostgres, 120_000)
