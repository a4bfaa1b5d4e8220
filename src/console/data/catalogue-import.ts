import { makeCall } from '../../client/client.ts'
import { ApiError } from '../../client/petstore-client.ts'
import type { CatalogueFile, LineProblem, Row } from './catalogue-file.ts'
import { baseUrl } from './session.ts'
import { noteThrottle } from './throttle.ts'

/** The result of an import or of its dry run. */
export interface ImportResult {
  /** The number of new categories. Existing categories with the same name are used unchanged. */
  readonly categories: bigint
  readonly pets: bigint
  readonly problems: readonly LineProblem[]
}

/** The maximum number of rows that the store stages in one request. */
const ROWS_PER_REQUEST = 500
/** A group of rows is sent when its text reaches this length, well below the body size limit. */
const GROUP_CHARS_MAX = 100_000

/** Operations that are not in the OpenAPI description. The command `petstore import` uses them too. */
const operations = {
  stage: { method: 'POST', path: '/imports/{importId}/rows', empty: true },
  apply: { method: 'POST', path: '/imports/{importId}/apply' },
} as const

/**
 * Loads all rows, or none if one of them is invalid. With `dryRun`, only checks them. Throws ApiError for a refusal
 * that is not about a row, and ConnectionError if the store does not respond.
 */
export async function importRows(
  key: string,
  rows: Readonly<Record<CatalogueFile, readonly Row[]>>,
  dryRun: boolean,
): Promise<ImportResult> {
  const call = makeCall({ baseUrl, key, onRetry: noteThrottle })
  const randomBits = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n
  // The id is random, from 1 to 2^48, so it is always a positive int64.
  const input = { importId: (randomBits >> 16n) + 1n }
  const problems: LineProblem[] = []
  for (const file of ['categories', 'pets'] as const) {
    for (const group of groupsOf(rows[file])) {
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

function* groupsOf(rows: readonly Row[]): Generator<readonly Row[]> {
  let group: Row[] = []
  let chars = 0
  for (const row of rows) {
    group.push(row)
    for (const value of Object.values(row)) chars += String(value).length
    if (group.length < ROWS_PER_REQUEST && chars < GROUP_CHARS_MAX) continue
    yield group
    group = []
    chars = 0
  }
  if (group.length > 0) yield group
}

/** Stages the valid rows of a group. Returns a problem for each row that the store refuses. */
async function stageValid(
  file: CatalogueFile,
  group: readonly Row[],
  stage: (rows: readonly Row[]) => Promise<void>,
): Promise<LineProblem[]> {
  const refused = new Map<number, string>()
  // A refusal may name only some of the invalid rows, so a request with the remaining rows may be refused too.
  for (;;) {
    try {
      await stage(group.filter((_, index) => !refused.has(index)))
      break
    } catch (error) {
      const remaining = group.map((_, index) => index).filter(index => !refused.has(index))
      const before = refused.size
      for (const { pointer = '', message } of error instanceof ApiError ? error.errors : []) {
        const index = remaining[Number(pointer.split('/')[2])]
        if (index !== undefined) refused.set(index, message)
      }
      if (refused.size === before) throw error
    }
  }
  return [...refused].map(([index, message]) => ({ file, line: Number(group[index]?.line), message }))
}
