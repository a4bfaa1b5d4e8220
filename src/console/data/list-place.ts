import { useLocation, useSearchParams } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'

/** The page of a list that the address selects. */
export interface ListPlace {
  /** The cursor of the page; undefined for the first page. */
  readonly cursor: string | undefined
  /** The number of the page; undefined if it is not known, because the user came by a link. */
  readonly page: number | undefined
  /** Opens the next page, whose cursor is given. */
  readonly open: (next: string) => void
  /** Opens the previous page, or the first page if the previous one is not known. */
  readonly back: () => void
  /** Replaces a page that does not exist with the first page. */
  readonly restart: () => void
}

/**
 * Returns the page of a list. The query of the address names the page, so Back, Forward and a reload return to it. A
 * cursor leads only forward, so the state of the history entry contains the cursors of the previous pages.
 */
export function useListPlace(name: string): ListPlace {
  const [path, navigate] = useLocation()
  const [parameters] = useSearchParams()
  const state: unknown = useHistoryState()
  const cursor = parameters.get(name) || undefined
  const trails = trailsIn(state)
  const trail = trails[name] ?? []
  const isKnown = trail.at(-1) === cursor
  const go = (to: string | undefined, toTrail: readonly string[], replace = false): void => {
    const next = new URLSearchParams(parameters)
    if (to === undefined) next.delete(name)
    else next.set(name, to)
    const query = next.size === 0 ? '' : `?${next}`
    navigate(path + query, { replace, state: { trails: { ...trails, [name]: toTrail } } })
  }
  const before = isKnown ? trail.slice(0, -1) : []
  return {
    cursor,
    page: isKnown ? trail.length + 1 : undefined,
    open: next => go(next, isKnown ? [...trail, next] : []),
    back: () => go(before.at(-1), before),
    restart: () => go(undefined, [], true),
  }
}

/** The cursors of the pages from the second page to the current one, by the name of the query parameter. */
type Trails = Readonly<Record<string, readonly string[]>>

function trailsIn(state: unknown): Trails {
  if (typeof state !== 'object' || state === null || !('trails' in state)) return {}
  // Safe: only `go` writes a state with this member.
  return state.trails as Trails
}
