import { beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeClient } from '../support/client.ts'
import { childEnvironment, command, run, startProcess } from '../support/process.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { testFolder } from '../support/test-folder.ts'

const TIMEOUT_MS = 60_000
const PETS = 20_000

const directory = testFolder()
beforeAll(() => {
  const rows = Array.from({ length: PETS }, (_, index) => `P${index},Dogs`)
  writeFileSync(join(directory, 'categories.csv'), 'name\nDogs\n')
  writeFileSync(join(directory, 'pets.csv'), `name,category\n${rows.join('\n')}\n`)
})

const env = { PETSTORE_ADMIN_KEY: ADMIN_KEY }

function args(data: string, ...more: string[]): string[] {
  const files = ['categories', 'pets'].flatMap(name => [`--${name}`, join(directory, `${name}.csv`)])
  return ['import', '--data', join(directory, data), ...files, ...more]
}

/** Runs an import, and sends it SIGINT when its messages contain a text. */
async function interruptedAt(
  text: string,
  importArgs: readonly string[],
): Promise<{ exitCode: number; errors: string }> {
  const { line } = command(importArgs)
  const child = Bun.spawn(line, {
    env: childEnvironment(env),
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: TIMEOUT_MS,
  })
  const decoder = new TextDecoder()
  let errors = ''
  let isSent = false
  for await (const chunk of child.stderr) {
    errors += decoder.decode(chunk, { stream: true })
    if (isSent || !errors.includes(text)) continue
    isSent = true
    child.kill('SIGINT')
  }
  return { exitCode: await child.exited, errors }
}

async function petCount(base: string): Promise<bigint> {
  const { data } = await makeClient({ base, key: ADMIN_KEY }).getStoreSummary({})
  return data.pets.available + data.pets.pending + data.pets.sold
}

test('after Ctrl-C while the files are read, an import loads nothing and reports that', async () => {
  const ended = await interruptedAt('Importing', args('reading'))
  expect([ended.exitCode, ended.errors.trim().split('\n').at(-1)]).toEqual([
    130,
    'Interrupted. Nothing was loaded.',
  ])
  await using server = await startProcess(
    ['serve', '--port', '0', '--no-demo', '--data', join(directory, 'reading')],
    env,
  )
  expect(await petCount(server.base)).toBe(0n)
})

test('after Ctrl-C between slices, an import prints how to continue, and --resume loads the rest', async () => {
  const data = join(directory, 'slices')
  await using server = await startProcess(['serve', '--port', '0', '--no-demo', '--data', data], env)
  const rejects = join(directory, 'rejects.csv')
  const wrong = join(directory, 'wrong.csv')
  writeFileSync(wrong, `${readFileSync(join(directory, 'pets.csv'), 'utf8')},Dogs\n`)
  const words = args('slices', '--keep-going', '--rejects', rejects)
  const ended = await interruptedAt(
    'Loading ',
    words.map(word => (word.endsWith('pets.csv') ? wrong : word)),
  )
  // The valid lines can be loaded with --resume, so the file of the invalid ones remains.
  expect(readFileSync(join(directory, 'rejects-pets.csv'), 'utf8')).toBe('name,category\n,Dogs\n')
  const [, id = ''] =
    /Interrupted\. Continue with --resume (\d+), or undo what was loaded with --take-back \1\.\n$/.exec(
      ended.errors,
    ) ?? []
  expect([ended.exitCode, id]).toEqual([130, expect.stringMatching(/^\d+$/)])
  const loaded = await petCount(server.base)
  expect(Number(loaded)).toBeLessThan(PETS)
  const resumed = await run(['import', '--data', data, '--resume', id], env)
  const lines = resumed.errors.trim().split('\n')
  expect([resumed.exitCode, lines[0]]).toEqual([
    0,
    `Resuming import ${id} into the store in ${data}, which is running at ${server.base}.`,
  ])
  expect(await petCount(server.base)).toBe(BigInt(PETS))
  const taking = ['import', '--data', data, '--take-back', id]
  const cut = await interruptedAt('Taking back', taking)
  expect([cut.exitCode, cut.errors.trim().split('\n').at(-1)]).toEqual([
    130,
    `Interrupted. What was taken back stays so. Continue with --take-back ${id}.`,
  ])
  expect(Number(await petCount(server.base))).toBeGreaterThan(0)
})

test('a dry run for a new store creates no store', async () => {
  const ended = await run(args('absent', '--dry-run'), env)
  expect([ended.exitCode, ended.errors.trim().split('\n').slice(-1)]).toEqual([
    0,
    [`Would load 1 category and ${PETS} pets.`],
  ])
  expect(ended.errors).toContain(`for a new store in ${join(directory, 'absent')}.`)
  expect(existsSync(join(directory, 'absent'))).toBe(false)
})
