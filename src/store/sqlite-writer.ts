import { serveWriter } from '../engine/sqlite.ts'
import { executeCommand } from './commands.ts'

serveWriter(executeCommand)
