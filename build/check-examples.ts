import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packClient } from './pack-client.ts'

// `npm run check:examples` runs the examples in other languages, and says which tools are missing.

const root = join(import.meta.dir, '..')
const examples = join(root, 'examples')
const PETSTORE = `${process.execPath} ${join(root, 'src/main.ts')}`
const VITEST = 'vitest@4.1.12'
const STEP_MS_MAX = 300_000

/** An example, and how it is run in a temporary folder. */
interface Example {
  readonly name: string
  /** Returns why the example cannot run here; undefined if it can. */
  whySkipped(): string | undefined
  /** Prepares the folder. Returns why the example cannot run here, or undefined. */
  prepare?(folder: string): string | undefined
  readonly command: readonly string[]
}

const pytest = (file: string): Example => ({
  name: file,
  whySkipped: () => {
    const hasPytest =
      Bun.which('python3') !== null && succeeds(['python3', '-m', 'pytest', '--version'], root)
    return hasPytest ? undefined : 'pytest is not installed'
  },
  command: ['python3', '-B', '-m', 'pytest', '-q', '-p', 'no:cacheprovider', join(examples, file)],
})

const all: readonly Example[] = [
  pytest('test_throw_away_store.py'),
  pytest('sandbox/test_lost_response.py'),
  oneFile('sandbox/lost_response_test.go', 'go', 'test', '-count=1'),
  oneFile('sandbox/LostResponseTest.php', 'php'),
  {
    name: 'sandbox/lost-response-vitest.mjs',
    whySkipped: () => (Bun.which('npm') === null ? 'npm is not installed' : undefined),
    prepare: folder => {
      writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
      cpSync(join(examples, 'sandbox/lost-response-vitest.mjs'), join(folder, 'lost-response.test.mjs'))
      const install = ['npm', 'install', '--no-audit', '--no-fund', '--silent']
      if (!succeeds([...install, packClient(folder)], folder)) throw new Error('the client was not installed')
      return succeeds([...install, VITEST], folder) ? undefined : `npm could not install ${VITEST}`
    },
    command: ['npx', '--no-install', 'vitest', 'run'],
  },
  {
    name: 'sandbox/junit',
    whySkipped: () => {
      const tool = ['java', 'mvn'].find(name => Bun.which(name) === null)
      return tool && `${tool} is not installed`
    },
    prepare: folder => {
      cpSync(join(examples, 'sandbox/junit'), folder, { recursive: true })
      const compile = ['mvn', '-q', '-B', 'test', '-DskipTests']
      const { stdout } = Bun.spawnSync(compile, { cwd: folder, timeout: STEP_MS_MAX })
      // Any other failure, such as an error of the compiler, occurs again when the example is run.
      const isOffline = /Could not (transfer|resolve)|Unknown host|offline mode/.test(stdout.toString())
      return isOffline ? 'Maven could not get its plugins or JUnit' : undefined
    },
    command: ['mvn', '-q', '-B', 'test'],
  },
]

/** Returns an example that is one file for a tool without packages. */
function oneFile(file: string, ...command: string[]): Example {
  const [tool = ''] = command
  return {
    name: file,
    whySkipped: () => (Bun.which(tool) === null ? `${tool} is not installed` : undefined),
    command: [...command, join(examples, file)],
  }
}

function succeeds(command: string[], cwd: string): boolean {
  const options = { cwd, stdout: 'ignore', stderr: 'ignore', timeout: STEP_MS_MAX } as const
  return Bun.spawnSync(command, options).exitCode === 0
}

/** Runs an example. Returns `works`, `fails`, or why it was skipped. */
function runExample({ whySkipped, prepare, command }: Example, sandboxes: string): string {
  const reason = whySkipped()
  if (reason !== undefined) return `skipped, ${reason}`
  const folder = mkdtempSync(join(tmpdir(), 'petstore-example-'))
  try {
    const obstacle = prepare?.(folder)
    if (obstacle !== undefined) return `skipped, ${obstacle}`
    const { exitCode } = Bun.spawnSync([...command], {
      cwd: folder,
      env: { ...process.env, PETSTORE, PETSTORE_SANDBOXES: sandboxes },
      stdout: 'inherit',
      stderr: 'inherit',
      timeout: STEP_MS_MAX,
    })
    return exitCode === 0 ? 'works' : 'fails'
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts a host of sandboxes in a temporary folder. Throws if it ends before it listens. */
async function startHost(): Promise<AsyncDisposable & { readonly base: string }> {
  const data = mkdtempSync(join(tmpdir(), 'petstore-host-'))
  const command = [process.execPath, join(root, 'src/main.ts'), 'sandboxes', '--port', '0', '--data', data]
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  let messages = ''
  const listening = Promise.withResolvers<string>()
  const decoder = new TextDecoder()
  const sink = new WritableStream<Uint8Array>({
    write: chunk => {
      messages += decoder.decode(chunk, { stream: true })
      const base = /hosts sandboxes at (\S+)/.exec(messages)?.[1]
      if (base !== undefined) listening.resolve(base)
    },
  })
  void child.stderr.pipeTo(sink)
  void child.exited.then(code => listening.reject(new Error(`the host ended with ${code}: ${messages}`)))
  return {
    base: await listening.promise,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await child.exited
      rmSync(data, { recursive: true, force: true })
    },
  }
}

async function main(): Promise<number> {
  await using host = await startHost()
  const results = all.map(example => {
    const result = runExample(example, host.base)
    process.stdout.write(`${example.name}: ${result}\n`)
    return result
  })
  return results.includes('fails') ? 1 : 0
}

process.exit(await main())
