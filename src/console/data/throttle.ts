import { ApiError, type Retry } from '../../client/petstore-client.ts'
import { sharedValue } from './shared-value.ts'

/** How often the remaining time is computed, in milliseconds. */
const TICK_MS = 500

/** The number of seconds until refused requests are sent again; 0 if the client does not wait. */
export const throttleSeconds = sharedValue(0)
/** When the client sends the refused requests again, in milliseconds since 1970. */
let continuesMs = 0

/** Records that the client waits because the store refused a request with 429. To be called before each retry. */
export function noteThrottle({ error, delayMs }: Retry): void {
  if (!(error instanceof ApiError) || error.status !== 429) return
  continuesMs = Math.max(continuesMs, Date.now() + delayMs)
  if (throttleSeconds.get() === 0) tick()
}

function tick(): void {
  throttleSeconds.set(Math.max(0, Math.ceil((continuesMs - Date.now()) / 1000)))
  if (throttleSeconds.get() > 0) setTimeout(tick, TICK_MS)
}
