import { table } from './section.ts'

/** A line of a table: its cells. */
type Cells = readonly string[]

/** One `###` section of a report. */
interface Part {
  readonly title: string
  readonly paragraphs: readonly string[]
  readonly tables: readonly (readonly Cells[])[]
}

/** One measured value of the page. `required` is empty if the value has no requirement. */
interface Entry {
  readonly name: string
  readonly measured: string
  readonly required: string
}

/** The fields of the first line of a report, which `environmentText` writes. */
export interface Environment {
  /** The number of cores, such as `2 cores`. */
  readonly cores: string
  readonly bun: string
  readonly commit: string
  readonly date: string
  readonly rounds: string
}

const TEXT_COLUMNS = 100

export function environmentOf(report: string): Environment {
  const [line = ''] = report.split('\n')
  const found =
    /^(?<cores>\d+ cores) .*?; (?<bun>Bun \S+); commit (?<commit>\S+); (?<date>\S+); (?<rounds>.*?), /.exec(
      line,
    )
  const { cores, bun, commit, date, rounds } = found?.groups ?? {}
  if (!cores || !bun || !commit || !date || !rounds)
    throw new Error(`unknown first line of a report: ${line}`)
  return { cores, bun, commit, date, rounds }
}

/**
 * Returns a report as the page shows it: a title, the run, and a table with what has a requirement. `history` is the
 * file with the whole report.
 */
export function publishedText(title: string, report: string, history: string): string {
  const { cores, bun, commit, date, rounds } = environmentOf(report)
  const run = `Commit ${commit}, ${date}, ${bun}, ${cores}, ${rounds}: [report](${history}).`
  return [`### ${title}`, run, tableText(groupsOf(partsOf(report)))].join('\n\n')
}

