import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')

/** Returns the package.json of the client, which has no dependencies. */
function manifest(version: string): object {
  return {
    name: 'petstore-client',
    version,
    description: 'The typed client of a petstore.',
    license: 'MIT',
    type: 'module',
    engines: { node: '>=20' },
    sideEffects: false,
    types: './client/petstore-client.d.ts',
    exports: { '.': { import: entryIn('.'), require: entryIn('./cjs') } },
    files: ['client', 'values', 'cjs'],
  }
}

function entryIn(folder: string): object {
  const entry = `${folder}/client/petstore-client`
  return { types: `${entry}.d.ts`, default: `${entry}.js` }
}

/**
 * Compiles the client and packs it. The package directory is `client` under `directory`, and the tarball is next to it.
 * Returns the path of the tarball. Throws if the compiler or npm fails.
 */
export function packClient(directory: string): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const target = join(directory, 'client')
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  const compile = ['node_modules/.bin/tsc', '-p', 'src/client/tsconfig.json', '--outDir']
  runTool([...compile, target])
  // For Jest, and for programs with require().
  const commonJs = [
    '--module',
    'commonjs',
    '--moduleResolution',
    'bundler',
    '--verbatimModuleSyntax',
    'false',
  ]
  runTool([...compile, join(target, 'cjs'), ...commonJs])
  writeFileSync(join(target, 'cjs/package.json'), '{"type":"commonjs"}\n')
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest(version), null, 2)}\n`)
  cpSync(join(ROOT, 'src/client/README.md'), join(target, 'README.md'))
  cpSync(join(ROOT, 'LICENSE'), join(target, 'LICENSE'))
  runTool(['npm', 'pack', target, '--pack-destination', directory, '--silent'])
  return join(directory, `petstore-client-${version}.tgz`)
}

function runTool(command: string[]): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: ROOT, timeout: 120_000 })
  if (exitCode !== 0) throw new Error(`${command[0]} failed: ${stdout.toString()}${stderr.toString()}`)
}

if (import.meta.main) process.stderr.write(`packed ${packClient(join(ROOT, 'dist'))}\n`)
