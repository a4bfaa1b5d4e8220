import type { Server } from 'bun'

let listening: Server<undefined> | undefined

/**
 * Where a store may send what it is told to send: a receiver on this machine that takes everything, started when it is
 * first asked for. Were nobody there, webhooks would begin to fail at a moment of their own, and what is asked under a
 * seed would depend on it.
 */
export function receiverUrl(): string {
  if (!listening) {
    listening = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(null, { status: 204 }),
    })
    listening.unref()
  }
  return `http://127.0.0.1:${listening.port}`
}
