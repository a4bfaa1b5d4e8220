import { useSearchParams } from 'wouter'

/** The filters of a view, by the names of their query parameters. */
interface UrlFilters {
  /** Returns the value of a filter, or an empty text if it is not set. */
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
          // A changed filter selects another list, which starts at its first page.
          next.delete('cursor')
          if (value) next.set(name, value)
          else next.delete(name)
          return next
        },
        // The Back button leaves the list instead of removing the typed letters one by one.
        { replace: true },
      ),
  }
}

/** Returns the option that equals a text; undefined if none does, because an address can contain any text. */
export function optionIn<Option extends string>(
  options: readonly Option[],
  text: string,
): Option | undefined {
  return options.find(option => option === text)
}

/** Returns the value in `options` that equals a text; undefined if none does. */
export function valueIn<Value extends string>(
  options: readonly { readonly value: Value }[],
  text: string,
): Value | undefined {
  return options.find(({ value }) => value === text)?.value
}

/** The largest id: ids are 64-bit integers. */
const ID_MAX = 2n ** 63n - 1n

/** Returns the id in a text; undefined for a text that is not a number, or too large for an id. */
export function idIn(text: string): bigint | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined
  const id = BigInt(text)
  return id <= ID_MAX ? id : undefined
}
