import { serveReader } from './engine/sqlite.ts'
import { answer } from './shop/queries.ts'

serveReader(answer)
