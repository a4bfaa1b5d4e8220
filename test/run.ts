import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unpackBrowser } from './support/browser.ts'
import { testedEngines } from './support/engines.ts'
import { SHARED_SERVER_VARIABLE, startPostgres, stopPostgres } from './support/postgres-server.ts'
import { PROGRAM_VARIABLE } from './support/process.ts'
import { ROOT } from './support/root.ts'

// Runs the tests in four processes. They share one PostgreSQL server, unless ENGINE excludes PostgreSQL. `npm test`
// runs this program after the checks. Its arguments, such as the paths of files, are passed to `bun test`. A run of all
// tests has its temporary files in memory, if there is enough: a commit then waits for no disk. It also builds the
// single file first, and the tests start the processes of a store from it: a process that compiles the sources takes
// twice the processor time.

/** The time limit of a test or hook without its own limit, long enough for a busy machine. */
const TIMEOUT_MS = 120_000
/** Two more than the cores of a small machine, because many tests wait: for a process, a timer or a disk. */
const WORKERS = 4
/** The folder of Linux whose files are in memory. */
const MEMORY = '/dev/shm'
/** The free memory that a run of all tests needs for its temporary files. */
const MEMORY_BYTES_MIN = 2 * 1024 ** 3

// The pages may be of an older commit, and a test that packs the package replaces them during the run.
await build('browser-files.ts')
const options = process.argv.slice(2)
const isWhole = options.every(option => option.startsWith('-'))
// Its files stay on the disk: it waits for no disk either, and every test adds a database.
const shared = testedEngines.includes('postgres') ? { [SHARED_SERVER_VARIABLE]: await startPostgres() } : {}
const folder = isWhole ? await prepareFolder() : undefined
// The slowest files start first, so that all processes end at about the same time. The argument `--update-timings`
// measures the times again.
const timings = `--timings=${join(import.meta.dir, 'timings.json')}`
const limits = [`--timeout=${TIMEOUT_MS}`, `--parallel=${WORKERS}`, '--no-isolate', timings]
const tests = Bun.spawn([process.execPath, 'test', ...limits, ...options], {
  env: { ...process.env, ...shared },
  stdio: ['ignore', 'inherit', 'inherit'],
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
const exitCode = await tests.exited
await stopPostgres()
if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
process.exit(exitCode)

/** Runs a program of `build`. Ends this process if it fails. */
async function build(program: string, ...options: readonly string[]): Promise<void> {
  const { exitCode } = Bun.spawnSync([process.execPath, join('build', program), ...options], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (exitCode === 0) return
  await stopPostgres()
  process.exit(1)
}

/** Makes the folder of the temporary files of a whole run, with the single file and the browser. Returns its path. */
async function prepareFolder(): Promise<string> {
  const path = mkdtempSync(join(hasMemoryFolder() ? MEMORY : tmpdir(), 'petstore-tests-'))
  // If the tests run as root, the PostgreSQL servers of some tests run as another user.
  chmodSync(path, 0o755)
  process.env.TMPDIR = path
  const program = join(path, 'petstore')
  await build('single-file.ts', '--outfile', program)
  // Every store on SQLite starts workers. To compile their sources takes a third of the processor time of its start.
  await Bun.build({
    entrypoints: ['writer', 'reader'].map(name => join(ROOT, `src/serving/sqlite-${name}.ts`)),
    outdir: path,
    target: 'bun',
    format: 'cjs',
    bytecode: true,
  })
  process.env[PROGRAM_VARIABLE] = program
  // Several processes would do it at once.
  await unpackBrowser()
  return path
}

/** Returns whether there is a folder in memory with enough space, in which programs may run. */
function hasMemoryFolder(): boolean {
  if (process.platform !== 'linux') return false
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find(line => line.startsWith(`tmpfs ${MEMORY} `))
  if (mount === undefined || mount.includes('noexec')) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= MEMORY_BYTES_MIN
}
