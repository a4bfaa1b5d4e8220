import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Glob } from 'bun'
import { z } from 'zod'
import { ROOT } from './support/root.ts'

// `npm run prove` runs the tests that check a guarantee by repetition, with far more repetitions than `npm test`. With
// --write, it writes the results to RELIABILITY.md.

const PAGE = join(ROOT, 'RELIABILITY.md')
const MARKS = { from: '<!-- proofs -->', to: '<!-- /proofs -->' }
/** The names of the test files, without `.test.ts`. */
const fileNames = [
  'races',
  'idempotency',
  'crash',
  'disk-full',
  'fuzz',
  'no-lost-events',
  'slow-streams',
  'dispatcher',
  'backlog',
  'isolation',
  'unreliable-database',
  'many-processes',
  'failover',
  'many-sandboxes',
  'misbehaving-sandbox',
  'catching-up',
  'clock-steps',
  'log-streams-memory',
  'host-capacity',
]

const ProofLine = z.object({ guarantee: z.number(), engine: z.string(), summary: z.string() })
type ProofLine = z.output<typeof ProofLine>

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: fileNames.join(',') },
    /** The share of the full number of repetitions. A share of 1 takes about an hour on two cores. */
    share: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
})

// The commit is read before the run, because the checked-out commit may change during the run.
const commit = Bun.spawnSync(['git', 'rev-parse', '--short', 'HEAD'], { cwd: ROOT }).stdout.toString().trim()
const directory = mkdtempSync(join(tmpdir(), 'petstore-proof-'))
const file = join(directory, 'proofs.jsonl')
writeFileSync(file, '')
const paths = values.only
  .split(',')
  .map(name => join(ROOT, [...new Glob(`test/{*,http/events}/${name}.test.ts`).scanSync(ROOT)][0] ?? name))
const child = Bun.spawn([process.execPath, 'test', ...paths], {
  cwd: ROOT,
  env: { ...process.env, PETSTORE_PROOF: file, PETSTORE_PROOF_SHARE: values.share },
  stdout: 'inherit',
  stderr: 'inherit',
})
const exitCode = await child.exited
const proofs = readFileSync(file, 'utf8')
  .split('\n')
  .filter(line => line !== '')
  .map(line => ProofLine.parse(JSON.parse(line)))
rmSync(directory, { recursive: true, force: true })
if (exitCode !== 0) {
  process.stderr.write('The tests failed, so RELIABILITY.md was not changed.\n')
  process.exit(exitCode)
}
const report = table(proofs)
process.stdout.write(`\n${report}\n`)
if (values.write) writePage(report)

function table(lines: readonly ProofLine[]): string {
  const rows = lines
    .toSorted((a, b) => a.guarantee - b.guarantee)
    .map(({ guarantee, engine, summary }) => `| ${guarantee} | ${engine} | ${summary} |`)
  const command = `npm run prove -- --only ${values.only} --share ${values.share}`
  return [
    `Commit ${commit}, Bun ${Bun.version}, ${new Date().toISOString().slice(0, 10)}, \`${command}\`:`,
    '',
    '| # | engine | work and result |',
    '| --- | --- | --- |',
    ...rows,
  ].join('\n')
}

function writePage(report: string): void {
  const page = readFileSync(PAGE, 'utf8')
  const from = page.indexOf(MARKS.from)
  const to = page.indexOf(MARKS.to)
  if (from < 0 || to < from)
    throw new Error('RELIABILITY.md does not have the markers between which the counts are written')
  writeFileSync(PAGE, `${page.slice(0, from)}${MARKS.from}\n\n${report}\n\n${page.slice(to)}`)
}
