import { serveWriter } from './engine/sqlite.ts'
import { executeCommand } from './shop/commands.ts'

serveWriter(executeCommand)
