import { z } from 'zod'

// Clients of the stream: `bun bench/event-listener.ts '<JSON>'` opens N streams from the current position and reads
// them as fast as they arrive. It responds to a GET with the lowest number of blocks of any stream.

const Plan = z.strictObject({
  port: z.number(),
  storePort: z.number(),
  adminKey: z.string(),
  streams: z.number(),
})

interface Reader {
  blocks: number
  endsInNewline: boolean
}

const { port, storePort, adminKey, streams } = Plan.parse(JSON.parse(process.argv[2] ?? ''))
const readers: Reader[] = []
const head = [
  'GET /events/stream HTTP/1.1',
  `Host: 127.0.0.1:${storePort}`,
  `Authorization: Bearer ${adminKey}`,
]

/** Counts the empty lines, because each block of a stream ends with one. */
function count(reader: Reader, chunk: Buffer): void {
  if (reader.endsInNewline && chunk[0] === 10) reader.blocks++
  for (let end = chunk.indexOf('\n\n'); end >= 0; end = chunk.indexOf('\n\n', end + 2)) reader.blocks++
  reader.endsInNewline = chunk[chunk.length - 1] === 10
}

for (let index = 0; index < streams; index++) {
  const reader = { blocks: 0, endsInNewline: false }
  const opened = Promise.withResolvers<void>()
  await Bun.connect({
    hostname: '127.0.0.1',
    port: storePort,
    socket: {
      open: socket => void socket.write(`${head.join('\r\n')}\r\n\r\n`),
      data: (_, chunk) => {
        count(reader, chunk)
        opened.resolve()
      },
      close: () => {
        process.stderr.write('a stream was closed\n')
        process.exit(1)
      },
    },
  })
  await opened.promise
  readers.push(reader)
}

Bun.serve({
  hostname: '127.0.0.1',
  port,
  fetch: () =>
    Response.json({ count: readers.reduce((least, { blocks }) => Math.min(least, blocks), Infinity) }),
})
