import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importCategories } from '../../support/busy-shop.ts'
import { makeClient } from '../../support/client.ts'
import { openStream } from '../../support/open-stream.ts'
import { startProcess } from '../../support/process.ts'
import { headOf } from '../../support/received-events.ts'
import { recordSoak, timeLimitMs, times } from '../../support/soak.ts'
import { ADMIN_KEY, openTestStore, type TestStore } from '../../support/store.ts'
import { until } from '../../support/until.ts'
import { openRawStream, type RawStream } from './raw-stream.ts'

const CLIENTS = times(100, 1000)
/** A number of events that exceeds the buffers of the system for a connection that nobody reads (about 4 MB). */
const EVENTS = 5000
const EVENT_BYTES = 1850
const TIMEOUT_MS = timeLimitMs(120_000)
const MIB = 1024 * 1024
/**
 * The maximum growth of the peak memory, compared with the same load without streams. The growth consists of the
 * batches that all streams share (4 MiB), a chunk of 64 KiB for each stream whose client does not read, and garbage. If
 * the server filled these streams, each would take 5 MB.
 */
const GROWTH_MAX_BYTES = 112 * MIB + (CLIENTS / 2) * 64 * 1024

const CONTROL = fileURLToPath(new URL('../../controls/eager-streams-server.ts', import.meta.url))

/** Opens `count` streams. The clients of one half read, those of the other half do not. */
async function openHalves(
  base: string,
  count: number,
  after = 0n,
): Promise<{ readers: RawStream[]; idle: RawStream[] }> {
  const readers: RawStream[] = []
  const idle: RawStream[] = []
  for (let index = 0; index < count; index++) {
    const stream = await openRawStream(base, after)
    if (index % 2 === 0) readers.push(stream)
    else idle.push(stream)
    if (index % 2 === 1) stream.pause()
  }
  return { readers, idle }
}

/** Returns the peak memory of the only process whose command line contains this text. */
function peakBytes(text: string): number {
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name) && name !== String(process.pid))) {
    if (existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)) {
      return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
    }
  }
  throw new Error(`there is no process with ${text}`)
}

/**
 * Lets one of two clients stop reading. Throws unless this client is disconnected and can resume, and the other client
 * misses nothing.
 */
async function checkDisconnection(): Promise<void> {
  const streams = { streamsMax: 2, keepAliveMs: 100, stalledMs: 1000 }
  await using store = await openTestStore('sqlite', { streams })
  await headOf(store)
  using slow = await openRawStream(store.base, 0n)
  slow.pause()
  await using quick = await openStream(store.base)
  const first = BigInt(quick.first.id ?? 0) + 1n
  // Each character has four bytes, so this is about 8 MB.
  await importCategories(store.client, 1000, '🐹'.repeat(2000))
  const head = await headOf(store)
  for (let position = first; position <= head; position++) {
    expect((await quick.event())?.id).toBe(String(position))
  }
  await until('the slot of the slow client is free', () => isStreamAccepted(store))
  slow.read()
  await slow.closed
  const last = slow.positions.at(-1) ?? 0n
  expect(last).toBeLessThan(head)
  await using again = await openStream(store.base, '', { 'Last-Event-ID': String(last) })
  for (let position = last + 1n; position <= head; position++) {
    expect((await again.event())?.id).toBe(String(position))
  }
  expect(slow.positions).toEqual(
    Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index)),
  )
}

test(
  'a client that reads nothing is disconnected, can resume where it was, and affects no other client',
  checkDisconnection,
  TIMEOUT_MS,
)

test(
  `half of ${CLIENTS} clients never read: the others miss nothing, and the memory of the server is bounded`,
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'petstore-streams-'))
    await using server = await startProcess(['serve', '--port', '0', '--data', directory, '--no-demo'], {
      PETSTORE_ADMIN_KEY: ADMIN_KEY,
      PETSTORE_RATE_LIMIT: 'off',
      PETSTORE_LOG_LEVEL: 'error',
    })
    const client = makeClient({ base: server.base, key: ADMIN_KEY })
    // The first event is the creation of the admin key, which is not in the feed.
    const expected = Array.from({ length: EVENTS }, (_, index) => BigInt(EVENTS + index + 2))
    const description = 'x'.repeat(EVENT_BYTES - 350)
    await importCategories(client, EVENTS, description)
    const before = peakBytes(directory)
    const { readers, idle } = await openHalves(server.base, CLIENTS, BigInt(EVENTS + 1))
    await importCategories(client, EVENTS, description, 'More')
    const isOver = () => readers.every(({ positions }) => positions.length >= EVENTS)
    await until('every reader has read everything', isOver, TIMEOUT_MS)
    const growth = peakBytes(directory) - before
    expect(readers.filter(({ positions }) => !Bun.deepEquals(positions, expected))).toEqual([])
    expect(idle.filter(({ positions }) => positions.length > 100)).toEqual([])
    expect(growth).toBeLessThan(GROWTH_MAX_BYTES)
    const load = `${CLIENTS} streams, half of them never read, ${EVENTS} events of ${EVENT_BYTES} bytes`
    const summary = `${load}: 0 missed by the others, ${Math.round(growth / MIB)} MiB more at most`
    recordSoak({ guarantee: 11, engine: 'sqlite', summary })
    for (const stream of [...readers, ...idle]) stream[Symbol.dispose]()
    rmSync(directory, { recursive: true, force: true })
  },
  TIMEOUT_MS,
)

test(
  'control: a server that fills a stream although its client does not read is detected',
  async () => {
    await using server = await startProcess([String(EVENTS * EVENT_BYTES)], {}, CONTROL)
    const idle = await Promise.all(Array.from({ length: CLIENTS / 2 }, () => openRawStream(server.base, 0n)))
    for (const stream of idle) stream.pause()
    const before = peakBytes(CONTROL)
    await fetch(`${server.base}/happen`)
    const growth = peakBytes(CONTROL) - before
    for (const stream of idle) stream[Symbol.dispose]()
    expect(growth).toBeGreaterThan(GROWTH_MAX_BYTES)
  },
  TIMEOUT_MS,
)

/** Returns whether one more stream is accepted. */
async function isStreamAccepted({ base }: TestStore): Promise<boolean> {
  const stopped = new AbortController()
  const headers = { Authorization: `Bearer ${ADMIN_KEY}` }
  const { status } = await fetch(`${base}/events/stream`, { headers, signal: stopped.signal })
  stopped.abort()
  return status === 200
}
