// The limits of an import, and the sentences about names. The importer runs in browsers, so this file has no schema.

import { type Template, template } from '../../values/message.ts'
import { STOCK_MAX } from '../kernel/limits.ts'

/** The maximum number of rows of each kind that are sent and staged together. */
export const IMPORT_ROWS_MAX = 500
/** The maximum number of rows of one slice. */
export const SLICE_ROWS_MAX = 500

/**
 * What an import does with a pet that exists, in the store or in an earlier row: it loads another one (the default),
 * skips the row, or updates the pet, whose units it keeps (`update`), sets (`set`) or adds to (`add`).
 */
export const onExistingChoices = ['load', 'skip', 'update', 'set', 'add'] as const
export type OnExisting = (typeof onExistingChoices)[number]

/** Returns whether an import updates pets that exist. */
export function updatesExisting(onExisting: OnExisting = 'load'): boolean {
  return onExisting !== 'load' && onExisting !== 'skip'
}

export function occursTwice(name: string): Template {
  return template`the category "${name}" occurs twice`
}

export function noCategory(name: string, similar?: string): Template {
  return similar === undefined
    ? template`there is no category "${name}"`
    : template`there is no category "${name}": did you mean "${similar}"?`
}

/** Why a row cannot have its barcode: a pet of the store has it. */
export function takenBarcode(name: string, barcode: string, holder: string): Template {
  return template`the barcode ${barcode} of "${name}" is that of the pet "${holder}" in the store`
}

/** Why a row cannot have its barcode: an earlier row has it. */
export function repeatedBarcode(name: string, barcode: string, line: bigint): Template {
  return template`the barcode ${barcode} of "${name}" is that of line ${line}`
}

export function namesSeveralPets(name: string): Template {
  return template`several pets of the category are called "${name}": give each a barcode, or rename one`
}

export function ambiguous(name: string): Template {
  return template`there are several categories "${name}" in the store: rename one`
}

export function belowReserved(name: string, quantity: bigint, reserved: bigint): Template {
  return template`"${name}" would have ${quantity} in stock, but open orders reserve ${reserved}`
}

export function aboveMaximum(name: string, quantity: bigint): Template {
  return template`"${name}" would have ${quantity} in stock; the maximum is ${STOCK_MAX}`
}
