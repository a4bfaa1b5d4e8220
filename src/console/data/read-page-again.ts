import type { QueryClient } from '@tanstack/react-query'

/** How long a change waits at most until the page shows its result, in milliseconds. */
const REFRESH_WAIT_MS = 3000

/** Reads everything on the page again, and resolves after at most `REFRESH_WAIT_MS`. The reads continue after that. */
export async function readPageAgain(queries: QueryClient): Promise<void> {
  const limit = Promise.withResolvers<void>()
  const timer = setTimeout(limit.resolve, REFRESH_WAIT_MS)
  await Promise.race([queries.invalidateQueries(), limit.promise])
  clearTimeout(timer)
}
