import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProcess } from '../support/process.ts'
import { createSandbox, type TestSandbox } from '../support/sandbox-host.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'

const SANDBOXES = times(300, 1000)
const OPEN_MAX = times(60, 200)
/** The memory that the process may use for each open sandbox. */
const MIB_PER_OPEN_MAX = 1.5
/** The files of an open sandbox: its database, the write-ahead log, and one more. */
const FILES_PER_OPEN_MAX = 3
/** The memory and the files that the process may use in addition to those of the open sandboxes. */
const MIB_IN_ADDITION_MAX = 120
const FILES_IN_ADDITION_MAX = 30
/** The upper bound of each of two medians: to create a sandbox and read from it; to reset it and place an order. */
const MEDIAN_MS_MAX = 50

test.skipIf(process.platform !== 'linux')(
  `${SANDBOXES} sandboxes in one process use bounded memory and files, and are created and reset quickly`,
  async () => {
    const data = mkdtempSync(join(tmpdir(), 'petstore-sandboxes-'))
    const limits = ['--max-open', String(OPEN_MAX), '--max-sandboxes', String(SANDBOXES)]
    const host = await startProcess([
      'sandboxes',
      '--data',
      data,
      '--port',
      '0',
      '--log-level',
      'error',
      ...limits,
    ])
    await createSandbox(host.base).then(first => first.callHost('DELETE', ''))
    const before = { mib: memoryMib(host.pid), files: openFiles(host.pid) }
    const sandboxes: TestSandbox[] = []
    const created = await timesOf(SANDBOXES, async () => {
      const sandbox = await createSandbox(host.base)
      await sandbox.call('GET', '/pets?limit=1')
      sandboxes.push(sandbox)
    })
    const reset = await timesOf(SANDBOXES, async index => {
      const sandbox = sandboxes[index]
      expect((await sandbox?.callHost('POST', '/reset'))?.status).toBe(200)
      expect((await sandbox?.call('POST', '/store/orders', { body: { petId: 3 } }))?.status).toBe(201)
    })
    const used = { mib: memoryMib(host.pid) - before.mib, files: openFiles(host.pid) - before.files }
    expect(used.mib).toBeLessThan(OPEN_MAX * MIB_PER_OPEN_MAX + MIB_IN_ADDITION_MAX)
    expect(used.files).toBeLessThanOrEqual(OPEN_MAX * FILES_PER_OPEN_MAX + FILES_IN_ADDITION_MAX)
    // If fewer sandboxes were open, the bounds above would prove nothing.
    expect(used.files).toBeGreaterThan(OPEN_MAX)
    expect(median(created)).toBeLessThan(MEDIAN_MS_MAX)
    expect(median(reset)).toBeLessThan(MEDIAN_MS_MAX)
    for (const sandbox of sandboxes.slice(0, 20)) {
      expect((await sandbox.call('GET', '/store/orders')).data).toHaveLength(1)
    }
    recordSoak({
      guarantee: 46,
      engine: 'sqlite',
      summary:
        `${SANDBOXES} sandboxes, ${OPEN_MAX} open: ${Math.round(used.mib)} MiB and ${used.files} files more; ` +
        `created in ${median(created).toFixed(1)} ms, reset in ${median(reset).toFixed(1)} ms (medians)`,
    })
    await host.kill('SIGTERM')
    rmSync(data, { recursive: true, force: true })
  },
  timeLimitMs(120_000),
)

/** Runs `work` this many times, one after the other. Returns the duration of each run in milliseconds. */
async function timesOf(count: number, work: (index: number) => Promise<void>): Promise<number[]> {
  const taken: number[] = []
  for (let index = 0; index < count; index++) {
    const startedMs = performance.now()
    await work(index)
    taken.push(performance.now() - startedMs)
  }
  return taken
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function memoryMib(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) / 1024
}

function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
