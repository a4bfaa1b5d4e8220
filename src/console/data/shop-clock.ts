import { useSyncExternalStore } from 'react'
import { sharedValue } from './shared-value.ts'
import { localDay } from './shop-zone.ts'

/** How often the page checks whether a day has begun, or an instant has passed, in milliseconds. */
const CHECK_MS = 1000

/** How far the clock of the store is ahead of that of the browser, in milliseconds. */
let aheadMs = 0

/** Returns the time of the store, in milliseconds since 1970. */
export function storeNowMs(): number {
  return Date.now() + aheadMs
}

/** The day in the shop: `2026-11-22`. It changes at midnight, while the page is open. */
export const today = sharedValue(localDay(Date.now()))

/** Sets the clock by a response of the store. */
export function noteStoreTime({ headers }: Response): void {
  const storeMs = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(storeMs)) return
  aheadMs = storeMs - Date.now()
  tick()
}

const onTick = new Set<() => void>()

/** Returns whether an instant (milliseconds since 1970) has passed. The component is rendered again when it passes. */
export function useIsPast(ms: number): boolean {
  return useSyncExternalStore(
    listener => {
      onTick.add(listener)
      return () => onTick.delete(listener)
    },
    () => storeNowMs() > ms,
  )
}

function tick(): void {
  const day = localDay(storeNowMs())
  if (day !== today.get()) today.set(day)
  for (const listener of onTick) listener()
}

setInterval(tick, CHECK_MS)
