import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newCopyPlace } from '../support/copy-place.ts'
import { run } from '../support/process.ts'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'
import { runTool, scratch } from '../support/tool.ts'
import { RELEASES, readKept, readLists, releases, scriptHashes, unpackBackup } from './release.ts'

test.each(releases)('the scripts of the migrations that %s had are unchanged', release => {
  const kept: Record<string, string> = JSON.parse(
    readFileSync(join(RELEASES, release, 'scripts.json'), 'utf8'),
  )
  expect(scriptHashes()).toMatchObject(kept)
})

onEveryEngine(engine => {
  test.each(releases)(
    'a backup of %s is restored, and the store serves what it served then',
    async release => {
      using files = scratch()
      using place = await newCopyPlace(engine)
      const backup = join(files.path, 'backup')
      unpackBackup(release, backup)
      const restored = await run(['restore', '--from', backup, '--to', place.name])
      expect(restored).toMatchObject({ exitCode: 0 })
      await using server = await place.serve(join(backup, 'secret-key'))
      const kept: Record<string, unknown> = JSON.parse(readKept(release, 'lists.json'))
      expect(await readLists(server.base, ADMIN_KEY)).toMatchObject(kept)
    },
  )
})

/** Compiles a program that takes a client of today for one of a release. Returns the errors of the compiler. */
async function compileAgainst(kept: Readonly<Record<string, string>>): Promise<string> {
  using files = scratch()
  for (const [name, text] of Object.entries(kept)) {
    mkdirSync(dirname(join(files.path, name)), { recursive: true })
    writeFileSync(join(files.path, name), text)
  }
  writeFileSync(join(files.path, 'package.json'), '{"type":"module"}')
  const today = join(ROOT, 'src/client/petstore-client.ts')
  writeFileSync(
    join(files.path, 'program.ts'),
    `import type { Client as Before } from './client/petstore-client.d.ts'
import type { Client as Today } from '${today}'
export const asBefore = (client: Today): Before => client\n`,
  )
  const compilerOptions = {
    rewriteRelativeImportExtensions: false,
    allowImportingTsExtensions: true,
    noEmit: true,
  }
  const config = {
    extends: join(ROOT, 'src/client/tsconfig.json'),
    compilerOptions: { ...compilerOptions, declaration: false, rootDir: '/', skipLibCheck: true },
    include: [join(files.path, 'program.ts')],
  }
  writeFileSync(join(files.path, 'tsconfig.json'), JSON.stringify(config))
  return (await runTool('tsc', ['-p', files.path])).printed
}

test.each(releases)('a program for the client of %s compiles with the client of today', async release => {
  const kept: Record<string, string> = JSON.parse(readKept(release, 'client-types.json'))
  expect(await compileAgainst(kept)).toBe('')
  // Control: a client of then that could do more.
  const name = 'client/client.d.ts'
  const more = { ...kept, [name]: `${kept[name]}export interface Client { undo(): Promise<void> }\n` }
  expect(await compileAgainst(more)).toContain("Property 'undo' is missing")
})
