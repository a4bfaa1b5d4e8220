import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Glob, SQL } from 'bun'
import { testedEngines } from '../support/engines.ts'
import { newDatabase } from '../support/postgres-server.ts'
import { childEnvironment, onPostgres, run, runToEnd } from '../support/process.ts'
import { ROOT } from '../support/root.ts'

/** What `src/main.ts` must be run with, so that the runtime reads no file of the current folder. */
const FLAGS = ['--no-env-file', '--config=/dev/null']

/** A folder of another program, whose settings and code the store must not use. */
function foreignFolder() {
  const path = mkdtempSync(join(tmpdir(), 'petstore-foreign-'))
  writeFileSync(join(path, '.env'), 'DATABASE_URL=postgres://otherapp:secret@127.0.0.1:9/otherapp\n')
  writeFileSync(join(path, '.env.local'), 'PETSTORE_PORT=not-a-port\n')
  writeFileSync(join(path, 'bunfig.toml'), 'preload = ["./setup.ts"]\n')
  writeFileSync(join(path, 'setup.ts'), 'console.error("code of this folder runs")\n')
  writeFileSync(join(path, 'tsconfig.json'), '{"compilerOptions":{"paths":{"commander":["./setup.ts"]}}}')
  writeFileSync(join(path, 'categories.csv'), 'name\nDogs\n')
  // As npm installs the command: a link to the module, which is executable.
  mkdirSync(join(path, 'bin'))
  symlinkSync(join(ROOT, 'src/main.ts'), join(path, 'bin/petstore'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

test('the installed command takes no setting and no code from the folder in which it is typed', async () => {
  using folder = foreignFolder()
  const { PATH = '', ...rest } = childEnvironment({})
  const env = { ...rest, PATH: `${join(folder.path, 'bin')}:${join(ROOT, 'node_modules/.bin')}:${PATH}` }
  const petstore = (...args: string[]) => runToEnd(['petstore', ...args], env, folder.path)
  expect((await petstore('--version')).errors).toBe('')
  const imported = await petstore(
    'import',
    '--categories',
    'categories.csv',
    '--data',
    join(folder.path, 'data'),
  )
  expect(imported.errors).not.toContain('code of this folder')
  expect([imported.exitCode, imported.errors + imported.output]).toEqual([
    0,
    expect.stringContaining('1 categor'),
  ])
})

test('control: without its flags, the runtime uses the settings and runs the code of the current folder', async () => {
  using folder = foreignFolder()
  const main = join(ROOT, 'src/main.ts')
  const { errors } = await runToEnd([process.execPath, main, '--version'], childEnvironment({}), folder.path)
  expect(errors).toContain('code of this folder runs')
})

/** A line that runs the store: with the path of its source, or in its own start script. */
const STORE_START = /\bbun\b.*(?:src|\$\(dirname "\$0"\))\/main\.ts/

test('every script, unit and container runs the store without the files of the current folder', () => {
  const files = ['package.json', 'src/start.sh', ...new Glob('{deploy,docs}/**/*').scanSync(ROOT)]
  const runs = files.flatMap(file => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n')
    return lines.flatMap(line => (STORE_START.test(line) ? [{ file, line: line.trim() }] : []))
  })
  expect(runs.length).toBeGreaterThanOrEqual(8)
  expect(runs.filter(({ line }) => !FLAGS.every(flag => line.includes(flag)))).toEqual([])
  expect(readFileSync(join(ROOT, 'src/main.ts'), 'utf8')).toStartWith(
    `#!/usr/bin/env -S bun ${FLAGS.join(' ')}\n`,
  )
})

if (testedEngines.includes('postgres')) {
  test('no command creates tables in the database of another program', async () => {
    using folder = foreignFolder()
    const url = await newDatabase()
    await using pool = new SQL({ url, max: 1 })
    await pool.unsafe('CREATE TABLE users (id INT); CREATE TABLE migration (name TEXT)').simple()
    const env = { ...onPostgres(url), PETSTORE_DATA: join(folder.path, 'data') }
    const categories = join(folder.path, 'categories.csv')
    for (const args of [
      ['import', '--categories', categories],
      ['serve', '--port', '0'],
      ['migrate'],
      ['keys', 'reset-admin', '--yes'],
      ['copy', '--from', join(folder.path, 'data'), '--to', url],
    ]) {
      const { exitCode, errors } = await run(args, env)
      expect(exitCode, args.join(' ')).not.toBe(0)
      expect(errors).not.toContain('\n    at ')
    }
    const refused = await run(['import', '--categories', categories], env)
    expect(refused.errors).toContain('it has tables of another program (migration, users) and no store')
    const tables = await pool.unsafe<{ name: string }[]>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name",
    )
    expect(tables.map(({ name }) => name)).toEqual(['migration', 'users'])
  })

  test('an extension of the database is not another program', async () => {
    const url = await newDatabase()
    await using pool = new SQL({ url, max: 1 })
    await pool.unsafe('CREATE TABLE spatial_ref_sys (srid INT)').simple()
    const { exitCode } = await run(['migrate'], onPostgres(url))
    expect(exitCode).toBe(0)
  })
}