/** Returns a report without the marks of Markdown, with aligned tables and short lines. */
export function plainText(report: string): string {
  const blocks = report.replaceAll(/\*\*|`/g, '').split('\n\n')
  return `${blocks.map(plainBlock).join('\n\n')}\n`
}

function plainBlock(block: string): string {
  if (block.startsWith('|')) return alignedTable(cellsOf(block))
  const heading = /^#+ (.*)$/.exec(block)?.[1]
  return heading === undefined ? wrapped(block) : `${heading}\n${'-'.repeat(heading.length)}`
}

function alignedTable(rows: readonly Cells[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length)))
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function wrapped(text: string): string {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? ''
    if (line !== '' && line.length + 1 + word.length > TEXT_COLUMNS) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join('\n')
}

function partsOf(report: string): Part[] {
  return report
    .split(/^### /m)
    .slice(1)
    .map(text => {
      const [title = '', ...blocks] = text.trim().split('\n\n')
      return {
        title,
        paragraphs: blocks.filter(block => !block.startsWith('|')),
        tables: blocks.filter(block => block.startsWith('|')).map(cellsOf),
      }
    })
}

/** Returns the rows of a table in Markdown, its head first. */
function cellsOf(block: string): Cells[] {
  const rows = block.split('\n').map(line =>
    line
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim()),
  )
  return rows.filter((_, index) => index !== 1)
}

function entriesOf({ paragraphs, tables }: Part): Entry[] {
  const entries = tables.flatMap(([head = [], ...rows]) => {
    if (head.includes('required')) return rows.flatMap(row => ratioEntry(head, row))
    if (head.includes('at most')) return rows.flatMap(figureEntry)
    if (head.includes('ratio')) return [highestRatio(head, rows, paragraphs)]
    return head.includes('cores busy') ? rows.slice(0, 1).flatMap(row => resultEntries(head, row)) : []
  })
  return entries.some(({ required }) => required !== '') ? entries : []
}

/** Returns what the side in the first row of a table of results has reached. */
function resultEntries(head: Cells, row: Cells): Entry[] {
  const [side = ''] = row
  return [1, 2].map(column => ({
    name: side.endsWith('petstore') ? (head[column] ?? '') : `${side}: ${head[column]}`,
    measured: shortRange(row[column] ?? ''),
    required: '',
  }))
}

/** Returns the ratio that counts, which is bold, if it has a requirement. */
function ratioEntry(head: Cells, row: Cells): Entry[] {
  const required = row[head.indexOf('required')] ?? ''
  if (required === '') return []
  const aim = row[head.indexOf('aim')] ?? ''
  const isByCpu = row[2]?.startsWith('**') === true
  return [
    {
      name: isByCpu ? `${row[0]} (CPU)` : (row[0] ?? ''),
      measured: judged(row[isByCpu ? 2 : 1] ?? '', row),
      required: aim === '' ? required : `${required} (aim ${aim})`,
    },
  ]
}

function figureEntry(row: Cells): Entry[] {
  const [name = '', value = '', bound = ''] = row
  return bound === '' ? [] : [{ name, measured: judged(value, row), required: `at most ${bound}` }]
}

/** Returns the row with the highest ratio, and how many rows miss the requirement. */
function highestRatio(head: Cells, rows: readonly Cells[], paragraphs: readonly string[]): Entry {
  const column = head.indexOf('ratio')
  const ratioOf = (row: Cells): number => Number((row[column] ?? '').replaceAll('*', ''))
  const [highest = []] = rows.toSorted((a, b) => ratioOf(b) - ratioOf(a))
  const missed = rows.filter(row => row.at(-1)?.includes('MISSED')).length
  const [, bound = ''] = /at most ([\d.]+) times/.exec(paragraphs.join(' ')) ?? []
  return {
    name: `highest of ${rows.length} ratios (CPU): ${highest[0]}`,
    measured: missed === 0 ? `${ratioOf(highest)} x` : `**${ratioOf(highest)} x MISSED by ${missed}**`,
    required: `at most ${bound} x`,
  }
}

/** Returns a measured value, in bold if it misses its requirement, which the last cell of its row says. */
function judged(value: string, row: Cells): string {
  const text = shortRange(value.replaceAll('*', ''))
  return row.at(-1)?.includes('MISSED') ? `**${text} MISSED**` : text
}

/** Writes `56% (51% – 58%)` as `56% (51–58)`. */
function shortRange(text: string): string {
  return text.replace(/\(([\d.,]+)[ x%]* – ([\d.,]+)[ x%]*\)/, '($1–$2)')
}

interface Group {
  readonly parts: readonly Part[]
  /** The entries of each part. All parts have the same names. */
  readonly columns: readonly (readonly Entry[])[]
}

/** Puts neighbouring parts with the same names and requirements into one group, and leaves out parts without one. */
function groupsOf(parts: readonly Part[]): Group[] {
  const groups: { parts: Part[]; columns: (readonly Entry[])[]; key: string }[] = []
  for (const part of parts) {
    const entries = entriesOf(part)
    if (entries.length === 0) continue
    const key = JSON.stringify(entries.map(({ name, required }) => [name, required]))
    const last = groups.at(-1)
    if (last?.key === key) {
      last.parts.push(part)
      last.columns.push(entries)
    } else groups.push({ parts: [part], columns: [entries], key })
  }
  return groups
}

/** Returns the groups as one table. The first group begins with the head of the table, each other with a row. */
function tableText(groups: readonly Group[]): string {
  const columns = Math.max(...groups.map(group => group.columns.length))
  const rows = groups.flatMap((group, index) => {
    const { title, differences } = mergedTitle(group.parts.map(part => part.title))
    const heads = differences.length === 1 ? ['measured'] : differences
    const [entries = []] = group.columns
    return [
      index === 0 ? [title, ...heads, 'required'] : [`**${title}**`, ...heads.map(() => ''), ''],
      ...entries.map(({ name, required }, row) => [
        name,
        ...group.columns.map(column => column[row]?.measured ?? ''),
        required,
      ]),
    ]
  })
  if (rows.some(({ length }) => length !== columns + 2))
    throw new Error('the sections do not fit into one table')
  return table(rows[0] ?? [], rows.slice(1))
}

/** Returns titles as one, with `…` in place of the words that differ; and these words for each title. */
function mergedTitle(titles: readonly string[]): { title: string; differences: string[] } {
  const words = titles.map(title => title.split(' '))
  const [first = []] = words
  const differs = first.map((word, index) => words.some(other => other[index] !== word))
  return {
    title: first.map((word, index) => (differs[index] ? '…' : word)).join(' '),
    differences: words.map(other => other.filter((_, index) => differs[index]).join(', ')),
  }
}
