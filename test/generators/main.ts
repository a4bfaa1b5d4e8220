import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { generators } from './generators.ts'
import { page } from './page.ts'
import { lastOutcome, type Outcome, tryGenerator } from './try-generator.ts'

const options = new Command('generators')
  .description('Tries every client generator whose toolchain is installed on openapi.yaml.')
  .option('--only <names>', 'comma-separated names, whole')
  .option('--scratch <directory>', 'where to work; kept, with the outcome of each generator that ran there')
  .option('--write', 'writes docs/generators.md')
  .parse()
  .opts<{ only?: string; scratch?: string; write?: boolean }>()

const wanted = generators.filter(({ name }) => !options.only || options.only.split(',').includes(name))
const scratch = options.scratch ?? mkdtempSync(join(tmpdir(), 'petstore-generators-'))
const outcomes: Outcome[] = []
for (const generator of wanted) {
  const outcome = await tryGenerator(generator, scratch)
  outcomes.push(outcome)
  const { result, observed, codeLines, seconds } = outcome
  console.log(`${generator.name} ${generator.version}: ${result} (${codeLines} lines, ${seconds} s)`)
  for (const [name, value] of Object.entries(observed)) console.log(`  ${name}: ${value}`)
}
if (options.write) {
  const known = generators.flatMap(generator => {
    const now = outcomes.find(outcome => outcome.generator === generator)
    return now ?? lastOutcome(generator, scratch) ?? []
  })
  writeFileSync(join(import.meta.dir, '..', '..', 'docs', 'generators.md'), page(known))
}
if (!options.scratch) rmSync(scratch, { recursive: true, force: true })
process.exitCode = outcomes.every(({ result }) => /^(works|skipped)/.test(result)) ? 0 : 1
