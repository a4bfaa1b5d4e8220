import { Event } from '../model/event.ts'
import type { EventType } from '../model/event-type.ts'
import { readJsonText } from '../model/json.ts'
import { type ClientOptions, Refused, refusalFrom } from './client.ts'
import { readEventStream } from './event-stream.ts'

/** How long a client waits before it reconnects, unless the store specifies another delay. */
const RETRY_MS = 1000
const RETRY_MAX_MS = 30_000

export interface FollowOptions {
  /** Start after this position: the `sequence` of the last handled event. Default: now. */
  readonly after?: bigint | undefined
  readonly types?: readonly EventType[] | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Follows the events indefinitely. After a lost connection, the stream continues after the last yielded event, so no
 * event is missed or repeated. Throws Refused if the store refuses (an invalid key, a position whose history has
 * expired). Ends when `signal` is aborted.
 */
export async function* followEvents(
  options: ClientOptions,
  { after, types = [], signal }: FollowOptions = {},
): AsyncGenerator<Event> {
  let position = after === undefined ? undefined : String(after)
  let retryMs = RETRY_MS
  for (let failures = 0; !signal?.aborted; failures++) {
    try {
      for await (const part of readEventStream(await connect(options, position, types, signal))) {
        failures = 0
        if (part.kind === 'retry') retryMs = part.ms
        else if (part.kind === 'id') position = part.id
        else yield Event.parse(readJsonText(part.data))
      }
    } catch (error) {
      if (signal?.aborted) return
      // Wait after a rate limit as well, like after a temporary failure of the store.
      if (error instanceof Refused && error.status < 500 && error.status !== 429) throw error
      // Any other error is a lost connection: reconnect.
      if (!(error instanceof Refused || isConnectionError(error))) throw error
    }
    await pause(Math.min(retryMs * 2 ** failures, RETRY_MAX_MS), signal)
  }
}

async function connect(
  { base, key, fetch = globalThis.fetch }: ClientOptions,
  position: string | undefined,
  types: readonly string[],
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<Uint8Array>> {
  const query = types.map(type => `type=${encodeURIComponent(type)}`).join('&')
  const response = await fetch(`${base}/events/stream${query === '' ? '' : `?${query}`}`, {
    headers: {
      Accept: 'text/event-stream',
      ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      ...(position !== undefined && { 'Last-Event-ID': position }),
    },
    redirect: 'error',
    ...(signal && { signal }),
  })
  if (!response.ok || !response.body) throw refusalFrom(response, await response.bytes())
  return response.body
}

/** Whether this is an error that `fetch`, or reading a body, throws for a lost connection. */
function isConnectionError(error: unknown): boolean {
  return (
    error instanceof TypeError || (error instanceof Error && ('code' in error || error.name === 'AbortError'))
  )
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, ms)
  const end = (): void => over.resolve()
  signal?.addEventListener('abort', end)
  await over.promise
  clearTimeout(timer)
  signal?.removeEventListener('abort', end)
}
