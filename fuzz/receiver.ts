import type { Server } from 'bun'

let listening: Server<undefined> | undefined

/**
 * The only target of webhooks: a receiver on this machine that accepts everything, started when it is first needed. If
 * nothing listened, webhooks would start to fail at an unpredictable time, and the requests of a seed would depend on
 * that time.
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
