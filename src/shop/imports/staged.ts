import { sql } from '../../database/statement.ts'
import { filled, type Template } from '../../values/message.ts'
import type { ImportProblem } from './schema.ts'

/** A row of a file that is staged, and not yet loaded. */
export interface StagedRow {
  readonly line: bigint
  readonly name: string
  /** The description of a category, or the category name of a pet. */
  readonly detail: string | null
  readonly quantity: bigint
  readonly hold: boolean
  readonly reorderAt: bigint | null
  readonly price: bigint | null
  readonly barcode: string | null
}

/**
 * Replaces the instant in the first row of a discarded import. An empty text sorts before every instant, so the next
 * sweep deletes the rows.
 */
export const DISCARDED = ''

export const markDiscarded = sql()(`
  UPDATE staged_row SET at = '${DISCARDED}' WHERE import_id = $importId AND (file, line) IN
    (SELECT file, line FROM staged_row WHERE import_id = $importId ORDER BY file, line LIMIT 1)`)

export type StagedFile = ImportProblem['file']

export function problem(file: StagedFile, { line }: StagedRow, reason: Template): ImportProblem {
  return { file, line, message: filled(reason), reason: { text: reason.text, values: [...reason.values] } }
}
