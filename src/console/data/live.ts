import { useEffect, useSyncExternalStore } from 'react'
import { ApiError, type Event } from '../../client/petstore-client.ts'
import { connection } from './connection.ts'
import { queryClient, reportFailure } from './query-client.ts'
import { basePath, hasScope, type Session } from './session.ts'

/** The maximum number of events that the feed of the dashboard shows. */
const FEED_EVENTS_MAX = 50
/** How often a page whose key does not have `events:read` reads its data again, in milliseconds. */
const POLL_MS = 15_000
/** How often such a page probes the store, in milliseconds. Other pages probe it when their event stream ends. */
const PROBE_INTERVAL_MS = 4000
/** In milliseconds. A tab that waits longer than this for the lock of the stream has taken over from another tab. */
const TAKEOVER_MS = 1000
/** The queries that an event makes outdated, by the resource in its type. A query is named by the start of its key. */
const outdatedBy: Readonly<Record<string, readonly string[]>> = {
  pet: ['pets', 'inventory', 'summary', 'categories'],
  inventory: ['inventory', 'pets', 'summary', 'movements'],
  order: ['orders', 'summary'],
  category: ['categories'],
  webhook: ['webhooks', 'deliveries'],
}

/** The minimum time between two refreshes, in milliseconds: a busy shop has a hundred events per second. */
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
/** The `sequence` of the last event that this tab received, from the stream or from another tab. */
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

/** Returns the last events that arrived since sign-in, newest first: at most `FEED_EVENTS_MAX`. */
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
 * Keeps the data on the page current while the page is visible. One tab of the browser reads the event stream and
 * passes each event to the other tabs. If the key does not have `events:read`, the page polls.
 */
export function useLiveUpdates(session: Session): void {
  useEffect(() => {
    if (!hasScope(session.info, 'events:read')) return poll()
    let stop = document.hidden ? undefined : startStream(session)
    const onVisibility = (): void => {
      stop?.()
      // The tab may have been hidden for a day, so it reads its data again instead of the events that it missed.
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
  const readTimer = setInterval(() => {
    if (!document.hidden) void queryClient.invalidateQueries()
  }, POLL_MS)
  const probeTimer = setInterval(() => {
    if (!document.hidden) void connection.check()
  }, PROBE_INTERVAL_MS)
  return () => {
    clearInterval(readTimer)
    clearInterval(probeTimer)
  }
}

/** A message from the tab that reads the stream to the other tabs: an event, or the loss of the stream. */
type TabMessage = Event | 'lost'

/**
 * Reads the event stream in this tab, or receives the events from the tab that reads it. Returns a function that ends
 * both.
 */
function startStream(session: Session): () => void {
  const stopping = new AbortController()
  // The name contains the path of the store and the id of the key, because both decide which events the tab may read.
  const name = `petstore-events ${basePath} ${session.info.id}`
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data === 'lost') void connection.check()
    else receive(data)
  }
  const openedMs = performance.now()
  const read = async (): Promise<void> => {
    // After a takeover, this tab reads its data again. If it has received no event, its stream starts at the current
    // position and lacks the events since the other tab stopped.
    if (performance.now() - openedMs > TAKEOVER_MS) void queryClient.invalidateQueries()
    await follow(session, stopping.signal, message => channel.postMessage(message))
  }
  // The browser has no locks outside a secure context. Without locks, every tab reads its own stream.
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

async function follow(
  session: Session,
  signal: AbortSignal,
  pass: (message: TabMessage) => void,
): Promise<void> {
  // The end of a stream does not prove that the store is unreachable, so a probe decides.
  const onReconnect = (): void => {
    void connection.check()
    if (!signal.aborted) pass('lost')
  }
  try {
    for await (const event of session.client.followEvents({ after: lastSequence, signal, onReconnect })) {
      if (signal.aborted) return
      receive(event)
      pass(event)
    }
  } catch (error) {
    // A revoked key ends the session. Any other refusal is shown at the next request of a view.
    reportFailure(error)
    if (!(error instanceof ApiError)) throw error
  }
}
