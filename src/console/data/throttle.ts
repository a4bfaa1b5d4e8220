import { useSyncExternalStore } from 'react'
import { ApiError, type Retry } from '../../client/petstore-client.ts'

/** How often the remaining time is computed, in milliseconds. */
const TICK_MS = 500

const listeners = new Set<() => void>()
/** When the client sends the refused requests again, in milliseconds since 1970. */
let continuesMs = 0
let secondsLeft = 0
let isTicking = false

/** Records that the client waits because the store refused a request with 429. To be called before each retry. */
export function noteThrottle({ error, delayMs }: Retry): void {
  if (!(error instanceof ApiError) || error.status !== 429) return
  continuesMs = Math.max(continuesMs, Date.now() + delayMs)
  if (!isTicking) tick()
}

function tick(): void {
  secondsLeft = Math.max(0, Math.ceil((continuesMs - Date.now()) / 1000))
  isTicking = secondsLeft > 0
  for (const listener of listeners) listener()
  if (isTicking) setTimeout(tick, TICK_MS)
}

/** Returns the number of seconds until refused requests are sent again; 0 if the client does not wait. */
export function useThrottleSeconds(): number {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => secondsLeft,
  )
}
