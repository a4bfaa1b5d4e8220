import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import type { EngineName } from '../../support/engines.ts'
import { recordSoak, timeLimitMs, times } from '../../support/soak.ts'
import { ADMIN_KEY, onEveryEngine } from '../../support/store.ts'
import { newStoreDirectory } from '../../support/store-directory.ts'
import { fillHistory } from './long-history.ts'

const READERS = times(5, 20)
const EVENTS = times(40_000, 400_000)
/** The longest wait of a probe, as a share of the time that the streams take to catch up. */
const SHARE_MAX = 0.25
/** How many runs there are, until one is within the limit. */
const RUNS_MAX = 3

/** The times of one run, in milliseconds. */
interface Measured {
  readonly longestWaitMs: number
  readonly caughtUpMs: number
}

/**
 * Lets streams of a store in another process catch up with a long history, as fast as their clients can read, and
 * sends one probe after the other meanwhile.
 */
async function measure(engine: EngineName): Promise<Measured> {
  await using place = await newStoreDirectory(engine)
  await (await place.start()).kill('SIGTERM')
  const { head } = await fillHistory(place, EVENTS)
  await using server = await place.start()
  const startedMs = performance.now()
  let isCaughtUp = false
  const readers = Array.from({ length: READERS }, () => readUpTo(head, server.base))
  const caughtUp = Promise.all(readers).finally(() => {
    isCaughtUp = true
  })
  let longestWaitMs = 0
  while (!isCaughtUp) {
    const sentMs = performance.now()
    await (await fetch(`${server.base}/livez`)).text()
    longestWaitMs = Math.max(longestWaitMs, performance.now() - sentMs)
    await Bun.sleep(1)
  }
  await caughtUp
  return { longestWaitMs, caughtUpMs: performance.now() - startedMs }
}

/** Reads a stream of all events over a raw connection, up to the event at a position. */
function readUpTo(head: bigint, base: string): Promise<void> {
  const { hostname, port } = new URL(base)
  const socket = connect({ host: hostname, port: Number(port) })
  const fields = [`Host: ${hostname}:${port}`, `Authorization: Bearer ${ADMIN_KEY}`, 'Last-Event-ID: 0']
  socket.write(`GET /events/stream HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
  return new Promise((resolve, reject) => {
    let end = ''
    socket.on('data', data => {
      // The id of the last event is near the end of the bytes, but a chunk can begin in the middle of it.
      end = end.slice(-1000) + data.toString('latin1', Math.max(0, data.length - 1000))
      if (!end.includes(`id: ${head}\n`)) return
      socket.destroy()
      resolve()
    })
    socket.on('error', reject)
    socket.on('end', () => reject(new Error('the stream ended before its last event')))
  })
}

onEveryEngine(engine => {
  test(
    'streams that catch up with a long history do not hold up other requests',
    async () => {
      let { longestWaitMs, caughtUpMs } = await measure(engine)
      // On a busy machine, another program may hold up a probe, but not one in each run.
      for (let run = 1; run < RUNS_MAX && longestWaitMs >= caughtUpMs * SHARE_MAX; run++)
        ({ longestWaitMs, caughtUpMs } = await measure(engine))
      expect(longestWaitMs).toBeLessThan(caughtUpMs * SHARE_MAX)
      const waited = `/livez waited ${longestWaitMs.toFixed(0)} ms at most`
      const summary = `${READERS} streams read ${EVENTS} events in ${caughtUpMs.toFixed(0)} ms: ${waited}`
      recordSoak({ guarantee: 27, engine, summary })
    },
    timeLimitMs(120_000),
  )
})
