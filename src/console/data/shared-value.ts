import { useSyncExternalStore } from 'react'

/** A value that functions outside of components change, and that components show. */
interface SharedValue<Value> {
  readonly get: () => Value
  readonly set: (value: Value) => void
  /** Calls `listener` after each change. Returns a function that removes the listener. */
  readonly subscribe: (listener: () => void) => () => void
  /** Returns the value, and renders the component again after each change. */
  readonly use: () => Value
}

export function sharedValue<Value>(first: Value): SharedValue<Value> {
  let current = first
  const listeners = new Set<() => void>()
  const get = (): Value => current
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get,
    set: value => {
      current = value
      for (const listener of listeners) listener()
    },
    subscribe,
    use: () => useSyncExternalStore(subscribe, get),
  }
}
