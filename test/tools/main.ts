import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { generators } from '../openapi/generators/generators.ts'
import { tryGenerator } from '../openapi/generators/try-generator.ts'
import { freePort } from '../support/free-port.ts'
import { command, run, startProcess } from '../support/process.ts'
import { ADMIN_KEY } from '../support/store.ts'
import { install, shell } from './install.ts'
import { type Rendering, renderings } from './renderings.ts'
import { prints, type Tool } from './tool.ts'
import { tools } from './tools.ts'

// `npm run check:tools` runs each tool of tools.ts with a new demo store, in a scratch directory, and says which it
// skipped.

/** A result is `works`, `refused: ...`, `SKIPPED: ...`, or a fault. */
interface Check {
  readonly name: string
  readonly version: string
  readonly result: () => Promise<string>
}

const options = new Command('check:tools')
  .description('Uses a demo store with the tools of other projects, and says which were skipped.')
  .option('--only <names>', 'comma-separated names of the table')
  .parse()
  .opts<{ only?: string }>()

const scratch = mkdtempSync(join(tmpdir(), 'petstore-tools-'))

async function useTool(tool: Tool): Promise<string> {
  const directory = join(scratch, tool.name.replaceAll(' ', '-'))
  const failure = await install(tool, directory)
  if (failure !== undefined) return failure
  const args = ['serve', '--port', '0', '--data', join(directory, 'data')]
  await using store = await startProcess(args, { PETSTORE_ADMIN_KEY: ADMIN_KEY })
  const [exitCode, output] = await shell(tool.run, directory, {
    BASE: store.base.replace(/\/$/, ''),
    KEY: ADMIN_KEY,
    FINDINGS: join(directory, 'findings'),
    PORT: String(freePort()),
    PETSTORE: command([]).line.join(' '),
  })
  if (exitCode === 0 && prints(output, tool.expected)) return 'works'
  return `FAILED with exit code ${exitCode}: ${output.slice(-4000)}`
}

async function readRendering({ format, generator: name, refuses }: Rendering): Promise<string> {
  const generator = generators.find(each => each.name === name)
  if (!generator) throw new Error(`There is no generator ${name}.`)
  const { output } = await run(['openapi', '--format', format])
  const { result } = await tryGenerator(generator, join(scratch, format), output)
  if (result.startsWith('skipped')) return result.replace('skipped', 'SKIPPED')
  if (refuses === undefined) return result === 'works' ? result : `FAILED: ${result}`
  return prints(result, refuses)
    ? `refused: ${refuses.replaceAll('…', '')}`
    : `FAILED: another result: ${result}`
}

const checks: readonly Check[] = [
  ...tools.map(tool => ({ ...tool, result: () => useTool(tool) })),
  ...renderings.map(rendering => ({
    name: `OpenAPI ${rendering.format}: ${rendering.generator}`,
    version: generators.find(({ name }) => name === rendering.generator)?.version ?? '',
    result: () => readRendering(rendering),
  })),
]
const names = options.only?.split(',') ?? []
const unknown = names.filter(name => !checks.some(check => check.name === name))
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. There are: ${checks.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}
const rows: string[] = []
const results: string[] = []
for (const { name, version, result } of checks) {
  if (names.length > 0 && !names.includes(name)) continue
  const startedMs = performance.now()
  const outcome = await result()
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  results.push(outcome)
  rows.push(`| ${name} | ${version} | ${outcome.split('\n')[0]?.slice(0, 160)} | ${seconds} |`)
  console.log(`${name} ${version}: ${outcome} (${seconds} s)`)
}
rmSync(scratch, { recursive: true, force: true })
console.log(['', '| Tool | Version | Result | Seconds |', '| --- | --- | --- | ---: |', ...rows].join('\n'))
const count = (start: string): number => results.filter(result => result.startsWith(start)).length
const skipped = count('SKIPPED')
const warning = skipped > 0 ? 'WERE SKIPPED: NOTHING IS SHOWN FOR THEM' : 'were skipped'
console.log(
  `${count('works')} work, ${count('refused')} refuse as listed, ${count('FAILED')} failed, ${skipped} ${warning}`,
)
process.exit(count('FAILED') === 0 ? 0 : 1)
