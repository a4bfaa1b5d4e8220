import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { programFile, runCommand } from './child.ts'

const DIRECTORY = programFile('peers')
/** The time limit of the installation. Compiling better-sqlite3 alone takes minutes on a slow machine. */
const INSTALL_MS_MAX = 900_000
const NODE_MS_MAX = 10_000
const NODE_MAJOR_MIN = 20
/** How many of the last lines of npm's error output are shown. npm prints the cause of an error last. */
const ERROR_LINES_MAX = 30

const Manifest = z.object({ dependencies: z.record(z.string(), z.string()) })

/** The runtime of the peers. */
export interface Node {
  readonly path: string
  /** The version as Node prints it: `v20.11.1`. */
  readonly version: string
}

/** Returns the path of a file in the directory of the peers, or in an installed package. */
export function peerFile(...parts: readonly string[]): string {
  return join(DIRECTORY, ...parts)
}

/** Returns the name of a peer's package with its pinned version: `fastify 5.12.8`. */
export function peerVersion(name: string): string {
  const { dependencies } = Manifest.parse(JSON.parse(readFileSync(peerFile('package.json'), 'utf8')))
  const version = dependencies[name]
  if (version === undefined) throw new Error(`${name} is not a dependency of bench/peers`)
  return `${name} ${version}`
}

/** Returns the Node on the PATH. Throws if it is missing or too old for the peers. */
export async function findNode(): Promise<Node> {
  const path = Bun.which('node')
  const needs = `the peers need Node ${NODE_MAJOR_MIN} or later on the PATH`
  if (path === null) throw new Error(`${needs}, and there is none`)
  const options = { environment: process.env, timeoutMs: NODE_MS_MAX }
  const { status, output } = await runCommand([path, '--version'], options)
  const version = output.trim()
  const [, major] = /^v(\d+)\./.exec(version) ?? []
  if (status !== 0 || !(Number(major) >= NODE_MAJOR_MIN)) throw new Error(`${needs}, not ${version}`)
  return { path, version }
}

/** Installs the peers from their lockfile if necessary. Throws with the end of npm's error output if npm fails. */
export async function installPeers(node: Node): Promise<void> {
  if (isInstalled()) return
  const npm = Bun.which('npm')
  if (npm === null) throw new Error('npm must install the peers, but it is not on the PATH')
  process.stderr.write(
    '  npm ci in bench/peers installs the peers. This takes a few minutes and runs only once.\n',
  )
  const { status, errorOutput } = await runCommand([npm, 'ci', '--no-audit', '--no-fund'], {
    environment: { ...nodeHeaders(node), ...process.env },
    timeoutMs: INSTALL_MS_MAX,
    directory: DIRECTORY,
  })
  if (status === 0 && isInstalled()) return
  const reason = errorOutput.trim().split('\n').slice(-ERROR_LINES_MAX).join('\n')
  throw new Error(
    `npm ci in bench/peers failed with ${status} (limit: ${INSTALL_MS_MAX / 1000} s). better-sqlite3 downloads a ` +
      `binary or compiles it, which needs Python, make and a C++ compiler.\n${reason}`,
  )
}

/**
 * Returns whether npm has installed everything since the lockfile last changed. At the end of an installation, npm
 * writes a copy of the lockfile.
 */
function isInstalled(): boolean {
  const copy = peerFile('node_modules', '.package-lock.json')
  return existsSync(copy) && statSync(copy).mtimeMs >= statSync(peerFile('package-lock.json')).mtimeMs
}

/**
 * Returns variables that make npm compile native packages with the headers that come with Node. Otherwise npm would
 * download the headers.
 */
function nodeHeaders({ path }: Node): Readonly<Record<string, string>> {
  const prefix = dirname(dirname(realpathSync(path)))
  return existsSync(join(prefix, 'include', 'node', 'node.h')) ? { npm_config_nodedir: prefix } : {}
}
