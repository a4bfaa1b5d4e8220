// Broken on purpose: streams that are filled as fast as events occur, whether the client reads or not.

const [bytesText = '0'] = process.argv.slice(2)
const piece = new Uint8Array(64 * 1024).fill(120)
const controllers = new Set<ReadableStreamDefaultController<Uint8Array>>()

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  routes: {
    '/events/stream': () =>
      new Response(
        new ReadableStream<Uint8Array>({ start: controller => void controllers.add(controller) }),
        {
          headers: { 'Content-Type': 'text/event-stream' },
        },
      ),
    '/happen': () => {
      for (const controller of controllers) {
        for (let sent = 0; sent < Number(bytesText); sent += piece.length) controller.enqueue(piece.slice())
      }
      return new Response()
    },
  },
})
process.stderr.write(`serves http://127.0.0.1:${server.port}\n`)
