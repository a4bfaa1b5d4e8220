import { serveReader } from '../engine/sqlite.ts'
import { executeQuery } from './queries.ts'

serveReader(executeQuery)
