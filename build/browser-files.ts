import { existsSync } from 'node:fs'
import { copyFile, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const SCALAR = join(ROOT, 'node_modules/@scalar/api-reference')

// Builds what browsers load, so that an installed store does not need the packages that it is made of. `npm ci` runs
// this; with --omit=dev, the packages are absent, and files that were built before stay.
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
  // Renamed when complete: a running store may be reading the file.
  await copyFile(join(SCALAR, 'dist/browser/standalone.js'), `${file}.new`)
  await rename(`${file}.new`, file)
}

/** Bundles the console: one script for its frame, one for each view, and one style sheet. */
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
  })
  if (outputs.length === 0) throw new Error('the bundler wrote no file of the console')
  await rm(target, { recursive: true, force: true })
  await rename(`${target}.new`, target)
}
