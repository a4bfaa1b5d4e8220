import { join } from 'node:path'

// `npm run check:examples` runs the examples in other languages where their tools are installed, and says which tools
// are missing. The examples for Node and Bun are run by `npm test`.

const root = join(import.meta.dir, '..')
const PETSTORE = `${process.execPath} ${join(root, 'src/main.ts')}`

const hasPytest =
  Bun.which('python3') !== null &&
  Bun.spawnSync(['python3', '-m', 'pytest', '--version'], { stdout: 'ignore', stderr: 'ignore' }).exitCode ===
    0
if (!hasPytest) {
  process.stdout.write('test_throw_away_store.py: skipped, pytest is not installed\n')
  process.exit(0)
}
const { exitCode } = Bun.spawnSync(
  [
    'python3',
    '-B',
    '-m',
    'pytest',
    '-q',
    '-p',
    'no:cacheprovider',
    join(root, 'examples/test_throw_away_store.py'),
  ],
  { env: { ...process.env, PETSTORE }, stdout: 'inherit', stderr: 'inherit' },
)
process.stdout.write(`test_throw_away_store.py: ${exitCode === 0 ? 'works' : 'fails'}\n`)
process.exit(exitCode)
