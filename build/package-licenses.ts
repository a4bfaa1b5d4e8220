import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

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

/**
 * Returns the license texts of packages that are installed in a folder, each after the names of its packages. Most
 * licenses require that a copy of the package includes them.
 */
export async function licensesOf(packages: Iterable<string>, root = ROOT): Promise<string> {
  // A package can be within another one, which needs its own version of it.
  const manifests = new Bun.Glob('**/package.json').scan({ cwd: join(root, 'node_modules') })
  const installed = (await Array.fromAsync(manifests, dirname)).sort((a, b) => a.length - b.length)
  const licenses = await Promise.all(
    [...packages].sort().map(async name => {
      const path = installed.find(one => one === name || one.endsWith(`/node_modules/${name}`))
      return {
        name,
        text: await licenseOf(path === undefined ? undefined : join(root, 'node_modules', path)),
      }
    }),
  )
  const byText = Map.groupBy(licenses, ({ text }) => text)
  const texts = [...byText].map(([text, group]) => `${group.map(({ name }) => name).join('\n')}\n\n${text}\n`)
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

/**
 * Returns the name of a package's license, and the text of its license file, if it has one. For a package that names
 * none, or that is not installed, because another package contains it, the text refers to the registry.
 */
async function licenseOf(directory: string | undefined): Promise<string> {
  const elsewhere = 'see the package in the npm registry'
  if (directory === undefined) return `License: ${elsewhere}`
  const { license = elsewhere }: { license?: string } = JSON.parse(
    await readFile(join(directory, 'package.json'), 'utf8'),
  )
  const file = (await readdir(directory)).find(entry => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? '' : `\n\n${(await readFile(join(directory, file), 'utf8')).trim()}`
  return `License: ${license}${text}`
}
