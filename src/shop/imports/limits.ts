// The limits of an import, and the sentences about names. The importer runs in browsers, so this file has no schema.

import { message } from '../../values/message.ts'

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

export function occursTwice(name: string): string {
  return message`the category "${name}" occurs twice`
}

export function noCategory(name: string, similar?: string): string {
  return similar === undefined
    ? message`there is no category "${name}"`
    : message`there is no category "${name}": did you mean "${similar}"?`
}

/** Why a row cannot have its barcode. `other` says which pet or which line has it. */
export function sharedBarcode(name: string, barcode: string, other: string): string {
  return message`the barcode ${barcode} of "${name}" is that of ${other}`
}

export function namesSeveralPets(name: string): string {
  return message`several pets of the category are called "${name}": give each a barcode, or rename one`
}

export function ambiguous(name: string): string {
  return message`there are several categories "${name}" in the store: rename one`
}
