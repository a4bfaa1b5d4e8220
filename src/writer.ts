import { serveWriter } from './engine/sqlite.ts'
import { perform } from './shop/commands.ts'

serveWriter(perform)
