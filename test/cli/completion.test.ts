import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandIds, kebabCase } from '../../src/cli/operations/names.ts'
import { command, run, runToEnd } from '../support/process.ts'
import { scratch } from '../support/tool.ts'

const place = scratch()
let bashScript = ''
beforeAll(async () => {
  const { exitCode, output } = await run(['completion', 'bash'])
  expect(exitCode).toBe(0)
  bashScript = output
  mkdirSync(join(place.path, 'files'))
  for (const name of ['cats.csv', 'coats.csv']) writeFileSync(join(place.path, 'files', name), '')
})
afterAll(() => place[Symbol.dispose]())

/** The command that the scripts call, as a function of a shell. */
const petstore = `petstore() { ${command([]).line.map(quoted).join(' ')} "$@"; }`
const environment = { PATH: process.env.PATH ?? '' }

/** Returns the words that bash offers to complete a line. `breaks` are the characters that separate words. */
async function completed(line: string, breaks = ' \t\n"\'><=;|&(:'): Promise<string[]> {
  const variables = `COMP_LINE=${quoted(line)} COMP_POINT=${line.length} COMP_WORDBREAKS=${quoted(breaks)}`
  // The last line of the script registers the function. A shell that is not interactive accepts that line too.
  const program = `${petstore}\n${bashScript}\n${variables}\n_petstore\nprintf '%s\\n' "\${COMPREPLY[@]}"`
  const { exitCode, output, errors } = await runToEnd(
    ['bash', '-c', program],
    environment,
    join(place.path, 'files'),
  )
  expect([exitCode, errors]).toEqual([0, ''])
  return output.split('\n').filter(word => word !== '')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

test('bash completes local commands and the command of each operation', async () => {
  const words = await completed('petstore ')
  expect(words).toEqual(expect.arrayContaining(['serve', 'import', 'history', ...commandIds.map(kebabCase)]))
  expect(await completed('petstore list-p')).toEqual(['list-pets'])
})

test.each([
  ['petstore list-pets --sta', ['--status']],
  ['petstore list-pets --status ', ['available', 'pending', 'sold']],
  ['petstore listPets --status pen', ['pending']],
  ['petstore list-pets --limit 3 --status a', ['available']],
  ['petstore list-pets --status=s', ['sold']],
  ['petstore list-pets --name ', []],
  ['petstore create-key --scopes orders:w', ['write']],
  ['petstore update-webhook 1 --body-u', ['--body-url']],
  ['petstore serve --por', ['--port']],
  ['petstore audit ', ['verify', 'export']],
  ['petstore audit verify --an', ['--anchor']],
  ['petstore history ', ['pet', 'order', 'category', 'webhook', 'key']],
  ['petstore history pet 3 --si', ['--since']],
  ['petstore import --pets c', ['cats.csv', 'coats.csv']],
  ['petstore create-pet --body @ca', ['@cats.csv']],
  ['petstore completion f', ['fish']],
])('bash completes "%s"', async (line, words) => {
  expect((await completed(line)).sort()).toEqual([...words].sort())
})

test('bash completes a scope as one word if the colon does not separate words', async () => {
  expect(await completed('petstore create-key --scopes orders:w', ' ')).toEqual(['orders:write'])
})

test('the scripts have no syntax errors, in the shells that are installed', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { output } = await run(['completion', shell])
    expect(output).toContain('petstore __complete -- ')
    const file = join(place.path, shell)
    writeFileSync(file, output)
    if (Bun.which(shell) === null) {
      console.warn(`${shell} is not installed, so its script was not parsed.`)
      continue
    }
    const { exitCode, errors } = await runToEnd([shell, '-n', file], environment)
    expect([shell, exitCode, errors]).toEqual([shell, 0, ''])
  }
})

test('fish completes options, values and files, if it is installed', async () => {
  if (Bun.which('fish') === null) {
    console.warn('fish is not installed, so its completion was not tried.')
    return
  }
  const { output: script } = await run(['completion', 'fish'])
  const { line } = command([])
  const completions = [
    'list-pets --status pen',
    'list-pets --status=s',
    'import --pets ca',
    'create-pet --body @ca',
  ]
  const program = [
    `function petstore; ${line.map(quoted).join(' ')} $argv; end`,
    script,
    ...completions.map(words => `complete -C ${quoted(`petstore ${words}`)}`),
  ].join('\n')
  const { exitCode, output } = await runToEnd(['fish', '-c', program], environment, join(place.path, 'files'))
  expect(exitCode).toBe(0)
  expect(output.trim().split('\n')).toEqual(['pending', '--status=sold', 'cats.csv', '@cats.csv'])
})
