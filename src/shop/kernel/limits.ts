// The limits of members that the importer checks too. It also runs in browsers, so this file has no schema.

export const NAME_CHARS_MAX = 200
export const DESCRIPTION_CHARS_MAX = 2000
/** The maximum number of units of one pet. */
export const STOCK_MAX = 1_000_000_000n
/** The maximum of a price and of the amount of an order, in minor units: a sum of millions stays within int64. */
export const AMOUNT_MAX = 1_000_000_000_000n
/** Printable ASCII characters, which every scanner can type, without blanks at the ends. */
export const BARCODE = /^[!-~]([ -~]{0,62}[!-~])?$/
/** The maximum number of rows that one command deletes, because it shares the writer with all other commands. */
export const SWEPT_MAX = 1000
