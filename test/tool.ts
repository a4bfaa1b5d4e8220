import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')

export interface ToolRun {
  readonly exitCode: number
  /** Standard output and standard error together. */
  readonly said: string
}

/** A directory for the files of one test, removed with `using`. */
export function scratch(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'petstore-tool-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/**
 * Runs a tool of node_modules to its end: it calls nobody, and what it would ask of the network fails
 * at once.
 */
export async function runTool(name: string, args: readonly string[], cwd = ROOT): Promise<ToolRun> {
  return await runToEnd([join(ROOT, 'node_modules', '.bin', name), ...args], cwd)
}

/** Runs a program under Bun to its end, in the same way. */
export async function runScript(args: readonly string[], cwd = ROOT): Promise<ToolRun> {
  return await runToEnd([process.execPath, ...args], cwd)
}

async function runToEnd(command: string[], cwd: string): Promise<ToolRun> {
  const child = Bun.spawn(command, {
    cwd,
    env: toolEnvironment(),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 60_000,
  })
  const [output, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exitCode, said: output + errors }
}

/** Nothing listens on the discard port, so a tool that calls out in spite of its settings fails. */
export function toolEnvironment(): Record<string, string> {
  const nowhere = 'http://127.0.0.1:9'
  return {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? tmpdir(),
    NO_COLOR: '1',
    CI: 'true',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    SCARF_ANALYTICS: 'false',
    DO_NOT_TRACK: '1',
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: '127.0.0.1,localhost',
  }
}
