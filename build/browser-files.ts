import { existsSync } from 'node:fs'
import { copyFile, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const SCALAR = join(ROOT, 'node_modules/@scalar/api-reference')
const TARGET = join(ROOT, 'dist/docs')

// Copies the only file that the docs page needs from its package, so that an installed store does not need the package.
// `npm ci` runs this; with --omit=dev, the package is absent, and files that were built before stay.
if (existsSync(SCALAR)) {
  await mkdir(TARGET, { recursive: true })
  const file = join(TARGET, 'scalar.js')
  // Renamed when complete: a running store may be reading the file.
  await copyFile(join(SCALAR, 'dist/browser/standalone.js'), `${file}.new`)
  await rename(`${file}.new`, file)
} else {
  process.stderr.write('The docs page was not built: its package is a development dependency.\n')
}
