/** The codes of a status of 5xx after which a change may have taken effect; `unknown` is that of a proxy. */
const UNCLEAR: readonly (string | undefined)[] = ['outcome_unknown', 'internal_error', 'unknown']

/**
 * Returns whether a change may have taken effect that got a response with this status, undefined if none arrived, and
 * with this code of an error.
 */
export function mayHaveTakenEffect(failure: {
  readonly status: number | undefined
  readonly code: string | undefined
}): boolean {
  return failure.status === undefined || (failure.status >= 500 && UNCLEAR.includes(failure.code))
}
