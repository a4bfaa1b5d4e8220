import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { licensesOf, packagesOf } from './package-licenses.ts'

const ROOT = join(import.meta.dir, '..')
const SCALAR = join(ROOT, 'node_modules/@scalar/fastify-api-reference/dist/js/standalone.js')
const DOCS_LICENSES = join(ROOT, 'build/docs-licenses.txt')

// Builds the files that browsers load. `npm ci` runs it. With --omit=dev, without their packages, it keeps the files of
// an earlier build.
if (existsSync(SCALAR)) {
  await copyDocsScript()
  await bundleConsole()
  await writeGuides()
} else {
  process.stderr.write(
    'The docs page, the guides and the console were not built: their packages are development dependencies.\n',
  )
}

async function copyDocsScript(): Promise<void> {
  const target = join(ROOT, 'dist/docs')
  await mkdir(target, { recursive: true })
  const file = join(target, 'scalar.js')
  const script = await readFile(SCALAR)
  const licenses = await readFile(DOCS_LICENSES, 'utf8')
  if (!licenses.includes(new Bun.CryptoHasher('sha256').update(script).digest('hex')))
    throw new Error('the docs script was updated: run "bun build/docs-licenses.ts"')
  // The file is renamed when it is complete, because a running store may read it at any time.
  await writeFile(`${file}.new`, script)
  await rename(`${file}.new`, file)
  await writeFile(join(target, 'licenses.txt'), licenses)
}

/** Bundles the console: one script each for the frame, every view and every chart; shared scripts; a style sheet. */
async function bundleConsole(): Promise<void> {
  const target = join(ROOT, 'dist/console')
  // A build that was interrupted may have left files, which must not become a part of this one.
  await rm(`${target}.new`, { recursive: true, force: true })
  const usual: Pick<Bun.BuildConfig, 'outdir' | 'minify' | 'naming'> = {
    outdir: `${target}.new`,
    minify: true,
    // The names contain a hash of the content, so browsers may keep the files forever.
    naming: { entry: 'main-[hash].[ext]', chunk: 'part-[hash].[ext]', asset: '[name]-[hash].[ext]' },
  }
  // For browsers, the bundler would replace each logical property with three lists of languages that run from right to
  // left, for browsers of 2020.
  await Bun.build({ ...usual, entrypoints: [join(ROOT, 'src/console/console.css')], target: 'bun' })
  const { outputs } = await Bun.build({
    ...usual,
    entrypoints: [join(ROOT, 'src/console/main.tsx')],
    target: 'browser',
    splitting: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    sourcemap: 'external',
  })
  if (outputs.length === 0) throw new Error('the bundler wrote no file of the console')
  const maps = outputs.filter(({ kind }) => kind === 'sourcemap')
  await writeFile(join(`${target}.new`, 'licenses.txt'), await licensesOf(packagesOf(await sourcesOf(maps))))
  // The source maps are only needed to find the packages in the bundle.
  for (const { path } of maps) await rm(path)
  await replaceFolder(target)
}

/** Renders the guides. The import is dynamic, because the renderer may not be installed. */
async function writeGuides(): Promise<void> {
  const { guideFiles } = await import('./guides.ts')
  const target = join(ROOT, 'dist/guide')
  await rm(`${target}.new`, { recursive: true, force: true })
  await mkdir(`${target}.new`, { recursive: true })
  for (const [name, content] of await guideFiles()) await writeFile(join(`${target}.new`, name), content)
  await replaceFolder(target)
}

/** Replaces a folder with the new folder, which has the same path plus `.new`. */
async function replaceFolder(target: string): Promise<void> {
  // Another process may read the files at any time. With two renames, they are missing only for a moment.
  await rm(`${target}.old`, { recursive: true, force: true })
  if (existsSync(target)) await rename(target, `${target}.old`)
  await rename(`${target}.new`, target)
  await rm(`${target}.old`, { recursive: true, force: true })
}

/** Returns the source files that are listed in source maps. */
async function sourcesOf(maps: readonly Blob[]): Promise<string[]> {
  const sources = maps.map(async map => {
    const { sources }: { sources: string[] } = JSON.parse(await map.text())
    return sources
  })
  return (await Promise.all(sources)).flat()
}
