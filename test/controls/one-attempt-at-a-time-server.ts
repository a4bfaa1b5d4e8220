import { openEngine, type StoreEngine } from '../../src/serving/open.ts'
import { serveControl } from '../support/control-server.ts'

// Broken on purpose: all webhook senders share one permit, so a good receiver waits for the bad ones.

let isTaken = false
const waiting: (() => void)[] = []

async function takePermit(): Promise<void> {
  if (isTaken) await new Promise<void>(resolve => waiting.push(resolve))
  isTaken = true
}

function releasePermit(): void {
  isTaken = false
  waiting.shift()?.()
}

await serveControl(async options => {
  const engine = await openEngine({ databaseUrl: process.env.DATABASE_URL, ...options })
  const watched: StoreEngine = {
    ...engine,
    execute: async command => {
      const result = await engine.execute(command)
      // A new webhook also resolves its host.
      if (command.id === 'recordAttempts' || command.id === 'createWebhook') releasePermit()
      return result
    },
  }
  const resolve = async (): Promise<readonly string[]> => {
    await takePermit()
    return ['127.0.0.1']
  }
  return { engine: watched, cache: 'on', delivery: { resolve } }
})
