import { afterAll } from 'bun:test'
import { stopPostgres } from './postgres-server.ts'

// Without test/run.ts, the first test that needs PostgreSQL starts a server, which this hook stops. 5 seconds are too
// short for a busy machine.
afterAll(stopPostgres, 120_000)
