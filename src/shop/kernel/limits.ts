// Limits and defaults. The importer, which also runs in browsers, and the writer need them without a schema.

export const NAME_CHARS_MAX = 200
export const DESCRIPTION_CHARS_MAX = 2000
/** The maximum number of units of one pet. */
export const STOCK_MAX = 1_000_000_000n
/** Printable ASCII characters, which every scanner can type, without blanks at the ends. */
export const BARCODE = /^[!-~]([ -~]{0,62}[!-~])?$/
/** The maximum number of rows that one command deletes, because it shares the writer with all other commands. */
export const SWEPT_MAX = 1000
/** The maximum number of ids in one request. It is also the default limit, so that one page contains all these pets. */
export const IDS_MAX = 100
/** The maximum number of pets in one filter of orders. */
export const PET_IDS_MAX = 20
/** The quantity of a new order if the request contains none. */
export const ORDER_QUANTITY_DEFAULT = 1n
/** The value of `complete` in a new order if the request contains none. */
export const ORDER_COMPLETE_DEFAULT = false
/** The maximum number of periods in one response. */
export const PERIODS_MAX = 400
/** The maximum number of webhooks in a store. It is limited because every event is checked against each webhook. */
export const WEBHOOKS_MAX = 100
