import { useEffect, useSyncExternalStore } from 'react'
import { ApiError, type Event } from '../../client/petstore-client.ts'
import { queryClient } from './query-client.ts'
import { basePath, hasScope, type Session } from './session.ts'

/** The number of events that the feed of the dashboard shows. */
const FEED_EVENTS_MAX = 50
/** How often a key without `events:read` looks for changes, in milliseconds. */
const POLL_MS = 15_000
/** A tab that gets its turn later than this has waited for another tab. */
const TAKEOVER_MS = 1000
/** The first part of the keys of the queries that an event makes outdated. */
const outdatedBy: Readonly<Record<string, readonly string[]>> = {
  pet: ['pets', 'inventory', 'summary', 'categories'],
  inventory: ['inventory', 'pets', 'summary', 'movements'],
  order: ['orders', 'summary'],
  category: ['categories'],
  webhook: ['webhooks', 'deliveries'],
}

/** The shortest time between two readings of the same view: a busy shop has a hundred events a second. */
const REFRESH_MS = 500

const outdated = new Set<string>()
let isRefreshPlanned = false

function refresh(): void {
  isRefreshPlanned = false
  for (const key of outdated) void queryClient.invalidateQueries({ queryKey: [key] })
  outdated.clear()
}

const listeners = new Set<() => void>()
let feed: readonly Event[] = []
/** The `sequence` of the last event that this tab has shown, wherever it came from. */
let lastSequence: string | undefined

function receive(event: Event): void {
  lastSequence = event.sequence
  feed = [event, ...feed].slice(0, FEED_EVENTS_MAX)
  for (const listener of listeners) listener()
  const [, resource = ''] = event.type.split('.')
  for (const key of [...(outdatedBy[resource] ?? []), 'timeline', 'audit']) outdated.add(key)
  if (isRefreshPlanned) return
  isRefreshPlanned = true
  setTimeout(refresh, REFRESH_MS)
}

/** Returns the events that arrived since the page was opened, newest first. */
export function useFeed(): readonly Event[] {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => feed,
  )
}

/**
 * Keeps everything on the page current while it is visible. One tab of the browser reads the event stream and passes
 * each event on to the others. A key that may not read events polls.
 */
export function useLiveUpdates(session: Session): void {
  useEffect(() => {
    if (!hasScope(session.info, 'events:read')) return poll()
    let stop = document.hidden ? undefined : startStream(session)
    const onVisibility = (): void => {
      stop?.()
      // What changed while the tab was hidden, perhaps for a day, is read again instead of followed.
      lastSequence = undefined
      stop = document.hidden ? undefined : startStream(session)
      if (!document.hidden) void queryClient.invalidateQueries()
    }
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      stop?.()
      feed = []
      lastSequence = undefined
    }
  }, [session])
}

function poll(): () => void {
  const timer = setInterval(() => {
    if (!document.hidden) void queryClient.invalidateQueries()
  }, POLL_MS)
  return () => clearInterval(timer)
}

/** Reads the stream in this tab, or receives its events from the tab that does. Returns a function that stops it. */
function startStream(session: Session): () => void {
  const stopping = new AbortController()
  // The name contains the key's id, because keys may read different stores and events.
  const name = `petstore-events ${basePath} ${session.info.id}`
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }: MessageEvent<Event>) => receive(data)
  const openedMs = performance.now()
  const read = async (): Promise<void> => {
    // A tab that has seen no event starts at the current position: what happened after the other tab ended is missing.
    if (performance.now() - openedMs > TAKEOVER_MS) void queryClient.invalidateQueries()
    await follow(session, stopping.signal, event => channel.postMessage(event))
  }
  // Without a secure context, the browser has no locks: then every tab has its own stream.
  if ('locks' in navigator) {
    navigator.locks.request(name, { signal: stopping.signal }, read).catch(() => {})
  } else {
    channel.onmessage = null
    void read()
  }
  return () => {
    stopping.abort()
    channel.close()
  }
}

async function follow(session: Session, signal: AbortSignal, pass: (event: Event) => void): Promise<void> {
  try {
    for await (const event of session.client.followEvents({ after: lastSequence, signal })) {
      if (signal.aborted) return
      receive(event)
      pass(event)
    }
  } catch (error) {
    // A key that was revoked shows its refusal where it is used next.
    if (!(error instanceof ApiError)) throw error
  }
}
