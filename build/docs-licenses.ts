import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { licensesOf, packagesOf } from './package-licenses.ts'

// `bun build/docs-licenses.ts` writes the licenses of the packages in the script of the docs page. The script is
// installed alone, because the packages from which it was bundled take 280 MB. They are installed here, for once.

const SCRIPT = join(import.meta.dir, '../node_modules/@scalar/fastify-api-reference')
const { version }: { version: string } = JSON.parse(await readFile(join(SCRIPT, 'package.json'), 'utf8'))
const directory = await mkdtemp(join(tmpdir(), 'petstore-docs-licenses-'))
try {
  const source = `@scalar/api-reference@${version}`
  Bun.spawnSync(['npm', 'install', '--prefix', directory, '--ignore-scripts', source], { stderr: 'inherit' })
  const bundle = join(directory, 'node_modules/@scalar/api-reference/dist/browser')
  const script = await readFile(join(bundle, 'standalone.js'))
  if (!script.equals(await readFile(join(SCRIPT, 'dist/js/standalone.js'))))
    throw new Error(`the installed script is not that of ${source}`)
  const statistics = await readFile(join(bundle, 'webpack-stats.json'), 'utf8')
  const { modules }: { modules: { name: string }[] } = JSON.parse(statistics)
  const packages = ['@scalar/api-reference', ...packagesOf(modules.map(({ name }) => name))]
  const head = `Of the script with the SHA-256 ${new Bun.CryptoHasher('sha256').update(script).digest('hex')}`
  const text = `${head}\n\n${'-'.repeat(80)}\n\n${await licensesOf(packages, directory)}`
  await writeFile(join(import.meta.dir, 'docs-licenses.txt'), text)
} finally {
  await rm(directory, { recursive: true })
}
