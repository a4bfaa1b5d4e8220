import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWorkplace } from './store.ts'

const SYNCS = 101
const PAGE_BYTES = 4096

/** The place, time and conditions of a report, which its readers need. */
export function factsText(rounds: number, seconds: number): string {
  const [processor] = cpus()
  const load = loadavg()[0] ?? 0
  return [
    `${cpus().length} cores (${processor?.model.trim()})`,
    `Bun ${Bun.version}`,
    `commit ${commitHash().slice(0, 12)}`,
    `${new Date().toISOString().slice(0, 16)}Z`,
    `${rounds} rounds of ${seconds} s, interleaved`,
    `load average before ${load.toFixed(2)}`,
    `a 4 KiB write with fdatasync in ${tmpdir()} takes ${syncMs().toFixed(2)} ms (median of ${SYNCS})`,
  ].join('; ')
}

/** The commit that is checked out. It does not show later changes of files. */
function commitHash(): string {
  const head = gitFile('HEAD')
  if (!head.startsWith('ref: ')) return head
  const ref = head.slice('ref: '.length)
  const packed = gitFile('packed-refs')
    .split('\n')
    .find(line => line.endsWith(` ${ref}`))
  return gitFile(ref) || packed || 'unknown'
}

function gitFile(name: string): string {
  const file = join(import.meta.dir, '..', '.git', name)
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
}

/** The time that the disk of the stores takes to make a page durable: the cost that group commit shares. */
function syncMs(): number {
  using workplace = openWorkplace()
  const file = openSync(join(workplace.directory, 'page'), 'w')
  const page = Buffer.alloc(PAGE_BYTES, 1)
  const tookMs = Array.from({ length: SYNCS }, () => {
    const started = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - started
  })
  closeSync(file)
  return tookMs.toSorted((a, b) => a - b)[(SYNCS - 1) / 2] ?? Number.NaN
}
