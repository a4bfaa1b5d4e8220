import { serveWriter } from '../database/sqlite/engine.ts'
import { runCommand } from '../shop/registry/commands.ts'

serveWriter(runCommand)
