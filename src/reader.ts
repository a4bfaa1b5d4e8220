import { serveReader } from './engine/sqlite.ts'
import { executeQuery } from './shop/queries.ts'

serveReader(executeQuery)
