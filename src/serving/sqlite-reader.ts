import { serveReader } from '../database/sqlite/engine.ts'
import { executeQuery } from '../shop/registry/queries.ts'

serveReader(executeQuery)
