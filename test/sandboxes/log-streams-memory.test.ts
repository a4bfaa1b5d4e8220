import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProcess } from '../support/process.ts'
import { createSandbox, type TestSandbox } from '../support/sandbox-host.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'

const SANDBOXES = times(2, 4)
const STREAMS_PER_SANDBOX = 20
const MIB = 1024 * 1024
/** The growth of the memory: a chunk of 64 KiB for each stream, and garbage. The logs have 8 MiB or more each. */
const GROWTH_MAX_MIB = 64
const WHOLE_LOG = fileURLToPath(new URL('../controls/whole-log-streams.ts', import.meta.url))
/** How long the host sends before its memory is read: a stream that does not stop by itself would send everything. */
const SENDING_MS = 2000
/** How long at most until the control has sent too much, even on a busy machine. */
const CONTROL_SENDING_MS = 30_000

/** Fills a log with requests that are as large as possible. */
async function fillLog({ created }: TestSandbox): Promise<void> {
  const refused = { method: 'POST', headers: { 'X-Long': 'x'.repeat(7000) }, body: '\u0001'.repeat(4096) }
  for (let batch = 0; batch < 8; batch++)
    await Promise.all(Array.from({ length: 60 }, () => fetch(`${created.baseUrl}/store/orders`, refused)))
}

/** Opens a stream of the whole log, and reads nothing of it. */
function openUnreadStream(base: string, { created: { id, adminKey } }: TestSandbox): Socket {
  const { hostname, port } = new URL(base)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.pause()
  const fields = [`Host: ${hostname}`, `Authorization: Bearer ${adminKey}`, 'Last-Event-ID: 0']
  socket.write(`GET /sandboxes/${id}/requests/stream HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
  return socket
}

/** Returns how much the peak memory of a host grows while many clients open streams of large logs and never read. */
async function measureGrowthMib(sendingMs: number, script?: string): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), 'petstore-sandboxes-'))
  const args = ['--data', data, '--port', '0', '--log-level', 'error']
  await using host =
    script === undefined ? await startProcess(['sandboxes', ...args]) : await startProcess(args, {}, script)
  const sandboxes = await Promise.all(Array.from({ length: SANDBOXES }, () => createSandbox(host.base)))
  for (const sandbox of sandboxes) await fillLog(sandbox)
  const peak = (): number =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${host.pid}/status`, 'utf8'))?.[1]) * 1024
  const before = peak()
  const sockets = sandboxes.flatMap(sandbox =>
    Array.from({ length: STREAMS_PER_SANDBOX }, () => openUnreadStream(host.base, sandbox)),
  )
  const growthMib = (): number => (peak() - before) / MIB
  const endMs = performance.now() + sendingMs
  while (performance.now() < endMs && growthMib() <= GROWTH_MAX_MIB) await Bun.sleep(50)
  const grownMib = growthMib()
  for (const socket of sockets) socket.destroy()
  rmSync(data, { recursive: true, force: true })
  return grownMib
}

test(
  'streams of large request logs whose clients never read take bounded memory',
  async () => {
    const growthMib = await measureGrowthMib(SENDING_MS)
    expect(growthMib).toBeLessThan(GROWTH_MAX_MIB)
    const count = SANDBOXES * STREAMS_PER_SANDBOX
    const summary = `${count} streams of request logs that nobody read: ${growthMib.toFixed(0)} MiB more`
    recordSoak({ guarantee: 46, engine: 'sqlite', summary })
  },
  timeLimitMs(60_000),
)

test(
  'control: if a stream reads the whole log at once, the memory grows with the number of streams',
  async () => {
    expect(await measureGrowthMib(CONTROL_SENDING_MS, WHOLE_LOG)).toBeGreaterThan(GROWTH_MAX_MIB)
  },
  timeLimitMs(60_000),
)
