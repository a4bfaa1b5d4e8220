import { afterAll } from 'bun:test'
import { stopPostgres } from './postgres-server.ts'

// Started by the first test that needs it, stopped after the last test of the run. Without its own limit a hook has 5
// s, which a busy machine exceeds.
afterAll(stopPostgres, 120_000)
