import { serveReader } from '../database/sqlite/engine.ts'
import { executeQuery } from '../shop/queries.ts'

serveReader(executeQuery)
