import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment, command, type ProcessResult, runToEnd } from '../support/process.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { scratch } from '../support/tool.ts'
import { until } from '../support/until.ts'

/** How long a host waits for its last requests when it is stopped, in milliseconds. */
const LAST_REQUESTS_MS = 8000
const TOOL = `
const { BASE, KEY, FINDINGS } = process.env
const findings = []
const response = await fetch(BASE + '/categories', {
  method: 'POST',
  headers: { Authorization: 'Bearer ' + KEY, 'Content-Type': 'application/json' },
  body: '{"name":"Otters"}',
})
if (response.status !== 201) findings.push({ message: 'status', operation: 'createCategory', status: response.status })
if (!response.headers.get('location')) findings.push({ message: 'no Location', method: 'POST', path: '/categories' })
await fetch(BASE + '/pets?limit=1')
findings.push({ message: 'always', operation: 'listPets' })
await Bun.write(FINDINGS, JSON.stringify(findings))
`
const CLIENT = `
const { BASE, KEY } = process.env
const response = await fetch(BASE + '/categories/1')
const { name } = await response.json()
if (!response.ok) throw new Error('status ' + response.status)
if (name === undefined) { console.error('a category without a name'); process.exit(1) }
console.log(name, response.headers.get('etag'))
`

const host = await openSandboxHost()
afterAll(() => host[Symbol.asyncDispose]())

/** A folder with a tool and a client in it, in which a person runs the command. */
function folder() {
  const place = scratch()
  writeFileSync(join(place.path, 'tool.mjs'), TOOL)
  writeFileSync(join(place.path, 'client.mjs'), CLIENT)
  const bench = (...args: string[]): Promise<ProcessResult> =>
    runToEnd(command(['bench', ...args]).line, childEnvironment({ PROGRAM: process.execPath }), place.path)
  const read = (file: string): string => readFileSync(join(place.path, file), 'utf8')
  return { bench, read, path: place.path, [Symbol.dispose]: () => place[Symbol.dispose]() }
}

test('a tool gets a score for what it reports, and none for what it also reports of a right store', async () => {
  using at = folder()
  const faults = 'location-missing,ok-for-created,location-of-another,sort-ignored,beyond-enum'
  const run = ['tool', '--run', '"$PROGRAM" tool.mjs', '--fault', faults, '--host-url', host.base]
  const { exitCode, output, errors } = await at.bench(...run)
  expect([exitCode, errors.match(/^.*(?= \()/gm)?.map(line => line.replaceAll(/ +/g, ' '))]).toEqual([
    0,
    [
      'without a fault 1 finding although the store is right',
      'without a fault 1 finding although the store is right',
      'beyond-enum not reported',
      'ok-for-created reported by operation and status',
      'location-missing reported by operation',
      'location-of-another not reported',
      'sort-ignored not provoked',
    ],
  ])
  expect(output.split('\n').map(line => line.split(/ +/).join(' '))).toEqual([
    'Class Planted Provoked Reported',
    'schema 1 1 0',
    'status 1 1 1',
    'headers 2 2 1',
    'paging 1 0 0',
    'all 5 4 2',
    '',
  ])
  expect(at.read('bench-tool/report.md')).toContain(
    '| headers | location-missing | A creation has no Location. | 1 |',
  )
  expect(at.read('bench-tool/badge.svg')).toContain('>2/5<')
})

test('a tool that a fault ends has not reported it, and the bench goes on', async () => {
  using at = folder()
  const program = `const { BASE, FINDINGS } = process.env
const { name } = await (await fetch(BASE + '/categories/1')).json()
await Bun.write(FINDINGS, name.length === 0 ? '' : '[]')`
  writeFileSync(join(at.path, 'strict.mjs'), program)
  const faults = 'member-missing,etag-constant'
  const run = ['tool', '--run', '"$PROGRAM" strict.mjs', '--fault', faults]
  const { exitCode, output, errors } = await at.bench(...run)
  expect([exitCode, errors.split('\n').map(line => line.split(/ {2,}| \(/)[1])]).toEqual([
    0,
    [
      ...['a right store', 'a right store'],
      ...['the command ended with exit code 1, and wrote no findings', 'not reported'],
      undefined,
      undefined,
    ],
  ])
  expect(output).toMatch(/all +2 +2 +0\n/)
})

test('a bench that was stopped goes on where it was, with its own host, and not with another command', async () => {
  using at = folder()
  const bench = (program: string, fault: string) =>
    at.bench('tool', '--run', `"$PROGRAM" ${program}`, '--fault', fault)
  await bench('tool.mjs', 'location-missing')
  const before = at.read('bench-tool/results.ndjson')
  // A kill can cut off the last row.
  writeFileSync(join(at.path, 'bench-tool/results.ndjson'), `${before}{"fault":"ok-for-`)
  const { exitCode, output } = await bench('tool.mjs', 'location-missing,ok-for-created')
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/all +2 +2 +2\n/)])
  expect(at.read('bench-tool/results.ndjson').startsWith(before)).toBe(true)
  expect((await bench('tool.mjs', 'location-missing')).errors).toContain('Nothing was run: ')
  const other = await bench('client.mjs', 'location-missing')
  expect([other.exitCode, other.errors]).toEqual([2, expect.stringContaining('--to')])
})

