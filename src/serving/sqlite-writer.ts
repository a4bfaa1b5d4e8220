import { serveWriter } from '../database/sqlite/engine.ts'
import { executeCommand } from '../shop/commands.ts'

serveWriter(executeCommand)
