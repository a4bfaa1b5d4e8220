import { join } from 'node:path'
import { deadPort } from '../support/receiver.ts'
import { TOOLS } from '../support/root.ts'
import { toolEnvironment } from '../support/tool.ts'

const PRISM = join(TOOLS, '.bin', 'prism')

/** A server of Prism. Disposing it ends the process. */
export interface PrismServer extends AsyncDisposable {
  readonly base: string
}

/**
 * Starts Prism as a proxy that checks every request and response against a description. Violations are reported in the
 * header sl-violations.
 */
export async function openProxy(description: string, store: string): Promise<PrismServer> {
  return await openPrism(['proxy', description, store])
}

/** Starts Prism as a mock server: it responds with the examples of a description. */
export async function openMock(description: string): Promise<PrismServer> {
  return await openPrism(['mock', description])
}

async function openPrism(args: readonly string[]): Promise<PrismServer> {
  const port = String(await deadPort())
  const child = Bun.spawn([PRISM, ...args, '--host', '127.0.0.1', '--port', port], {
    env: toolEnvironment(),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const listening = Promise.withResolvers<void>()
  const reader = readOutput(child.stdout, printed => {
    if (printed.includes('is listening')) listening.resolve()
  })
  child.exited.then(code => listening.reject(new Error(`Prism ended with ${code}`)))
  await listening.promise
  return {
    base: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await child.exited
      await reader
    },
  }
}

/** Reads a stream to its end, so that the child process never blocks on its output. */
async function readOutput(stream: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) onText(decoder.decode(chunk, { stream: true }))
}