test('a client is said to have noticed, taken a wrong value, or gone on', async () => {
  using at = folder()
  const faults = 'member-missing,etag-constant,json-as-text,open-operation'
  const startedMs = performance.now()
  const { exitCode } = await at.bench('client', '--run', '"$PROGRAM" client.mjs', '--fault', faults)
  // The time for the last requests of the host is not waited for.
  expect(performance.now() - startedMs).toBeLessThan(LAST_REQUESTS_MS)
  const rows = at.read('bench-client/report.md').match(/\| ([^|]+) \|$/gm)
  expect([exitCode, rows]).toEqual([
    0,
    [
      '| What the client did |',
      '| --- |',
      '| noticed |',
      '| took a wrong value |',
      '| not provoked |',
      '| not provoked |',
    ],
  ])
})

test.each([
  [
    'a fault that is none',
    ['--run', 'true', '--fault', 'locaton-missing'],
    'did you mean location-missing?',
    2,
  ],
  ['a class that is none', ['--run', 'true', '--class', 'header'], 'did you mean headers?', 2],
  ['a run of no time', ['--run', 'true', '--timeout', '0s'], 'at least 1s', 2],
  ['a tool that fails without findings', ['--run', 'echo broken >&2; exit 3'], 'exit code 3', 1],
  ['a tool that does not end', ['--run', 'sleep 60', '--timeout', '1s'], 'did not end in time', 1],
  ['findings of no known form', ['--run', 'echo hello > $FINDINGS'], 'neither JSON, SARIF nor JUnit XML', 2],
])('%s is refused', async (_, args, message, code) => {
  using at = folder()
  const { exitCode, errors } = await at.bench('tool', ...args, '--host-url', host.base)
  expect([exitCode, errors]).toEqual([code, expect.stringContaining(message)])
  rmSync(join(at.path, 'bench-tool'), { recursive: true, force: true })
})

test('the faults are listed by class', async () => {
  using at = folder()
  const { output } = await at.bench('faults', '--class', 'conditions,streams')
  const rows = output.trimEnd().split('\n')
  expect(rows[0]).toMatch(/^CLASS +FAULT +WHAT IS WRONG +IN$/)
  expect(rows.length).toBe(11)
  expect(rows.slice(1).every(row => /^(conditions|streams) +[a-z-]+ +[A-Z]/.test(row))).toBe(true)
})

test.skipIf(process.platform !== 'linux')(
  'Ctrl-C ends the tool of a bench, and deletes its host',
  async () => {
    using at = folder()
    const slow = `await Bun.write('pid', String(process.pid)); await Bun.sleep(60_000)`
    writeFileSync(join(at.path, 'slow.mjs'), slow)
    const { line } = command(['bench', 'tool', '--run', '"$PROGRAM" slow.mjs', '--fault', 'location-missing'])
    const env = childEnvironment({ PROGRAM: process.execPath, TMPDIR: at.path })
    const child = Bun.spawn([...line], { cwd: at.path, env, stdout: 'ignore', stderr: 'pipe' })
    await until('the tool runs', () => existsSync(join(at.path, 'pid')))
    child.kill('SIGINT')
    const errors = await new Response(child.stderr).text()
    expect([await child.exited, errors]).toEqual([
      130,
      expect.stringContaining('Interrupted. The results so far are in'),
    ])
    const tool = join('/proc', at.read('pid'))
    // A process that has ended may wait for whoever started it.
    await until(
      'the tool has ended',
      () => !existsSync(tool) || /^State:\tZ/m.test(readFileSync(join(tool, 'status'), 'utf8')),
    )
    expect(readdirSync(at.path).filter(name => name.startsWith('petstore-host'))).toEqual([])
  },
  30_000,
)
