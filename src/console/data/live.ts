import type { Query } from '@tanstack/react-query'
import { useEffect } from 'react'
import { ApiError, createClient, type Event } from '../../client/petstore-client.ts'
import { hasScope } from '../../contract/scopes.ts'
import { connection } from './connection.ts'
import { queryClient, reportFailure } from './query-client.ts'
import { basePath, baseUrl, type Session } from './session.ts'
import { followShared, type Lead, whileVisible } from './shared-stream.ts'
import { sharedValue } from './shared-value.ts'

const FEED_EVENTS_MAX = 50
/** How often a page without events reads its data again, in milliseconds. */
export const POLL_MS = 15_000
/** How often such a page probes the store, in milliseconds. Other pages probe it when their event stream ends. */
const PROBE_INTERVAL_MS = 4000
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

/** The starts of the keys of queries that events made outdated since the last refresh. */
const outdated = new Set<string>()
/** The queries that were being read then. What they get may be older than the event. */
let late: ReadonlySet<Query> = new Set()
let isRefreshPlanned = false

/** Reads outdated queries again. A read that runs is not dropped: while events keep coming, no slow one would end. */
function refresh(): void {
  isRefreshPlanned = false
  const found = queryClient.getQueryCache().findAll({
    predicate: query => late.has(query) || outdated.has(String(query.queryKey[0])),
  })
  outdated.clear()
  late = new Set(found.filter(({ state }) => state.fetchStatus !== 'idle'))
  const idle = new Set(found.filter(query => !late.has(query)))
  void queryClient.invalidateQueries({ predicate: query => idle.has(query) })
  if (late.size > 0) planRefresh()
}

function planRefresh(): void {
  if (isRefreshPlanned) return
  isRefreshPlanned = true
  setTimeout(refresh, REFRESH_MS)
}

/** The last events that arrived since sign-in, newest first: at most `FEED_EVENTS_MAX`. */
export const feed = sharedValue<readonly Event[]>([])
/** Whether no byte of the event stream arrives, so that the page polls. */
export const isStreamSilent = sharedValue(false)
/** The `sequence` of the last event that this tab received, from the stream or from another tab. */
let lastSequence: string | undefined

function receive(event: Event): void {
  lastSequence = event.sequence
  const known = feed.get()
  feed.set([event, ...(isAnew(event, known) ? [] : known)].slice(0, FEED_EVENTS_MAX))
  const [, resource = ''] = event.type.split('.')
  for (const key of [...(outdatedBy[resource] ?? []), 'audit']) outdated.add(key)
  planRefresh()
}

/** Returns whether an event has a used position, as in a sandbox that was reset while the tab was hidden. */
function isAnew({ sequence, time }: Event, [newest]: readonly Event[]): boolean {
  return newest !== undefined && BigInt(sequence) <= BigInt(newest.sequence) && time > newest.time
}

/**
 * Keeps the data on the page current while the page is visible. One tab of the browser reads the event stream for all
 * tabs. If the key does not have `events:read`, or if the stream is silent, the page polls.
 */
export function useLiveUpdates(session: Session): void {
  useEffect(() => {
    if (!hasScope(session.info, 'events:read')) return poll()
    let isFirst = true
    const stop = whileVisible(() => {
      // The tab may have been hidden for a day, so it reads its data again instead of the events that it missed.
      if (!isFirst) void queryClient.invalidateQueries()
      isFirst = false
      lastSequence = undefined
      return followEvents(session)
    })
    return () => {
      stop()
      feed.set([])
      lastSequence = undefined
    }
  }, [session])
}

function poll(): () => void {
  const readTimer = setInterval(() => {
    // A read that takes longer than the interval goes on.
    if (!document.hidden) void queryClient.invalidateQueries({}, { cancelRefetch: false })
  }, POLL_MS)
  const probeTimer = setInterval(() => {
    if (!document.hidden) void connection.check()
  }, PROBE_INTERVAL_MS)
  return () => {
    clearInterval(readTimer)
    clearInterval(probeTimer)
  }
}

/** Follows the event stream, and polls while it is silent. Returns a function that ends this. */
function followEvents(session: Session): () => void {
  let stopPolling: (() => void) | undefined
  return followShared<Event>({
    // The name contains the path of the store and the id of the key: both decide which events the tab may read.
    name: `petstore-events ${basePath} ${session.info.id}`,
    read: lead => readEvents(session, lead),
    onItem: receive,
    // The end of a stream does not prove that the store is unreachable, so a probe decides.
    onLost: () => void connection.check(),
    onRestart: () => {
      feed.set([])
      lastSequence = undefined
      void queryClient.invalidateQueries()
    },
    onSilence: isSilent => {
      stopPolling?.()
      stopPolling = isSilent ? poll() : undefined
      if (isSilent) void queryClient.invalidateQueries()
      isStreamSilent.set(isSilent)
    },
  })
}

async function readEvents(
  { key }: Session,
  { signal, isTakeover, pass, lose, restart, watch }: Lead<Event>,
): Promise<void> {
  // If this tab has received no event, its stream starts at the current position and lacks the events since the other
  // tab stopped.
  if (isTakeover) void queryClient.invalidateQueries()
  const client = createClient({ baseUrl, key, fetch: async (url, init) => watch(await fetch(url, init)) })
  for (;;) {
    try {
      for await (const event of client.followEvents({ after: lastSequence, signal, onReconnect: lose })) {
        if (signal.aborted) return
        pass(event)
      }
      return
    } catch (error) {
      // A revoked key ends the session. Any other refusal is shown at the next request of a view.
      reportFailure(error)
      if (!(error instanceof ApiError)) throw error
      if (!isPositionRefused(error) || lastSequence === undefined) return
      restart()
    }
  }
}

/** Returns whether the store has no such position any more: it was restored from a backup, or the sandbox was reset. */
function isPositionRefused({ code }: ApiError): boolean {
  return code === 'event_history_expired' || code === 'invalid_parameter'
}
