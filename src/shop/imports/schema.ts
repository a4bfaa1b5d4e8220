import { z } from 'zod'
import { INT64_MAX } from '../../values/int64.ts'
import { int64Between } from '../../values/int64-schema.ts'
import { text } from '../../values/text-schema.ts'
import { amount } from '../kernel/amount-schema.ts'
import { barcode } from '../kernel/barcode-schema.ts'
import { DESCRIPTION_CHARS_MAX, NAME_CHARS_MAX } from '../kernel/limits.ts'
import { stockUnits } from '../stock/stock-units.ts'
import { IMPORT_ROWS_MAX, onExistingChoices, SLICE_ROWS_MAX } from './limits.ts'

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

const onExisting = z.enum(onExistingChoices).optional()

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

/** How many of each of the pets exist, at most two, and the name of the pet with each of the barcodes. */
export const ImportPetMatches = z.strictObject({
  found: z.array(z.bigint()),
  holders: z.array(z.string().nullable()),
})
export type ImportPetMatches = z.output<typeof ImportPetMatches>

/**
 * `begins` is true in the first slice: it says that every row of the import is staged, because only then may slices be
 * loaded. The `onExisting` of the first slice applies to all slices.
 */
export const ImportSlice = z.strictObject({
  rows: int64Between(1n, BigInt(SLICE_ROWS_MAX)),
  begins: z.boolean(),
  onExisting,
})
export type ImportSlice = z.output<typeof ImportSlice>

/** The reason why one line of a file cannot be loaded. */
export const ImportProblem = z.strictObject({
  file: z.enum(['categories', 'pets']),
  line,
  message: z.string(),
  /** The message before it is translated, if the store wrote it. */
  reason: z.strictObject({ text: z.string(), values: z.array(z.string()) }).optional(),
})
export type ImportProblem = z.output<typeof ImportProblem>

export const AppliedImport = z.strictObject({
  categoriesCreated: z.bigint(),
  categoriesFound: z.bigint(),
  petsCreated: z.bigint(),
  petsUpdated: z.bigint(),
  /** The number of pets that were left out, or that an update left as they are. */
  petsSkipped: z.bigint(),
  problems: z.array(ImportProblem),
})
export type AppliedImport = z.output<typeof AppliedImport>

/** `isKnown` is false unless all rows of the import are staged under its id. */
export const AppliedSlice = AppliedImport.extend({ isKnown: z.boolean(), isLast: z.boolean() })
export type AppliedSlice = z.output<typeof AppliedSlice>

const file = ImportProblem.shape.file
const rowId = int64Between(1n, INT64_MAX)

/** Takes back the changes of an import that follow `after`, or its last ones; `dryRun` changes nothing. */
export const ImportTakeBack = z.strictObject({
  rows: int64Between(1n, BigInt(SLICE_ROWS_MAX)),
  dryRun: z.boolean(),
  after: z.strictObject({ file, rowId }).optional(),
})
export type ImportTakeBack = z.output<typeof ImportTakeBack>

/** `kept` has what stays, and why. Without `next`, nothing follows. */
export const TakenBack = z.strictObject({
  /** Whether the store has kept what the import changed. */
  isKnown: z.boolean(),
  takenBack: z.bigint(),
  kept: z.array(
    z.strictObject({
      file,
      id: z.bigint(),
      name: z.string(),
      reason: z.enum(['changed', 'in_use', 'barcode_taken', 'category_deleted']),
    }),
  ),
  next: z.strictObject({ file, rowId: z.bigint() }).optional(),
})
export type TakenBack = z.output<typeof TakenBack>

/** An import of the last 30 days. */
export const PastImport = z.strictObject({
  id: z.bigint(),
  at: z.string(),
  /** Absent for an import into a store that was not running. */
  keyId: z.bigint().optional(),
  categoriesCreated: z.bigint(),
  petsCreated: z.bigint(),
  petsUpdated: z.bigint(),
  /** How many of its changes were taken back. */
  takenBack: z.bigint(),
  /** Whether there are changes that were not taken back. */
  hasChanges: z.boolean(),
  /** How many rows are staged and not loaded: more than 0 while it runs, or if it was cut. */
  rowsLeft: z.bigint(),
})
export type PastImport = z.output<typeof PastImport>
