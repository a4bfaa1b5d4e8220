import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')

/** Returns the names of the packages that contain the source files with these paths. Throws if there are none. */
export function packagesOf(sources: Iterable<string>): Set<string> {
  const packages = new Set<string>()
  for (const source of sources) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]
    if (name !== undefined) packages.add(name)
  }
  if (packages.size === 0) throw new Error('the source files belong to no package')
  return packages
}

/** Returns the license texts of packages. Most licenses require that a copy of the package includes them. */
export async function licensesOf(packages: Iterable<string>): Promise<string> {
  const texts = [...packages].sort().map(async name => `${name}\n\n${await licenseOf(name)}\n`)
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`)
}

/**
 * Returns the text of a package's license file, or the license that its package.json names. Throws without either. For
 * a package that is not installed, because another package contains it, the text refers to the registry.
 */
async function licenseOf(name: string): Promise<string> {
  const directory = join(ROOT, 'node_modules', name)
  if (!existsSync(directory)) return 'License: see the package in the npm registry'
  const file = (await readdir(directory)).find(entry => /^licen[cs]e/i.test(entry))
  if (file !== undefined) return (await readFile(join(directory, file), 'utf8')).trim()
  const { license }: { license?: string } = JSON.parse(
    await readFile(join(directory, 'package.json'), 'utf8'),
  )
  if (license === undefined) throw new Error(`${name} names no license`)
  return `License: ${license}`
}
