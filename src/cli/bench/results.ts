import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { version } from '../../files/version.ts'
import type { PlantedFault } from '../../sandboxes/bench/planted-fault.ts'
import { CommandFailed, EXIT_USAGE, escapeControls } from '../terminal/terminal.ts'

const Row = z.object({
  /** The id of the fault; empty for a run without faults. */
  fault: z.string(),
  /** How many wrong responses or events left the store. */
  provoked: z.number(),
  /** What a tool reported of it, or what a client did; empty if nothing. */
  outcome: z.string(),
  requests: z.number(),
  seconds: z.number(),
  /** What the run leaves for the comparison with later ones: the findings of a tool, or the output of a client. */
  kept: z.string(),
})
export type BenchRow = z.output<typeof Row>

/** The rows of a bench in a directory: each is written when its run has ended, so that a bench can be continued. */
export class BenchResults {
  readonly directory: string
  readonly #file: string
  readonly #rows: BenchRow[]

  /** `title` is the command with its options. Throws CommandFailed if the directory has results of another one. */
  constructor(directory: string, title: string) {
    this.directory = directory
    this.#file = join(directory, 'results.ndjson')
    mkdirSync(directory, { recursive: true })
    const head = JSON.stringify({ title, version })
    if (!existsSync(this.#file)) writeFileSync(this.#file, `${head}\n`)
    const [first, ...rows] = readFileSync(this.#file, 'utf8').split('\n')
    if (first !== head)
      throw new CommandFailed(
        `${escapeControls(directory)} has results of another command or version. Delete it, or choose another --to.`,
        EXIT_USAGE,
      )
    // A row that a kill cut off is not there.
    this.#rows = rows.flatMap(row => {
      try {
        return Row.parse(JSON.parse(row))
      } catch {
        return []
      }
    })
  }

  get rows(): readonly BenchRow[] {
    return this.#rows
  }

  add(row: BenchRow): void {
    this.#rows.push(row)
    appendFileSync(this.#file, `${JSON.stringify(row)}\n`)
  }

  /** Writes a file of the report, and returns its path. */
  write(name: string, text: string): string {
    const path = join(this.directory, name)
    writeFileSync(path, text)
    return path
  }
}

/** Returns the lines of a table in Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly unknown[]): string =>
    `| ${cells.map(cell => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Returns the sums of a class of faults: planted, provoked and reported. */
export function countOutcomes(
  faults: readonly PlantedFault[],
  rows: readonly BenchRow[],
): { readonly planted: number; readonly provoked: number; readonly reported: number } {
  const own = faults.flatMap(({ id }) => rows.filter(({ fault }) => fault === id))
  return {
    planted: own.length,
    provoked: own.filter(({ provoked }) => provoked > 0).length,
    reported: own.filter(({ outcome }) => outcome !== '').length,
  }
}

/** Returns how many findings a tool had in each run against a right store. */
export function falseAlarmsOf(rows: readonly BenchRow[]): string[] {
  return rows.filter(({ fault }) => fault === '').map(({ outcome }) => outcome.split(' ')[0] || '0')
}

/** Returns a picture with a score, in the form of common badges. */
export function badge(reported: number, planted: number): string {
  const [name, value] = ['petstore bench', `${reported}/${planted}`]
  const [left, right] = [104, 16 + 8 * value.length]
  const text = (x: number, content: string): string =>
    `<text x="${x}" y="14" text-anchor="middle">${content}</text>`
  const size = `width="${left + right}" height="20"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${name}: ${value}">
<rect width="${left}" height="20" fill="#444"/>
<rect x="${left}" width="${right}" height="20" fill="#1f6f43"/>
<g fill="#fff" font-family="Verdana,sans-serif" font-size="11">
${text(left / 2, name)}
${text(left + right / 2, value)}
</g>
</svg>
`
}
