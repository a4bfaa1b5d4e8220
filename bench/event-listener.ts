import { z } from 'zod'

// Clients of the event stream: `bun bench/event-listener.ts '<JSON>'` opens N streams from the current position and
// reads their events as they arrive. It counts the events of each stream, and responds to a GET with the smallest of
// these counts.

const Plan = z.strictObject({
  port: z.number(),
  storePort: z.number(),
  adminKey: z.string(),
  streams: z.number(),
})

interface StreamCount {
  events: number
  /** The end of the last chunk, because a marker can be split across two chunks. */
  rest: Buffer
}

/** Every event has one such line. No other line of a stream starts like this. */
const MARKER = '\ndata: '

const { port, storePort, adminKey, streams } = Plan.parse(JSON.parse(process.argv[2] ?? ''))
const counts: StreamCount[] = []
const head = [
  'GET /events/stream HTTP/1.1',
  `Host: 127.0.0.1:${storePort}`,
  `Authorization: Bearer ${adminKey}`,
]

function count(stream: StreamCount, chunk: Buffer): void {
  const bytes = Buffer.concat([stream.rest, chunk])
  for (let at = bytes.indexOf(MARKER); at >= 0; at = bytes.indexOf(MARKER, at + 1)) stream.events++
  stream.rest = bytes.subarray(Math.max(0, bytes.length - MARKER.length + 1))
}

for (let index = 0; index < streams; index++) {
  const stream: StreamCount = { events: 0, rest: Buffer.alloc(0) }
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
    Response.json({ count: counts.reduce((least, { events }) => Math.min(least, events), Infinity) }),
})
