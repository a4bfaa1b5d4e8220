import { z } from 'zod'

// Clients of the event stream: `bun bench/event-listener.ts '<JSON>'` opens N streams from the current position and
// reads them as fast as they arrive. It counts the blocks of each stream: events, comments and the first `retry`. It
// responds to a GET with the smallest count.

const Plan = z.strictObject({
  port: z.number(),
  storePort: z.number(),
  adminKey: z.string(),
  streams: z.number(),
})

interface StreamCount {
  blocks: number
  endsInNewline: boolean
}

const { port, storePort, adminKey, streams } = Plan.parse(JSON.parse(process.argv[2] ?? ''))
const counts: StreamCount[] = []
const head = [
  'GET /events/stream HTTP/1.1',
  `Host: 127.0.0.1:${storePort}`,
  `Authorization: Bearer ${adminKey}`,
]

/** Counts the empty lines, because each block of a stream ends with one. */
function count(stream: StreamCount, chunk: Buffer): void {
  if (stream.endsInNewline && chunk[0] === 10) stream.blocks++
  for (let end = chunk.indexOf('\n\n'); end >= 0; end = chunk.indexOf('\n\n', end + 2)) stream.blocks++
  stream.endsInNewline = chunk[chunk.length - 1] === 10
}

for (let index = 0; index < streams; index++) {
  const stream = { blocks: 0, endsInNewline: false }
  const firstData = Promise.withResolvers<void>()
  await Bun.connect({
    hostname: '127.0.0.1',
    port: storePort,
    socket: {
      open: socket => void socket.write(`${head.join('\r\n')}\r\n\r\n`),
      data: (_, chunk) => {
        count(stream, chunk)
        firstData.resolve()
      },
      close: () => {
        process.stderr.write('a stream was closed\n')
        process.exit(1)
      },
    },
  })
  await firstData.promise
  counts.push(stream)
}

Bun.serve({
  hostname: '127.0.0.1',
  port,
  fetch: () =>
    Response.json({ count: counts.reduce((least, { blocks }) => Math.min(least, blocks), Infinity) }),
})
