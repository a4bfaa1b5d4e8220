import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProcess } from '../support/process.ts'
import { createSandbox, type TestSandbox } from '../support/sandbox-host.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'

const LOAD = fileURLToPath(new URL('sandbox-load.ts', import.meta.url))
const ACTIVE = 30
const WINDOW_MS = times(1200, 4000)
const ROUNDS = times(3, 5)
/** The kinds of requests that overload one sandbox. Measuring all kinds is slow, so only `npm run prove` does it. */
const KINDS = times(1, 100) === 1 ? ['reads'] : ['reads', 'lists', 'resets', 'snapshots', 'logs']
/** The highest p99 of the active sandboxes during the load, as a multiple of the undisturbed p99. */
const FACTOR_MAX = 2
const ATTEMPTS_MAX = 4
/** A lower undisturbed p99 is replaced by this value, because such times depend on the scheduler of the machine. */
const UNDISTURBED_MS_MIN = 10

interface Measured {
  readonly undisturbedMs: number
  readonly disturbedMs: number
}

/**
 * Returns the p99 of 30 active sandboxes without and with a misbehaving one. Each value is the median of several
 * rounds.
 */
async function measure(script: string | undefined, kind: string): Promise<Measured> {
  const data = mkdtempSync(join(tmpdir(), 'petstore-sandboxes-'))
  const args = [
    '--data',
    data,
    '--port',
    '0',
    '--log-level',
    'error',
    '--max-requests-per-minute',
    '10000000',
  ]
  await using host =
    script === undefined ? await startProcess(['sandboxes', ...args]) : await startProcess(args, {}, script)
  const active = await Promise.all(Array.from({ length: ACTIVE }, () => createSandbox(host.base)))
  for (const sandbox of active)
    await sandbox.call('PUT', '/store/inventory/3', { body: { quantity: 1_000_000 } })
  const misbehaving = await createSandbox(host.base, { seed: 'large' })
  if (kind === 'lists' || kind === 'logs') await fill(misbehaving)
  await measureP99(active, WINDOW_MS)
  const undisturbed: number[] = []
  const disturbed: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    undisturbed.push(await measureP99(active, WINDOW_MS))
    const { baseUrl, adminKey } = misbehaving.created
    // The load runs in a separate process, so that this process measures only the host.
    const load = Bun.spawn([process.execPath, LOAD, kind, baseUrl, adminKey, String(WINDOW_MS + 1000)], {
      stdout: 'ignore',
      stderr: 'inherit',
    })
    // On a machine with few cores, the load would otherwise take the time that the host needs.
    setPriority(load.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    await Bun.sleep(500)
    disturbed.push(await measureP99(active, WINDOW_MS))
    expect(await load.exited).toBe(0)
  }
  rmSync(data, { recursive: true, force: true })
  return { undisturbedMs: Math.max(median(undisturbed), UNDISTURBED_MS_MIN), disturbedMs: median(disturbed) }
}

/** Makes pages of the categories of a sandbox, and of its request log, as large as a client can make them. */
async function fill({ created, call }: TestSandbox): Promise<void> {
  for (let group = 0; group < 2; group++) {
    const categories = Array.from({ length: 60 }, (_, index) => ({
      line: group * 60 + index + 1,
      name: `Large ${group} ${index}`,
      description: '🐹'.repeat(2000),
    }))
    await call('POST', '/imports/1/rows', { body: { categories, pets: [] } })
  }
  await call('POST', '/imports/1/slices', { body: { begins: true, rows: 500 } })
  const refused = { method: 'POST', headers: { 'X-Long': 'x'.repeat(7000) }, body: '\u0001'.repeat(4096) }
  for (let batch = 0; batch < 12; batch++)
    await Promise.all(Array.from({ length: 60 }, () => fetch(`${created.baseUrl}/store/orders`, refused)))
}

/** Sends about ten requests a second to each sandbox. Returns the p99 of their times in milliseconds. */
async function measureP99(active: readonly TestSandbox[], windowMs: number): Promise<number> {
  const taken: number[] = []
  const endMs = performance.now() + windowMs
  await Promise.all(
    active.map(async (sandbox, index) => {
      await Bun.sleep(index * 3)
      for (let count = 0; performance.now() < endMs; count++) {
        const startedMs = performance.now()
        const { status } = await (count % 2 === 0
          ? sandbox.call('GET', '/pets?limit=20')
          : sandbox.call('POST', '/store/orders', { body: { petId: 3 } }))
        if (status >= 300) throw new Error(`an active sandbox got ${status}`)
        taken.push(performance.now() - startedMs)
        await Bun.sleep(90)
      }
    }),
  )
  return taken.toSorted((a, b) => a - b)[Math.floor(taken.length * 0.99)] ?? 0
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/**
 * Measures until the active sandboxes are slower by more than the allowed factor or, if `isSlower` is false, until they
 * are not. Another process of the machine can disturb a measurement, so there are several attempts. Returns the last
 * measurement.
 */
async function measureUntil(isSlower: boolean, script: string | undefined, kind: string): Promise<Measured> {
  for (let attempt = 1; ; attempt++) {
    const measured = await measure(script, kind)
    const wasSlower = measured.disturbedMs > measured.undisturbedMs * FACTOR_MAX
    if (wasSlower === isSlower || attempt === ATTEMPTS_MAX) return measured
  }
}

test.each(KINDS)(
  `${ACTIVE} active sandboxes become at most ${FACTOR_MAX} times slower if another one gets too many %s`,
  async kind => {
    const { undisturbedMs, disturbedMs } = await measureUntil(false, undefined, kind)
    expect(disturbedMs).toBeLessThanOrEqual(undisturbedMs * FACTOR_MAX)
    recordSoak({
      guarantee: 47,
      engine: 'sqlite',
      summary:
        `${ACTIVE} active sandboxes and one with too many ${kind}: p99 ${disturbedMs.toFixed(1)} ms, ` +
        `undisturbed ${undisturbedMs.toFixed(1)} ms`,
    })
  },
  timeLimitMs(100_000),
)
