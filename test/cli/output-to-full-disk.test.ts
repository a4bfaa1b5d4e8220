import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnvironment, command, startProcess } from '../support/process.ts'

/** Runs a command whose standard output is a full disk. Returns its error output and its exit code. */
async function runToFullDisk(
  args: readonly string[],
  data: string,
): Promise<{ errors: string; exitCode: number }> {
  const { line, env } = command(args)
  const child = Bun.spawn(line, {
    env: { ...childEnvironment(env), PETSTORE_DATA: data },
    stdin: 'ignore',
    stdout: Bun.file('/dev/full'),
    stderr: 'pipe',
    timeout: 30_000,
  })
  const [errors, exitCode] = await Promise.all([new Response(child.stderr).text(), child.exited])
  return { errors, exitCode }
}

const printing = ['licenses', 'openapi', 'doctor', 'new-key', 'export categories', 'audit export']
test.each([...printing, '--help', 'serve --help', 'list-pets --help', '--version'])(
  'petstore %s reports that its output cannot be written to a full disk, and ends',
  async args => {
    const data = mkdtempSync(join(tmpdir(), 'petstore-full-'))
    {
      await using server = await startProcess(['serve', '--port', '0', '--data', data])
      await server.kill('SIGTERM')
    }
    const { errors, exitCode } = await runToFullDisk(args.split(' '), data)
    rmSync(data, { recursive: true, force: true })
    expect([exitCode, errors]).toEqual([1, expect.stringMatching(/^The output cannot be written: ENOSPC/)])
  },
)

test('a change whose output cannot be written to a full disk is reported as made, with the id', async () => {
  const data = mkdtempSync(join(tmpdir(), 'petstore-full-'))
  try {
    await using server = await startProcess(['serve', '--port', '0', '--data', data])
    const errorsOf = async (...args: string[]): Promise<string> => {
      const target = ['--url', server.base, '--key', `@${join(data, 'admin-key')}`]
      const { errors, exitCode } = await runToFullDisk([...args, ...target], data)
      expect(exitCode).toBe(1)
      return errors
    }
    const failure = '^The output cannot be written: ENOSPC[^.]*\\. '
    expect(await errorsOf('create-key', '--name', 'till', '--scopes', 'orders:read')).toMatch(
      new RegExp(
        `${failure}The change was made \\(id 2\\), but nobody can know its secret: revoke or delete it\\.\\n$`,
      ),
    )
    expect(await errorsOf('set-inventory', '1', '--quantity', '3')).toMatch(
      new RegExp(`${failure}The change was made: only its output is missing\\.\\n$`),
    )
    expect(await errorsOf('list-pets')).toMatch(new RegExp(`${failure.trimEnd()}\\n$`))
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
})
