import { serveWriter } from '../database/sqlite/engine.ts'
import { executeCommand } from '../shop/registry/commands.ts'

serveWriter(executeCommand)
