import { SingleBar } from 'cli-progress'
import type { Findings, ImportProgress, ImportSources } from '../../catalogue/importer.ts'
import { type OnExisting, SLICE_ROWS_MAX, updatesExisting } from '../../shop/imports/limits.ts'
import type { ImportProblem } from '../../shop/imports/schema.ts'
import { countText } from '../../values/count-text.ts'
import { escapeControls, say } from '../terminal/terminal.ts'

interface ImportScreen {
  readonly files: ImportSources
  /** The bytes of all files; 0 if no file is read. */
  readonly bytes: number
  readonly importId: bigint
  readonly onExisting: OnExisting
}

/** Shows the progress of an import on standard error: bars on a terminal, problems, and a line before a long load. */
export function showProgress(screen: ImportScreen): ImportProgress & { stop(): void } {
  const bar = (unit: string): SingleBar =>
    new SingleBar({ format: `{bar} {percentage}% of {total} ${unit}`, hideCursor: true })
  const reading = bar('bytes read')
  const loading = bar('rows loaded')
  if (screen.bytes > 0) reading.start(screen.bytes, 0)
  return {
    onBytes: count => reading.increment(count),
    onChecked: findings => {
      reading.stop()
      for (const line of findingsText(findings, screen)) say(line)
    },
    onStaged: rows => {
      if (rows <= SLICE_ROWS_MAX) return
      const id = screen.importId
      say(`Loading ${countText(rows, 'row')}. If this is interrupted, continue with --resume ${id}`)
      loading.start(rows, 0)
    },
    onProblems: problems => {
      for (const problem of problems) say(problemText(screen.files, problem))
    },
    onLoaded: count => loading.increment(count),
    stop: () => {
      reading.stop()
      loading.stop()
    },
  }
}

/** Returns a problem as `file:line: problem`. A resumed import does not know the names of its files. */
function problemText(files: ImportSources, { file, line, message }: ImportProblem): string {
  return escapeControls(`${files[file]?.name ?? file}:${line}: ${message}`)
}

/** Returns the notices, the problems of the lines, and a warning about the lines whose pet exists. */
export function findingsText(
  {
    notices,
    problems,
    problemCount,
    missingCategoryCount,
    hasUnclearPrices,
    existing,
    existingCount,
  }: Findings,
  { files, onExisting }: Pick<ImportScreen, 'files' | 'onExisting'>,
): string[] {
  const lines = [...notices, ...problems.map(problem => problemText(files, problem))]
  if (problemCount > problems.length)
    lines.push(`... and ${problemCount - problems.length} more invalid lines`)
  if (missingCategoryCount > 0) {
    const missing = countText(missingCategoryCount, 'category is', 'categories are')
    lines.push(
      `${missing} missing: with --create-categories, the import creates ${missingCategoryCount === 1 ? 'it' : 'them'}.`,
    )
  }
  if (hasUnclearPrices) lines.push('Say --decimal-mark point (12.50) or --decimal-mark comma (12,50).')
  if (existingCount === 0) return lines
  const isOne = existingCount === 1
  const pets = countText(existingCount, 'pet')
  if (updatesExisting(onExisting)) {
    lines.push(`${pets} ${isOne ? 'exists and is' : 'exist and are'} updated:`)
  } else if (onExisting === 'skip') {
    const why = `${isOne ? 'its' : 'their'} category has a pet of this name, or an earlier line names one`
    lines.push(`${pets} ${isOne ? 'is' : 'are'} left out, because ${why}:`)
  } else {
    const have = `${isOne ? 'has' : 'have'} the name of an existing pet of ${isOne ? 'its' : 'their'} category`
    lines.push(`${pets} ${have}. Without --skip-existing, ${isOne ? 'it is' : 'they are'} loaded as well:`)
  }
  const texts = existing.map(({ line, name }) => problemText(files, { file: 'pets', line, message: name }))
  lines.push(...texts.map(line => `  ${line}`))
  if (existingCount > existing.length) lines.push(`  ... and ${existingCount - existing.length} more`)
  return lines
}
