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

export type StagedFile = ImportProblem['file']

export function problem(file: StagedFile, { line }: StagedRow, message: string): ImportProblem {
  return { file, line, message }
}
