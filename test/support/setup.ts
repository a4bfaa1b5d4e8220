import { afterAll } from 'bun:test'
import { stopPostgres } from './postgres-server.ts'

// Started by the first test that needs it, stopped after the last of the run. Without a deadline of its own a hook has
// 5 s, which a busy machine exceeds.
afterAll(stopPostgres, 120_000)
