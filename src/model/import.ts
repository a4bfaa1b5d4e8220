import { z } from 'zod'
import { int64Between } from './int64.ts'
import { stockUnits } from './stock-units.ts'
import { text } from './text.ts'

/** The maximum number of rows of each kind that are sent and staged together. */
export const IMPORT_ROWS_MAX = 500

const line = int64Between(1n, 1_000_000_000_000n)
const name = text(1, 200)

/** A category in an import file; `line` is its line number. */
export const ImportedCategory = z.strictObject({ line, name, description: text(0, 2000).optional() })
export type ImportedCategory = z.output<typeof ImportedCategory>

/** A pet in an import file; `category` is the name of its category. */
export const ImportedPet = z.strictObject({
  line,
  name,
  category: name,
  quantity: stockUnits,
  hold: z.boolean(),
})
export type ImportedPet = z.output<typeof ImportedPet>

export const ImportRows = z.strictObject({
  categories: z.array(ImportedCategory).max(IMPORT_ROWS_MAX),
  pets: z.array(ImportedPet).max(IMPORT_ROWS_MAX),
})
export type ImportRows = z.output<typeof ImportRows>

/** Whether to skip a pet if its category already has a pet of that name, in the store or in an earlier row. */
const skipExisting = z.boolean().optional()

/** `dryRun` checks the rows and changes nothing; `keepGoing` loads the valid rows even if others are invalid. */
export const ApplyOptions = z.strictObject({ dryRun: z.boolean(), keepGoing: z.boolean(), skipExisting })
export type ApplyOptions = z.output<typeof ApplyOptions>

/** Names of categories to look up. */
export const ImportNames = z.strictObject({ names: z.array(name).max(IMPORT_ROWS_MAX) })
export type ImportNames = z.output<typeof ImportNames>

/** The number of categories with each requested name, in the order of the names: 0, 1, or 2 for several. */
export const ImportNameCounts = z.strictObject({ counts: z.array(z.bigint()) })
export type ImportNameCounts = z.output<typeof ImportNameCounts>

/** Pets to look up, by their name and the name of their category. */
export const ImportPetNames = z.strictObject({
  pets: z.array(z.strictObject({ name, category: name })).max(IMPORT_ROWS_MAX),
})
export type ImportPetNames = z.output<typeof ImportPetNames>

/** Whether each of the pets that were looked up was found, in their order. */
export const ImportPetMatches = z.strictObject({ exist: z.array(z.boolean()) })
export type ImportPetMatches = z.output<typeof ImportPetMatches>

/** The maximum number of rows of one slice. */
export const SLICE_ROWS_MAX = 500

/**
 * `begins` is true in the first slice: it says that every row of the import is staged, because only then may slices be
 * loaded. The `skipExisting` of the first slice applies to all slices.
 */
export const ImportSlice = z.strictObject({
  rows: int64Between(1n, BigInt(SLICE_ROWS_MAX)),
  begins: z.boolean(),
  skipExisting,
})
export type ImportSlice = z.output<typeof ImportSlice>

/** The reason why one line of a file cannot be loaded. */
export const ImportProblem = z.strictObject({
  file: z.enum(['categories', 'pets']),
  line,
  message: z.string(),
})
export type ImportProblem = z.output<typeof ImportProblem>

export const ImportOutcome = z.strictObject({
  categoriesCreated: z.bigint(),
  categoriesFound: z.bigint(),
  petsCreated: z.bigint(),
  /** The number of pets that `skipExisting` left out. */
  petsSkipped: z.bigint(),
  problems: z.array(ImportProblem),
})
export type ImportOutcome = z.output<typeof ImportOutcome>

/** `isKnown` is false unless all rows of the import are staged under its id. */
export const ImportSliceOutcome = ImportOutcome.extend({ isKnown: z.boolean(), isLast: z.boolean() })
export type ImportSliceOutcome = z.output<typeof ImportSliceOutcome>

// The sentences about names: the store and the importer both write them.

export function occursTwice(name: string): string {
  return `the category "${name}" occurs twice`
}

export function noCategory(name: string): string {
  return `there is no category "${name}"`
}

export function ambiguous(name: string): string {
  return `there are several categories "${name}" in the store: rename one`
}
