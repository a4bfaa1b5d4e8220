import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { BenchResults, countOutcomes, falseAlarmsOf, markdownTable } from '../../src/cli/bench/results.ts'
import { plantableFaults } from '../../src/sandboxes/bench/catalogue.ts'
import { command } from '../support/process.ts'
import { install, shellVariables } from './install.ts'
import { tools } from './tools.ts'

// `npm run bench:tools` scores each tool of tools.ts that writes a report, with `petstore bench tool`, and prints the
// table of docs/bench.md. Started again, it goes on where it was.

const { only, fault, timeout, to } = new Command('bench:tools')
  .description('Scores tools of other projects by stores that are wrong on purpose.')
  .option('--only <names>', 'comma-separated names of tools')
  .option('--fault <ids>', 'only these faults')
  .option('--timeout <time>', 'the longest time of a run', '60s')
  .option('--to <directory>', 'where tools and results go', join(tmpdir(), 'petstore-bench-tools'))
  .parse()
  .opts<{ only?: string; fault?: string; timeout: string; to: string }>()

const names = only?.split(',')
const rows: string[][] = []
for (const tool of tools) {
  if (tool.tests === undefined || !(names?.includes(tool.name) ?? true)) continue
  console.log(`\n${tool.name} ${tool.version}`)
  const directory = join(to, tool.name.replaceAll(' ', '-'))
  const failure = await install(tool, directory)
  const results = join(directory, 'results')
  const chosen = fault === undefined ? [] : ['--fault', fault]
  const { line } = command([
    'bench',
    'tool',
    '--run',
    tool.run,
    '--to',
    results,
    '--timeout',
    timeout,
    ...chosen,
  ])
  const run =
    failure === undefined &&
    Bun.spawn(line, {
      cwd: directory,
      env: { ...process.env, ...shellVariables },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
  if (!run || (await run.exited) !== 0) {
    console.log(failure ?? 'The bench failed.')
    process.exitCode = 1
    continue
  }
  rows.push([
    `${tool.name} ${tool.version}`.trim(),
    tool.tests,
    ...scoresOf(new BenchResults(results, `tool ${tool.run}`)),
  ])
}
const head = ['Tool', 'What it does', 'Faults', 'Provoked', 'Reported', 'False alarms', 'Requests a run']
console.log(`\n${markdownTable(head, rows)}`)

function scoresOf({ rows }: BenchResults): string[] {
  const { planted, provoked, reported } = countOutcomes(plantableFaults, rows)
  const requests = rows.find(({ fault }) => fault === '')?.requests ?? 0
  const faults = planted < plantableFaults.length ? `${planted}, a sample` : String(planted)
  return [
    faults,
    String(provoked),
    String(reported),
    falseAlarmsOf(rows).join(', '),
    requests.toLocaleString('en'),
  ]
}
