import type { Command } from 'commander'
import type { Config } from '../../config.ts'
import type { ChainEntry } from '../../database/numbering/chain.ts'
import { type AuditReport, exportAuditLog, verifyAuditChain } from '../../shop/log/verification.ts'
import { countText } from '../../values/count-text.ts'
import { formatInstant, formatInstantMs } from '../../values/instant.ts'
import { type CheckRecord, recordAuditCheck } from '../backup-files/last-backup.ts'
import { openSnapshot, sayIfRunning } from '../store-access/snapshot.ts'
import { addPlaceOptions, existingStoreFrom, type PlaceOptions } from '../store-access/store-config.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, print, reasonOf, say } from '../terminal/terminal.ts'

interface AuditOptions extends PlaceOptions {
  readonly anchor?: string
}

/** Adds the command `audit`, which verifies or prints the audit log of a running or stopped store. */
export function addAudit(program: Command): void {
  const audit = program.command('audit').description('verify or print the audit log of a store')
  const verify = audit
    .command('verify')
    .description('verify the hash chain: finds changed, deleted and inserted entries')
    .option(
      '--anchor <position:hash>',
      'an anchor that was printed earlier: the log up to it must be unchanged',
    )
    .action(runVerify)
  const print = audit
    .command('export')
    .description('print every entry as a line of JSON, oldest first')
    .action(runExport)
  for (const command of [verify, print]) addPlaceOptions(command)
}

async function runVerify(options: AuditOptions): Promise<void> {
  const anchor = options.anchor === undefined ? undefined : readAnchor(options.anchor)
  const config = existingStoreFrom(options)
  await using store = await openSnapshot(config)
  const at = formatInstantMs(Date.now())
  const report = await verifyAuditChain(store.reader, anchor)
  await record(config, { at, isAuditIntact: report.problems.length === 0 })
  if (report.problems.length > 0) throw new CommandFailed(report.problems.join('\n'))
  await print(`${explainReport(report)}\n`)
}

/** Records the check for the metrics. A check that cannot be recorded is reported all the same. */
async function record(config: Config, check: Required<CheckRecord>): Promise<void> {
  try {
    await recordAuditCheck(config, check)
  } catch (error) {
    say(`The metrics will not know of this check: ${escapeControls(reasonOf(error))}`)
  }
}

async function runExport(options: AuditOptions): Promise<void> {
  const config = existingStoreFrom(options)
  sayIfRunning(config)
  await using store = await openSnapshot(config, { inSlices: true })
  try {
    for await (const line of exportAuditLog(store.reader)) await print(`${line}\n`)
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    throw new CommandFailed(`The export failed: ${reasonOf(error)}. The output is incomplete.`)
  }
}

/** Prints hints about a report on standard error, and returns the line for standard output. */
function explainReport({ entries, floor, head, gaps }: AuditReport): string {
  for (const { after, to, at } of gaps) {
    const when = formatInstant(at)
    say(
      `The positions ${after + 1n} to ${to} have no entries: the store was restored at ${when}, from a backup.`,
    )
  }
  if (entries === 0n) return 'This store has no events: there is nothing to verify.'
  say(`Keep the anchor: with --anchor, it later shows that no entry up to ${head.position} was changed.`)
  const verb = entries === 1n ? 'is' : 'are'
  const whole = `${countText(entries, 'entry', 'entries')}, ${floor.position + 1n} to ${head.position}, ${verb} intact.`
  return `${whole} Anchor: ${head.position}:${head.hash}`
}

function readAnchor(text: string): ChainEntry {
  const match = /^([1-9]\d{0,17}):([\w-]{43})$/.exec(text)
  if (!match)
    throw new CommandFailed(
      '--anchor must be an anchor that "audit verify" printed: a position, a colon, a hash.',
      EXIT_USAGE,
    )
  return { position: BigInt(match[1] ?? ''), hash: match[2] ?? '' }
}
