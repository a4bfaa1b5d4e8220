import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Glob } from 'bun'
import { licensesOf, packagesOf } from './package-licenses.ts'

// Builds `dist/petstore`, one executable that needs no other file. `npm run build` runs this program:
//   npm run build -- --target bun-linux-arm64    for another platform; this downloads its runtime
//   npm run build -- --outfile /tmp/petstore

const ROOT = join(import.meta.dir, '..')
/** The files that `npm ci` builds. */
const BUILT_FILES = ['dist/docs', 'dist/guide', 'dist/console']
/** The files that the program reads at run time, in the folders where src/files/program-files.ts finds them. */
const PROGRAM_FILES = [...BUILT_FILES, 'demo', 'licenses', 'LICENSE', 'THIRD-PARTY.md', 'arazzo.yaml']

const { values } = parseArgs({ options: { target: { type: 'string' }, outfile: { type: 'string' } } })
const startedIn = process.cwd()
const outfile = resolve(values.outfile ?? defaultOutfile(values.target))
// The bundler names modules relative to the working directory. A fixed one makes the file reproducible.
process.chdir(ROOT)
try {
  const file = await build(outfile)
  const bytes = readFileSync(file)
  const mib = Math.round(bytes.length / 1_048_576)
  const hash = createHash('sha256').update(bytes).digest('hex')
  process.stdout.write(`${relative(startedIn, file)}: ${mib} MiB, SHA-256 ${hash}\n`)
} catch (error) {
  process.stderr.write(`The single file was not built: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

function defaultOutfile(target: string | undefined): string {
  return join(ROOT, 'dist', target === undefined ? 'petstore' : `petstore-${target.replace(/^bun-/, '')}`)
}

/** Builds the executable, and returns its path. When it is complete, it replaces the one of an earlier build. */
async function build(outfile: string): Promise<string> {
  const missing = BUILT_FILES.find(path => !existsSync(join(ROOT, path)))
  if (missing !== undefined)
    throw new Error(`${missing} is missing: run "npm ci" without --omit=dev, which builds it`)
  mkdirSync(dirname(outfile), { recursive: true })
  const folder = mkdtempSync(join(dirname(outfile), '.build-'))
  try {
    const entryPoints = [join(ROOT, 'src/main.ts'), ...workerModules()]
    const assets = await collectFiles(join(folder, 'files'), entryPoints)
    const built = await compile(entryPoints, join(folder, basename(outfile)), assets)
    const path = join(dirname(outfile), basename(built))
    renameSync(built, path)
    return path
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the modules that the sources start as workers: a bundler finds only imports. */
function workerModules(): string[] {
  return [...new Glob('src/**/*.ts').scanSync({ cwd: ROOT, absolute: true })].sort().flatMap(path => {
    const started = readFileSync(path, 'utf8').matchAll(/new URL\('(\.\/[^']+\.ts)', import\.meta\.url\)/g)
    return [...started].map(([, module = '']) => join(dirname(path), module))
  })
}

/**
 * Copies the files of the program into a folder, with the license texts of the packages in the bundle. Returns the
 * entries of the folder: the bundler embeds each under its name.
 */
async function collectFiles(folder: string, entrypoints: string[]): Promise<string[]> {
  for (const path of PROGRAM_FILES) cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  const { metafile } = await Bun.build({ entrypoints, root: ROOT, target: 'bun', metafile: true })
  const packages = packagesOf(Object.keys(metafile?.inputs ?? {}))
  writeFileSync(join(folder, 'licenses/packages.txt'), await licensesOf(packages))
  return readdirSync(folder).map(name => join(folder, name))
}

/** Compiles the executable, and returns its path: for Windows, the bundler adds `.exe`. */
async function compile(entrypoints: string[], outfile: string, assets: string[]): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints,
    // All entries and chunks are in one folder, so a worker is always next to the chunk that starts it.
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]' },
    target: 'bun',
    format: 'esm',
    // A command loads only what its module imports, as from the sources. Bytecode needs no parsing.
    splitting: true,
    bytecode: true,
    sourcemap: 'linked',
    compile: {
      outfile,
      assets,
      // Safe: the bundler checks the name, and refuses an unknown one.
      ...(values.target !== undefined && { target: values.target as Bun.Build.CompileTarget }),
      // The folder in which a store is started must not change its settings or its code.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
  })
  const [built] = outputs.filter(({ kind }) => kind === 'entry-point')
  if (!built) throw new Error('the bundler wrote no executable')
  return built.path
}
