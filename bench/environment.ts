import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTempDirectory } from './store.ts'

const SYNCS = 101
const PAGE_BYTES = 4096

/** Returns one line that describes the machine, versions, commit and load of a run. */
export function environmentText(rounds: number, seconds: number): string {
  const [processor] = cpus()
  const load = loadavg()[0] ?? 0
  return [
    `${availableParallelism()} cores (${processor?.model.trim() ?? 'unknown'})`,
    `Bun ${Bun.version}`,
    `commit ${commitHash()}`,
    `${new Date().toISOString().slice(0, 16)}Z`,
    `${rounds} rounds of ${seconds} s, interleaved`,
    `load average before ${load.toFixed(2)}`,
    `a 4 KiB write with fdatasync in ${tmpdir()} takes ${medianSyncMs().toFixed(2)} ms (median of ${SYNCS})`,
  ].join('; ')
}

/** Returns the commit that is checked out, or `unknown` outside a repository. Uncommitted changes are not shown. */
function commitHash(): string {
  if (Bun.which('git') === null) return 'unknown'
  const { success, stdout } = Bun.spawnSync(['git', 'rev-parse', '--short=12', 'HEAD'], {
    cwd: import.meta.dir,
    stderr: 'ignore',
  })
  return success ? stdout.toString().trim() : 'unknown'
}

/** Returns the median time of a 4 KiB write with fdatasync, in milliseconds. A group commit waits for one fsync. */
function medianSyncMs(): number {
  using files = openTempDirectory()
  const file = openSync(join(files.path, 'page'), 'w')
  const page = Buffer.alloc(PAGE_BYTES, 1)
  const durationsMs = Array.from({ length: SYNCS }, () => {
    const startedMs = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - startedMs
  })
  closeSync(file)
  return durationsMs.toSorted((a, b) => a - b)[(SYNCS - 1) / 2] ?? Number.NaN
}
