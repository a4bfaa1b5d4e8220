import { serveWriter } from '../../src/database/sqlite/engine.ts'
import { executeCommand } from '../../src/shop/registry/run.ts'

/** How long a commit takes after the rows were announced, and how long it is shown before its report. */
const LATE_MS = 250

const send = globalThis.postMessage.bind(globalThis)
globalThis.postMessage = (message: unknown) => {
  const isReport = typeof message === 'object' && message !== null && 'outcomes' in message
  if (isReport || message === 'next') Bun.sleepSync(LATE_MS)
  send(message)
}

serveWriter(executeCommand)
