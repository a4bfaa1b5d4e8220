import { expect, test } from 'bun:test'
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDemo } from '../support/demo-store.ts'
import { ROOT, TOOLS } from '../support/root.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { runScript, runTool, scratch } from '../support/tool.ts'
import { expectedLines, samples } from './generators/generator.ts'

const TOOL_MS_MAX = 120_000
const description = join(ROOT, 'openapi.yaml')

const withTypescriptApi = ['--preload', join(import.meta.dir, 'typescript-api.ts')]
const typeCheck =
  '--strict --noEmit --ignoreConfig --module preserve --target esnext --lib esnext,dom,dom.iterable --types node'

/** The generators of `npm run generators` that are dependencies of this project, so they run in every test run. */
const installed = [
  {
    name: 'openapi-typescript with openapi-fetch',
    folder: 'openapi-fetch',
    generate: [
      'openapi-typescript/bin/cli.js',
      description,
      '--default-non-nullable=false',
      '--output',
      'types.ts',
    ],
  },
  {
    name: '@hey-api/openapi-ts',
    folder: 'hey-api',
    generate: [
      '@hey-api/openapi-ts/dist/run.mjs',
      '--input',
      description,
      '--output',
      'sdk',
      '--no-log-file',
    ],
  },
  {
    name: 'swagger-typescript-api',
    folder: 'swagger-typescript-api',
    generate: [
      'swagger-typescript-api/dist/cli.mjs',
      'generate',
      ...['--path', description, '--output', '.', '--name', 'petstore.ts'],
    ],
  },
  {
    name: 'orval',
    folder: 'orval',
    generate: [
      'orval/dist/bin/orval.mjs',
      ...['--input', description, '--output', 'petstore.ts', '--client', 'fetch'],
    ],
  },
]

for (const { name, folder, generate } of installed) {
  test(
    `the client of ${name} compiles, orders a pet, and distinguishes the types of events`,
    async () => {
      using directory = scratch()
      const { path } = directory
      symlinkSync(TOOLS, join(path, 'node_modules'))
      const [cli = '', ...options] = generate
      const generated = await runScript([...withTypescriptApi, join(TOOLS, cli), ...options], path)
      expect([generated.exitCode, generated.printed.match(/warn|error/i)]).toEqual([0, null])
      copyFileSync(join(import.meta.dir, 'generators', folder, 'program.ts'), join(path, 'program.ts'))
      copyFileSync(join(import.meta.dir, 'generators', 'session.ts'), join(path, 'session.ts'))
      for (const [sample, value] of Object.entries(samples)) {
        writeFileSync(join(path, `${sample}.json`), JSON.stringify(value))
      }
      expect((await runTool('tsc', [...typeCheck.split(' '), 'program.ts'], path)).printed).toBe('')
      await using store = await openDemo()
      const ran = await runScript(['program.ts', store.base, ADMIN_KEY, path], path)
      expect(ran.printed.trim().split('\n')).toEqual([
        ...expectedLines,
        // JavaScript rounds an id beyond 2^53, and types are not checked at run time.
        ...['id rounded', 'event member kept', 'event type kept', 'pet member kept'],
      ])
    },
    TOOL_MS_MAX,
  )
}
