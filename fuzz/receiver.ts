import type { Server } from 'bun'

let listening: Server<undefined> | undefined

/**
 * Returns the URL of the only target of webhooks: a receiver on this machine that accepts everything. The receiver
 * starts when its URL is first needed. Without a receiver, webhooks would begin to fail at an unpredictable time, and
 * the requests of a seed would depend on that time.
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
