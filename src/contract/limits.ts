/** The maximum number of units of one order. */
export const ORDER_QUANTITY_MAX = 1_000_000n
/** The maximum size of the body of a request. */
export const BODY_BYTES_MAX = 1024 * 1024
/** The time limit for the arrival of a body. */
export const BODY_TIMEOUT_MS = 10_000
/** The maximum length of the path and query of a request. */
export const URL_CHARS_MAX = 8192

/** The media type of a JSON Merge Patch (RFC 7396, section 4). */
export const MERGE_PATCH = 'application/merge-patch+json'
/** The media types for PATCH: the value of the Accept-Patch header (RFC 5789, section 3.1). */
export const PATCH_TYPES = `${MERGE_PATCH}, application/json`
