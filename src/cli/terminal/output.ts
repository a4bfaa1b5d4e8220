import { csvLine } from '../../values/csv.ts'
import { writeJson } from '../../values/json.ts'
import { print } from './terminal.ts'
import { memberLines, tableLines } from './text-table.ts'

export const outputFormats = ['table', 'json', 'ndjson', 'csv'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** How the data of a response is printed. */
export interface OutputOptions {
  readonly format: OutputFormat
  /** The members of the items, as the contract names them. A CSV has these columns. */
  readonly columns: readonly string[]
  /** The member of a resource whose items are the rows of a table, each with the other members of the resource. */
  readonly list?: string
  /** Whether a value is a secret that no other response contains. If so, no value is cut. */
  readonly isSecret?: boolean
}

/** Prints the pages of a list as one document. */
interface ListPrinter {
  page(items: readonly unknown[]): Promise<void>
  /** Prints the end of the document. It is not called after an error, so that a cut document is not a valid one. */
  end(): Promise<void>
}

/** Returns the format for standard output: a table for a terminal, and JSON for a program. */
export function defaultFormat(): OutputFormat {
  return process.stdout.isTTY ? 'table' : 'json'
}

/** Returns the width of the terminal in columns; 80 if it is not known. */
export function terminalWidth(): number {
  return process.stdout.columns || 80
}

/** Prints one resource. */
export async function printResource(
  data: unknown,
  { format, columns, list, isSecret }: OutputOptions,
): Promise<void> {
  const { [list ?? '']: listed, ...row } = rowOf(data)
  const items = Array.isArray(listed) ? listed.map(rowOf) : undefined
  if (format === 'json') await print(`${jsonText(data)}\n`)
  else if (format === 'ndjson') await print(`${writeJson(data)}\n`)
  else if (format === 'csv') {
    const rows = items?.map(item => ({ ...row, ...item })) ?? [row]
    await print(
      [columns, ...rows.map(one => columns.map(name => one[name]))].map(cells => csvLine(cells)).join(''),
    )
  } else {
    const table = items && items.length > 0 ? tableLines(columns, items, terminalWidth()) : []
    await print(lines([...memberLines(row, isSecret ? undefined : terminalWidth()), ...table]))
  }
}

/** Returns a printer for the pages of a list. Nothing is printed before the first page. */
export function listPrinter({ format, columns }: OutputOptions): ListPrinter {
  let count = 0
  let pages = 0
  const separated = (item: unknown): string => `${count++ === 0 ? '' : ','}${jsonItem(item)}`
  const page = async (items: readonly unknown[]): Promise<void> => {
    const isFirst = pages++ === 0
    if (format === 'json') await print((isFirst ? '[' : '') + items.map(separated).join(''))
    else if (format === 'ndjson') await print(items.map(item => `${writeJson(item)}\n`).join(''))
    else if (format === 'csv') {
      const rows = items.map(rowOf).map(row => csvLine(columns.map(name => row[name])))
      await print((isFirst ? csvLine(columns) : '') + rows.join(''))
    } else if (items.length > 0) {
      const table = tableLines(columns, items.map(rowOf), terminalWidth())
      await print(lines(count === 0 ? table : table.slice(1)))
      count += items.length
    }
  }
  const end = async (): Promise<void> => {
    if (format === 'json') await print(`${process.stdout.isTTY && count > 0 ? '\n' : ''}]\n`)
  }
  return { page, end }
}

/** Returns JSON in one line for a program, and indented for a person. Every integer is exact. */
export function jsonText(value: unknown): string {
  return process.stdout.isTTY ? indented(value, '') : writeJson(value)
}

function jsonItem(item: unknown): string {
  return process.stdout.isTTY ? `\n  ${indented(item, '  ')}` : writeJson(item)
}

function indented(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return writeJson(value)
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map(item => indented(item, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${indented(member, inner)}`)
  const [open, close] = isList ? '[]' : '{}'
  return parts.length === 0
    ? `${open}${close}`
    : `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`
}

function rowOf(item: unknown): Readonly<Record<string, unknown>> {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return { value: item }
  return Object.fromEntries(Object.entries(item))
}

function lines(texts: readonly string[]): string {
  return texts.map(text => `${text}\n`).join('')
}
