#!/usr/bin/env bun
import { Command } from 'commander'
import { addAudit } from './cli/audit.ts'
import { addImport } from './cli/import.ts'
import { addKeys } from './cli/keys.ts'
import { addListen } from './cli/listen.ts'
import { addNewKey } from './cli/new-key.ts'
import { addOpenapi } from './cli/openapi.ts'
import { addNewSecretKey } from './cli/secret-key.ts'
import { addServe } from './cli/serve.ts'
import { CommandFailed, say } from './cli/terminal.ts'

const program = new Command('petstore')
  .description('A store of pets, categories, stock and orders, over HTTP.')
  .version('1.0.0')
addServe(program)
addImport(program)
addAudit(program)
addListen(program)
addKeys(program)
addNewKey(program)
addNewSecretKey(program)
addOpenapi(program)

process.stdout.on('error', endAtBrokenPipe)
// Standard error is only for people, so a store continues if it cannot write there.
process.stderr.on('error', () => {})
try {
  await program.parseAsync()
} catch (error) {
  endAtBrokenPipe(error)
  if (!(error instanceof CommandFailed)) throw error
  say(error.message)
  process.exit(error.exitCode)
}

/** Ends the process successfully if the error is that `head`, for example, has closed the pipe. Otherwise returns. */
function endAtBrokenPipe(error: unknown): void {
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') process.exit(0)
}
