import { type CsvError, parse } from 'csv-parse/browser/esm/sync'
import { makeCall } from '../../client/client.ts'
import { ApiError } from '../../client/petstore-client.ts'
import { baseUrl } from './session.ts'

/** The kind of the rows in a file. */
export type CatalogueFile = 'categories' | 'pets'

/** The reason why one line of a file cannot be loaded. */
export interface LineProblem {
  readonly file: CatalogueFile
  readonly line: number
  readonly message: string
}

/** The result of an import or of its dry run. */
export interface ImportResult {
  /** The number of new categories. Existing categories with the same name are used unchanged. */
  readonly categories: bigint
  readonly pets: bigint
  readonly problems: readonly LineProblem[]
}

interface Row {
  readonly line: bigint
  readonly [member: string]: unknown
}

/** The maximum number of rows that the store stages in one request. */
const ROWS_PER_REQUEST = 500

const columns: Readonly<Record<CatalogueFile, { required: readonly string[]; optional: readonly string[] }>> =
  {
    categories: { required: ['name'], optional: ['description'] },
    pets: { required: ['name', 'category'], optional: ['quantity', 'hold'] },
  }

/** Operations that are not in the OpenAPI description. The command `petstore import` uses them too. */
const operations = {
  stage: { method: 'POST', path: '/imports/{importId}/rows', empty: true },
  apply: { method: 'POST', path: '/imports/{importId}/apply' },
} as const

/**
 * Returns the rows of a CSV file and the problems of its invalid lines. Throws Error if the text is not CSV, or if its
 * first line does not name the columns of such a file.
 */
export function readCatalogue(file: CatalogueFile, text: string): { rows: Row[]; problems: LineProblem[] } {
  const records = recordsIn(file, text)
  const [head, ...lines] = records
  if (!head) throw new Error('The file is empty: its first line must name the columns.')
  const names = head.cells.map(name => name.trim())
  const { required, optional } = columns[file]
  const missing = required.find(name => !names.includes(name))
  if (missing !== undefined) throw new Error(`The column "${missing}" is missing in the first line.`)
  const unknown = names.find(name => ![...required, ...optional].includes(name))
  if (unknown !== undefined) {
    throw new Error(
      `The column "${unknown}" is unknown. The columns are ${[...required, ...optional].join(', ')}.`,
    )
  }
  const problems: LineProblem[] = []
  const rows: Row[] = []
  for (const { line, cells } of lines) {
    const values = Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']))
    const result =
      cells.length === names.length
        ? rowOf(file, line, values)
        : `has ${cells.length} cells, but the first line names ${names.length} columns`
    if (typeof result === 'string') problems.push({ file, line, message: result })
    else rows.push(result)
  }
  return { rows, problems }
}

function recordsIn(file: CatalogueFile, text: string): { line: number; cells: string[] }[] {
  try {
    const options = { bom: true, info: true, relax_column_count: true, skip_empty_lines: true } as const
    // Safe: with `info`, the parser returns each record with its position; its types do not say so.
    const records = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[]
    return records.map(({ record, info }) => ({ line: info.lines, cells: record }))
  } catch (error) {
    // Safe: given a text, the parser throws only CsvError.
    throw new Error(`The file of ${file} is not CSV: ${(error as CsvError).message}`)
  }
}

/** Returns the row of a line, or the message about its first problem. The store checks everything else. */
function rowOf(file: CatalogueFile, line: number, values: Readonly<Record<string, string>>): Row | string {
  const { name = '', description = '', category = '', quantity = '', hold = '' } = values
  if (file === 'categories') return { line: BigInt(line), name, ...(description !== '' && { description }) }
  if (!/^\d{0,10}$/.test(quantity.trim()))
    return `quantity "${quantity}" must be an integer from 0 to 1000000000`
  if (!['', 'yes', 'no'].includes(hold)) return `hold "${hold}" must be yes, no or empty`
  const units = quantity.trim() === '' ? 1n : BigInt(quantity.trim())
  return { line: BigInt(line), name, category, quantity: units, hold: hold === 'yes' }
}

/**
 * Loads all rows, or none if one of them is invalid. With `dryRun`, only checks them. Throws ApiError for a refusal
 * that is not about a row, and ConnectionError if the store does not respond.
 */
export async function importRows(
  key: string,
  rows: Readonly<Record<CatalogueFile, readonly Row[]>>,
  dryRun: boolean,
): Promise<ImportResult> {
  const call = makeCall({ baseUrl, key })
  const importId = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n
  // The id is random, from 1 to 2^48, so it is always a positive int64.
  const input = { importId: (importId >> 16n) + 1n }
  const problems: LineProblem[] = []
  for (const file of ['categories', 'pets'] as const) {
    for (let from = 0; from < rows[file].length; from += ROWS_PER_REQUEST) {
      const group = rows[file].slice(from, from + ROWS_PER_REQUEST)
      const stage = async (valid: readonly Row[]): Promise<void> => {
        const body = { categories: [], pets: [], [file]: valid }
        await call('stageImport', operations.stage, { ...input, body })
      }
      problems.push(...(await stageValid(file, group, stage)))
    }
  }
  const isDry = dryRun || problems.length > 0
  const { data } = await call('applyImport', operations.apply, {
    ...input,
    body: { dryRun: isDry, keepGoing: false },
  })
  // Safe: the contract of the operation has these members.
  const outcome = data as {
    categoriesCreated: bigint
    petsCreated: bigint
    problems: { file: CatalogueFile; line: bigint; message: string }[]
  }
  problems.push(...outcome.problems.map(found => ({ ...found, line: Number(found.line) })))
  return { categories: outcome.categoriesCreated, pets: outcome.petsCreated, problems }
}

/** Stages the valid rows of a group. Returns a problem for each row that the store refuses. */
async function stageValid(
  file: CatalogueFile,
  group: readonly Row[],
  stage: (rows: readonly Row[]) => Promise<void>,
): Promise<LineProblem[]> {
  const refused = new Map<number, string>()
  // A refusal may name only some of the invalid rows, so the remaining rows may be refused again.
  for (;;) {
    try {
      await stage(group.filter((_, index) => !refused.has(index)))
      break
    } catch (error) {
      const left = group.map((_, index) => index).filter(index => !refused.has(index))
      const before = refused.size
      for (const { pointer = '', message } of error instanceof ApiError ? error.errors : []) {
        const index = left[Number(pointer.split('/')[2])]
        if (index !== undefined) refused.set(index, message)
      }
      if (refused.size === before) throw error
    }
  }
  return [...refused].map(([index, message]) => ({ file, line: Number(group[index]?.line), message }))
}
