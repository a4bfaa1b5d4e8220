import type { StoreError } from '../../contract/error.ts'
import { invalidParameter } from '../../contract/refusals.ts'

/** The refusal of a period that ends before it starts, or when it starts. */
export function emptyPeriod(): StoreError {
  const message =
    'The period is empty: until must be later than since. A date in until means the end of that day.'
  return invalidParameter({ in: 'query', name: 'until', code: 'out_of_range', message })
}
