import type { CatalogueKind } from '../../catalogue/catalogue-file.ts'
import type { Findings, ImportReport } from '../../catalogue/importer.ts'
import { sharedValue } from './shared-value.ts'

/** What a check or an import of files found. */
export interface ImportResult {
  readonly findings: Findings
  readonly report: ImportReport
  /** The text of a file with the header and the invalid lines, by kind. */
  readonly rejects: Readonly<Record<CatalogueKind, string | undefined>>
}

/** An import that this page loads, or has loaded. It goes on while the user looks at other views. */
interface ImportRun {
  readonly importId: bigint
  /** The number of rows to load; undefined while the files are read. */
  readonly rows?: number
  readonly loaded: number
  readonly isRunning: boolean
  readonly result?: ImportResult
  readonly error?: unknown
}

export const importRun = sharedValue<ImportRun | undefined>(undefined)

/** Says what is new about an import. One that was forgotten, as at a sign-out, is shown only if it starts again. */
export function updateRun(importId: bigint, news: Partial<ImportRun>): void {
  const run = importRun.get()
  if (run?.importId !== importId && news.isRunning !== true) return
  const known = run?.importId === importId ? run : { loaded: 0, isRunning: true }
  importRun.set({ ...known, importId, ...news })
}
