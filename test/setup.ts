import { afterAll } from 'bun:test'
import { stopPostgres } from './postgres-server.ts'

// Started by the first test that needs it, stopped after the last of the run.
afterAll(stopPostgres)
