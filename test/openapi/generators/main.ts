import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { ROOT } from '../../support/root.ts'
import { generators } from './generators.ts'
import { findings, page } from './page.ts'
import { lastOutcome, type Outcome, tryGenerator } from './try-generator.ts'

const options = new Command('generators')
  .description(
    'Tests every client generator whose toolchain is installed; fails if docs/generators.md has other results.',
  )
  .option('--only <names>', 'comma-separated full names of generators')
  .option(
    '--scratch <directory>',
    'working directory; kept, with the outcome of each generator that ran there',
  )
  .option('--write', 'writes docs/generators.md')
  .parse()
  .opts<{ only?: string; scratch?: string; write?: boolean }>()

const PAGE = join(ROOT, 'docs', 'generators.md')
const names = options.only?.split(',') ?? []
const unknown = names.filter(name => !generators.some(generator => generator.name === name))
if (unknown.length > 0) {
  console.error(
    `There is no generator ${unknown.join(', ')}. There are: ${generators.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(2)
}
const selected = generators.filter(({ name }) => names.length === 0 || names.includes(name))
const scratch = options.scratch ?? mkdtempSync(join(tmpdir(), 'petstore-generators-'))
const outcomes: Outcome[] = []
for (const generator of selected) {
  console.log(`${generator.name} ...`)
  const outcome = await tryGenerator(generator, scratch)
  outcomes.push(outcome)
  const { result, observed, codeLines, seconds } = outcome
  console.log(`${generator.name} ${generator.version}: ${result} (${codeLines} lines, ${seconds} s)`)
  for (const [name, value] of Object.entries(observed)) if (value !== '') console.log(`  ${name}: ${value}`)
}
if (options.write) {
  const known = generators.flatMap(generator => {
    const now = outcomes.find(outcome => outcome.generator === generator)
    return now ?? lastOutcome(generator, scratch) ?? []
  })
  writeFileSync(PAGE, page(known))
}
const ran = outcomes.filter(({ result }) => !result.startsWith('skipped'))
const documented = readFileSync(PAGE, 'utf8').split('\n')
const changed = ran.map(findings).filter(found => !documented.some(line => line.startsWith(found)))
for (const found of changed) console.error(`docs/generators.md does not contain: ${found}`)
if (!options.scratch) rmSync(scratch, { recursive: true, force: true })
console.log(`${ran.length} compared with docs/generators.md: ${changed.length} differ`)
const allWork = ran.every(({ result }) => result === 'works')
process.exit(allWork && changed.length === 0 ? 0 : 1)
