import { type QueryClient, useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { ApiError } from '../../client/petstore-client.ts'

export interface Sending {
  /** Aborted when the user stops waiting. */
  readonly signal: AbortSignal
  /**
   * Equal values have the same key until the change is made or refused. If a response is lost, a second submit has no
   * second effect. The operations that return a secret accept no idempotency key.
   */
  readonly idempotencyKey: string
}

/** A change that runs at most once at a time. */
export interface Change<Result> {
  /** Sends a change, unless one is running. Equal `values` mean the same change. */
  readonly start: (values: string, send: (sending: Sending) => Promise<Result>) => void
  /** Aborts the request. The store may have made the change. */
  readonly stop: () => void
  readonly isRunning: boolean
  /** Why the last change failed; null if it did not fail, or if the user stopped waiting. */
  readonly error: Error | null
  readonly reset: () => void
}

interface ChangeOptions<Result> {
  /** Called after the change. `isShown` is false if the user has left the part of the page that made the change. */
  readonly onDone: (result: Result, isShown: boolean) => unknown
  /** Called if the change failed, but not if the user stopped waiting. */
  readonly onFailed?: (error: Error, isShown: boolean) => void
}

interface StartedChange<Result> {
  readonly send: (sending: Sending) => Promise<Result>
  readonly idempotencyKey: string
  readonly stopping: AbortController
}

class Stopped extends Error {}

/** Prepares a change to the store, for a dialog or for buttons that act at once. */
export function useChange<Result>({ onDone, onFailed }: ChangeOptions<Result>): Change<Result> {
  // A second click arrives before the page is rendered again, so the state of the mutation cannot stop it.
  const running = useRef<AbortController>(undefined)
  const sent = useRef({ values: '', key: '' })
  const isShown = useIsShown()
  const mutation = useMutation({
    mutationFn: ({ send, idempotencyKey, stopping: { signal } }: StartedChange<Result>) =>
      send({ signal, idempotencyKey }),
    onSuccess: async result => {
      sent.current = { values: '', key: '' }
      await onDone(result, isShown.current)
    },
    onError: error => {
      // A refused change had no effect, so a repetition is a new change.
      if (error instanceof ApiError && error.status < 500) sent.current = { values: '', key: '' }
      if (!(error instanceof Stopped)) onFailed?.(error, isShown.current)
    },
    onSettled: () => {
      running.current = undefined
    },
  })
  return {
    start: (values, send) => {
      if (running.current) return
      if (sent.current.key === '' || sent.current.values !== values) sent.current = { values, key: newKey() }
      running.current = new AbortController()
      mutation.mutate({ send, idempotencyKey: sent.current.key, stopping: running.current })
    },
    stop: () => running.current?.abort(new Stopped()),
    isRunning: mutation.isPending,
    error: mutation.error instanceof Stopped ? null : mutation.error,
    reset: () => mutation.reset(),
  }
}

function useIsShown(): { readonly current: boolean } {
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return isShown
}

/** Returns a random idempotency key. Outside a secure context, `crypto.randomUUID` does not exist. */
function newKey(): string {
  return crypto.getRandomValues(new BigUint64Array(2)).join('-')
}

/** How long a change waits at most until the page shows its result, in milliseconds. */
const REFRESH_WAIT_MS = 3000

/** Reads everything on the page again, and resolves after at most `REFRESH_WAIT_MS`. The reads continue after that. */
export async function readPageAgain(queries: QueryClient): Promise<void> {
  const limit = Promise.withResolvers<void>()
  const timer = setTimeout(limit.resolve, REFRESH_WAIT_MS)
  await Promise.race([queries.invalidateQueries(), limit.promise])
  clearTimeout(timer)
}
