import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { ROOT } from '../support/root.ts'
import type { Tool } from './tool.ts'

const STEP_MS_MAX = 600_000
/** The messages of package managers that cannot get a package: nothing of the store is at fault. */
const REGISTRY_REFUSED =
  /E40[34]|403 Forbidden|404 Not Found|ENOTFOUND|EAI_AGAIN|Could not (transfer|resolve|find)/
const NOT_FOUND = /No matching distribution found|not available|no such host|ETIMEDOUT|ECONNREFUSED/

/** What every command of a tool needs. */
export const shellVariables = { CI: 'true', NO_COLOR: '1', TOOLS: import.meta.dir }

/** Installs a tool in a directory, unless it is there. Returns why it cannot be used; undefined if it can. */
export async function install(tool: Tool, directory: string): Promise<string | undefined> {
  const missing = tool.needs.find(program => Bun.which(program) === null)
  if (missing) return `SKIPPED: ${missing} is not installed`
  const done = join(directory, 'installed')
  if (existsSync(done) && readFileSync(done, 'utf8') === tool.install) return undefined
  mkdirSync(directory, { recursive: true })
  for (const file of ['openapi.yaml', 'arazzo.yaml']) cpSync(join(ROOT, file), join(directory, file))
  const [exitCode, output] = await shell(tool.install, directory, {})
  if (exitCode !== 0) {
    const isRefused = REGISTRY_REFUSED.test(output) || NOT_FOUND.test(output)
    return `${isRefused ? 'SKIPPED: its registry refused it' : 'FAILED to install'}: ${output.slice(-800)}`
  }
  writeFileSync(done, tool.install)
  return undefined
}

/** Runs a command in a shell. Returns its exit code, and its output without colours. */
export async function shell(
  line: string,
  cwd: string,
  variables: Record<string, string>,
): Promise<[number, string]> {
  const child = Bun.spawn(['bash', '-c', `set -e\n${line}`], {
    cwd,
    env: { ...process.env, ...shellVariables, ...variables },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    // A process group of its own: whatever the command leaves running ends with it.
    detached: true,
    timeout: STEP_MS_MAX,
  })
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited.then(() => endGroup(child.pid)),
  ])
  return [await child.exited, stripVTControlCharacters(`${output}${errors}`)]
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // The command left nothing running.
  }
}
