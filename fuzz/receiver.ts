import type { Server } from 'bun'

let receiver: Server<undefined> | undefined

/**
 * Returns the URL of the only target of webhooks: a receiver on this machine that accepts every delivery. The receiver
 * starts when its URL is first needed. Without a receiver, webhooks would begin to fail at an unpredictable time, and
 * the requests of a seed would depend on that time.
 */
export function receiverUrl(): string {
  if (!receiver) {
    receiver = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(null, { status: 204 }),
    })
    receiver.unref()
  }
  return `http://127.0.0.1:${receiver.port}`
}
