/**
 * Broken on purpose: a server that acts on a chunked body before the runtime has read the bytes after the last chunk.
 */
export function serveWithoutTheEnd(onBody: () => void) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    fetch: async ({ body }) => {
      for await (const _ of body ?? []);
      onBody()
      // A commit takes at least one turn of the event loop.
      await new Promise(resolve => setImmediate(resolve))
      return new Response(null, { status: 204 })
    },
  })
}
