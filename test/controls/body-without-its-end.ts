/** Broken on purpose: a server that acts on a chunked body before the runtime has read what follows the last chunk. */
export function serveWithoutTheEnd(onBody: () => void) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    fetch: async ({ body }) => {
      for await (const _ of body ?? []);
      onBody()
      // As long as a commit takes, at least.
      await new Promise(resolve => setImmediate(resolve))
      return new Response(null, { status: 204 })
    },
  })
}
