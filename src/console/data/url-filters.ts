import { useSearchParams } from 'wouter'

/** The filters of a view, by the names of their query parameters. */
export interface UrlFilters {
  /** Returns the value of a filter, or an empty text. */
  readonly get: (name: string) => string
  /** Changes one filter; null or an empty text removes it. */
  readonly set: (name: string, value: string | null) => void
}

/** Returns the filters in the query of the address, so that a reload and a shared link show the same list. */
export function useUrlFilters(): UrlFilters {
  const [parameters, setParameters] = useSearchParams()
  return {
    get: name => parameters.get(name) ?? '',
    set: (name, value) =>
      setParameters(
        previous => {
          const next = new URLSearchParams(previous)
          if (value) next.set(name, value)
          else next.delete(name)
          return next
        },
        // Going back leaves the list. It does not undo each typed letter.
        { replace: true },
      ),
  }
}

/** Returns the option that a text names, or undefined: anything can be in an address. */
export function optionIn<Option extends string>(
  options: readonly Option[],
  text: string,
): Option | undefined {
  return options.find(option => option === text)
}

/** Returns the id in a text, or undefined if it is not one. */
export function idIn(text: string): bigint | undefined {
  return /^\d{1,19}$/.test(text) ? BigInt(text) : undefined
}
