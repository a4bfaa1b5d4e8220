import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runToEnd } from './process.ts'
import { ROOT, TOOLS } from './root.ts'

export interface ToolRun {
  readonly exitCode: number
  /** Standard output and standard error together. */
  readonly printed: string
}

/** Returns a directory for the files of one test. Disposing it deletes the files. */
export function scratch(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'petstore-tool-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Runs a tool of test/package.json to its end, in the environment of `toolEnvironment`. Returns its output. */
export async function runTool(name: string, args: readonly string[], cwd = ROOT): Promise<ToolRun> {
  return await runTogether([join(TOOLS, '.bin', name), ...args], cwd)
}

/** Runs a program under Bun to its end, in the environment of `toolEnvironment`. Returns its output. */
export async function runScript(args: readonly string[], cwd = ROOT): Promise<ToolRun> {
  return await runTogether([process.execPath, ...args], cwd)
}

async function runTogether(command: string[], cwd: string): Promise<ToolRun> {
  const { exitCode, output, errors } = await runToEnd(command, toolEnvironment(), cwd)
  return { exitCode, printed: output + errors }
}

/**
 * Returns the environment of a tool. Nothing listens at its proxy, so requests to other machines fail if the tool uses
 * the proxy.
 */
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
