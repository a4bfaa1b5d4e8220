import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { proofFile, proofNames } from './support/proof-files.ts'
import { ROOT } from './support/root.ts'

// `npm run prove` runs the tests that check a guarantee by repetition, with far more repetitions than `npm test`. With
// --write, it writes the results to RELIABILITY.md.

const PAGE = join(ROOT, 'RELIABILITY.md')
const MARKS = { from: '<!-- proofs -->', to: '<!-- /proofs -->' }
const ProofLine = z.object({ guarantee: z.number(), engine: z.string(), summary: z.string() })
type ProofLine = z.output<typeof ProofLine>

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: proofNames.join(',') },
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
const paths = values.only.split(',').map(proofFile)
const child = Bun.spawn([process.execPath, 'test', ...paths], {
  cwd: ROOT,
  env: { ...process.env, TEST_PROOF: file, TEST_PROOF_SHARE: values.share },
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

/** Returns the counts as a table with one row for each guarantee, below the commit, the date and the command. */
function table(lines: readonly ProofLine[]): string {
  const rows = [...Map.groupBy(lines, ({ guarantee }) => guarantee)]
    .toSorted(([a], [b]) => a - b)
    .map(([guarantee, proved]) => `| ${guarantee} | ${evidence(proved)} |`)
  const command = `npm run prove -- --only ${values.only} --share ${values.share}`
  return [
    `Commit ${commit}, Bun ${Bun.version}, ${new Date().toISOString().slice(0, 10)}, \`${command}\`:`,
    '',
    '| # | work and result |',
    '| --- | --- |',
    ...rows,
  ].join('\n')
}

/** Returns each result with the engines that had it. */
function evidence(lines: readonly ProofLine[]): string {
  return [...Map.groupBy(lines, ({ summary }) => summary)]
    .map(([summary, proved]) => `${proved.map(({ engine }) => engine).join(', ')}: ${summary}`)
    .join('; ')
}

function writePage(report: string): void {
  const page = readFileSync(PAGE, 'utf8')
  const from = page.indexOf(MARKS.from)
  const to = page.indexOf(MARKS.to)
  if (from < 0 || to < from)
    throw new Error('RELIABILITY.md does not have the markers between which the counts are written')
  writeFileSync(PAGE, `${page.slice(0, from)}${MARKS.from}\n\n${report}\n\n${page.slice(to)}`)
}
