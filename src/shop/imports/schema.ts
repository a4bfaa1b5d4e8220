import { z } from 'zod'
import { int64Between } from '../../values/int64.ts'
import { text } from '../../values/text.ts'
import { amount } from '../kernel/amount-schema.ts'
import { barcode } from '../kernel/barcode-schema.ts'
import { DESCRIPTION_CHARS_MAX, NAME_CHARS_MAX } from '../kernel/limits.ts'
import { stockUnits } from '../stock/stock-units.ts'
import { IMPORT_ROWS_MAX, SLICE_ROWS_MAX } from './limits.ts'

const line = int64Between(1n, 1_000_000_000_000n)
const name = text(1, NAME_CHARS_MAX)

/** A category in an import file; `line` is its line number. */
export const ImportedCategory = z.strictObject({
  line,
  name,
  description: text(0, DESCRIPTION_CHARS_MAX).optional(),
})
export type ImportedCategory = z.output<typeof ImportedCategory>

/** A pet in an import file; `category` is the name of its category. */
export const ImportedPet = z.strictObject({
  line,
  name,
  category: name,
  quantity: stockUnits,
  hold: z.boolean(),
  /** The level at which the pet should be reordered. */
  reorderAt: stockUnits.optional(),
  /** In minor units of the currency of the store. */
  price: amount.optional(),
  barcode: barcode.optional(),
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

/**
 * For each requested name, in their order: `categories` has the names of the categories that it may mean, which differ
 * from it at most in case and Unicode form. If there is none, `similar` is the name of a category that was probably
 * meant. `currency` is the currency of the store.
 */
export const ImportNameMatches = z.strictObject({
  currency: z.string(),
  matches: z.array(z.strictObject({ categories: z.array(z.string()), similar: z.string().optional() })),
})
export type ImportNameMatches = z.output<typeof ImportNameMatches>

/** Pets to look up, by their name and the name of their category, and barcodes whose pets are looked up. */
export const ImportPetNames = z.strictObject({
  pets: z.array(z.strictObject({ name, category: name })).max(IMPORT_ROWS_MAX),
  barcodes: z.array(barcode).max(IMPORT_ROWS_MAX).optional(),
})
export type ImportPetNames = z.output<typeof ImportPetNames>

/** Whether each of the pets was found, and the name of the pet that has each of the barcodes, in their order. */
export const ImportPetMatches = z.strictObject({
  exist: z.array(z.boolean()),
  holders: z.array(z.string().nullable()),
})
export type ImportPetMatches = z.output<typeof ImportPetMatches>

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

export const AppliedImport = z.strictObject({
  categoriesCreated: z.bigint(),
  categoriesFound: z.bigint(),
  petsCreated: z.bigint(),
  /** The number of pets that `skipExisting` left out. */
  petsSkipped: z.bigint(),
  problems: z.array(ImportProblem),
})
export type AppliedImport = z.output<typeof AppliedImport>

/** `isKnown` is false unless all rows of the import are staged under its id. */
export const AppliedSlice = AppliedImport.extend({ isKnown: z.boolean(), isLast: z.boolean() })
export type AppliedSlice = z.output<typeof AppliedSlice>
