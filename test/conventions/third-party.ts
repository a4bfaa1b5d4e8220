import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { ROOT } from '../support/root.ts'

// `npm run third-party` writes THIRD-PARTY.md: every package that `npm ci --omit=dev` installs, from the lockfile.

const Lockfile = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      devOptional: z.boolean().optional(),
    }),
  ),
})

/** Returns the text that THIRD-PARTY.md must have for the lockfile. */
export function thirdPartyPage(): string {
  const { packages } = Lockfile.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')))
  const rows = Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .map(([path, { version, license }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      return `| ${name} | ${version ?? 'unknown'} | ${license ?? 'see the package'} |`
    })
  return [
    '# Third-party packages',
    '',
    'Packages that `npm ci --omit=dev` installs, from the lockfile. `npm run third-party` writes this page. Each package',
    'contains the text of its license. The packed store also contains one file of @scalar/api-reference (MIT), which renders',
    'the docs page, and the bundled console: `dist/console/licenses.txt` has the licenses of the packages in it.',
    '',
    '| Package | Version | License |',
    '| --- | --- | --- |',
    ...new Set(rows.sort()),
    '',
  ].join('\n')
}

if (import.meta.main) process.stdout.write(thirdPartyPage())
