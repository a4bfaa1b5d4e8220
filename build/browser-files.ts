import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const SCALAR = join(ROOT, 'node_modules/@scalar/api-reference')

// Builds the files that browsers load, so that an installed store does not need the packages in them. `npm ci` runs
// this program. With --omit=dev, the packages are absent, and this program leaves the files of an earlier build.
if (existsSync(SCALAR)) {
  await copyDocsScript()
  await bundleConsole()
} else {
  process.stderr.write(
    'The docs page and the console were not built: their packages are development dependencies.\n',
  )
}

async function copyDocsScript(): Promise<void> {
  const target = join(ROOT, 'dist/docs')
  await mkdir(target, { recursive: true })
  const file = join(target, 'scalar.js')
  // The file is renamed when it is complete, because a running store may read it at any time.
  await copyFile(join(SCALAR, 'dist/browser/standalone.js'), `${file}.new`)
  await rename(`${file}.new`, file)
}

/** Bundles the console: a script for its frame, a script for each view, scripts that views share, and a style sheet. */
async function bundleConsole(): Promise<void> {
  const target = join(ROOT, 'dist/console')
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, 'src/console/main.tsx')],
    outdir: `${target}.new`,
    target: 'browser',
    splitting: true,
    minify: true,
    // The names contain a hash of the content, so browsers may keep the files forever.
    naming: { entry: 'main-[hash].[ext]', chunk: 'part-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
    sourcemap: 'external',
  })
  if (outputs.length === 0) throw new Error('the bundler wrote no file of the console')
  const maps = outputs.filter(({ kind }) => kind === 'sourcemap')
  await writeFile(join(`${target}.new`, 'licenses.txt'), await licensesOf(maps))
  // The source maps are only needed to find the packages in the bundle.
  for (const { path } of maps) await rm(path)
  await rm(target, { recursive: true, force: true })
  await rename(`${target}.new`, target)
}

/** Returns the license texts of the packages in the bundle. Most licenses require that they are included. */
async function licensesOf(maps: readonly Blob[]): Promise<string> {
  const packages = new Set<string>()
  for (const map of maps) {
    const { sources }: { sources: string[] } = JSON.parse(await map.text())
    for (const source of sources) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]
      if (name !== undefined) packages.add(name)
    }
  }
  if (packages.size === 0) throw new Error('the source maps name no package')
  const texts = [...packages].sort().map(async name => `${name}\n\n${await licenseOf(name)}\n`)
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`)
}

/** Returns the text of a package's license file, or the license that its package.json names. Throws without either. */
async function licenseOf(name: string): Promise<string> {
  const directory = join(ROOT, 'node_modules', name)
  const file = (await readdir(directory)).find(entry => /^licen[cs]e/i.test(entry))
  if (file !== undefined) return (await readFile(join(directory, file), 'utf8')).trim()
  const { license }: { license?: string } = JSON.parse(
    await readFile(join(directory, 'package.json'), 'utf8'),
  )
  if (license === undefined) throw new Error(`${name} names no license`)
  return `License: ${license}`
}
