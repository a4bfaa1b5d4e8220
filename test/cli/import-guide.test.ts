import { expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnvironment, command, type ServerProcess, startProcess } from '../support/process.ts'
import { ROOT } from '../support/root.ts'

const page = readFileSync(join(ROOT, 'docs/import.md'), 'utf8')
const blocks = [...page.matchAll(/```(\w+)(?: (\S+))?\n([\s\S]*?)```/g)].map(
  ([, kind = '', name = '', text = '']) => ({ kind, name, text }),
)

/** Returns whether an output is the documented one, in which `…` matches any text within a line. */
function isDocumented(output: string, documented: string): boolean {
  const pieces = documented.split('…').map(piece => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pieces.join('[^\\n]*?')}$`).test(output)
}

/** Runs shell commands in a directory whose folder `bin` is first in the PATH. Returns the output of both streams. */
async function runIn(directory: string, commands: string): Promise<string> {
  const { PATH = '', ...env } = childEnvironment({})
  const child = Bun.spawn(['bash', '-uc', `exec 2>&1\n${commands}`], {
    cwd: directory,
    env: { ...env, PATH: `${directory}/bin:${PATH}` },
    stdout: 'pipe',
    timeout: 60_000,
  })
  return await new Response(child.stdout).text()
}

test('every command of the guide for imports has the output that the page shows', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-guide-'))
  let server: ServerProcess | undefined
  try {
    const petstore = join(directory, 'bin/petstore')
    await Bun.write(petstore, `#!/bin/sh\nexec ${command([]).line.join(' ')} "$@"\n`)
    chmodSync(petstore, 0o755)
    let output = ''
    let compared = 0
    for (const { kind, name, text } of blocks) {
      if (kind === 'csv') writeFileSync(join(directory, name), text)
      else if (kind === 'sh') output = await runIn(directory, text)
      else if (kind === 'start') {
        expect(text).toBe('npm start -- --no-demo\n')
        const data = join(directory, 'data')
        server = await startProcess(['serve', '--no-demo', '--port', '0', '--data', data])
      } else {
        if (!isDocumented(output, text)) expect(output).toBe(text)
        compared++
      }
    }
    expect(compared).toBe(3)
  } finally {
    await server?.[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true, force: true })
  }
})

test('control: output that differs from the guide is detected', () => {
  expect(isDocumented('at http://127.0.0.1:80.\nLoaded 1.\n', 'at http://127.0.0.1:….\nLoaded 1.\n')).toBe(
    true,
  )
  expect(isDocumented('Loaded 2.\n', 'Loaded 1.\n')).toBe(false)
  expect(isDocumented('Loaded 1.\nOne more line.\n', 'Loaded 1.\n')).toBe(false)
})
