import { useEffect, useState } from 'react'
import type { Fetch, LoggedRequest } from '../../client/petstore-client.ts'
import { type Changing, useChange } from './change.ts'
import { hostClient, hostFetch, sandboxId } from './host-api.ts'
import { POLL_MS } from './live.ts'
import { basePath } from './session.ts'
import { useSession } from './session-context.ts'
import { followShared, type Lead, whileVisible } from './shared-stream.ts'

const REQUESTS_MAX = 500
const RECONNECT_MS = 1000

interface RequestList {
  /** The last requests, newest first. */
  readonly requests: readonly LoggedRequest[]
  /** Whether the log is only read from time to time, because no byte of its stream arrives. */
  readonly isSilent: boolean
  readonly error: unknown
  readonly clear: Changing<unknown>
}

/** Returns the last requests, and follows new ones unless the view is paused or hidden. */
export function useRequests(isPaused: boolean): RequestList {
  const { key, info } = useSession()
  const [requests, setRequests] = useState<readonly LoggedRequest[]>([])
  const [error, setError] = useState<unknown>()
  const [isSilent, setSilent] = useState(false)
  useEffect(() => {
    if (isPaused) return
    const add = (more: readonly LoggedRequest[]): void => {
      setError(undefined)
      setRequests(known => mergeRequests(known, more))
    }
    const read = (): void => void readLog(key).then(add, setError)
    let timer: ReturnType<typeof setInterval> | undefined
    return whileVisible(() => {
      read()
      return followShared<readonly LoggedRequest[]>({
        name: `petstore-requests ${basePath} ${info.id}`,
        read: lead => readStream(key, lead),
        onItem: add,
        onSilence: value => {
          setSilent(value)
          clearInterval(timer)
          if (!value) return
          read()
          timer = setInterval(read, POLL_MS)
        },
      })
    })
  }, [key, info.id, isPaused])
  const clear = useChange<unknown>('clear-requests', { onDone: () => setRequests([]) })
  return { requests, isSilent, error, clear }
}

async function readLog(key: string): Promise<LoggedRequest[]> {
  return (await hostClient(key).listRequests({ sandboxId, limit: REQUESTS_MAX })).data
}

function mergeRequests(
  known: readonly LoggedRequest[],
  more: readonly LoggedRequest[],
): readonly LoggedRequest[] {
  const byNumber = new Map([...known, ...more].map(request => [request.number, request]))
  return [...byNumber.values()].sort((a, b) => (a.number > b.number ? -1 : 1)).slice(0, REQUESTS_MAX)
}

/** Follows the stream of the log. Starts again when the stream ends, until the signal is aborted. */
async function readStream(
  key: string,
  { signal, pass, watch }: Lead<readonly LoggedRequest[]>,
): Promise<void> {
  const send: Fetch = async (url, init) => {
    const response = watch(await hostFetch(url, init))
    // The log has the requests that arrived before the stream was open.
    if (response.ok) pass(await readLog(key))
    return response
  }
  while (!signal.aborted) {
    try {
      const requests = hostClient(key, send).streamRequests({ sandboxId }, { signal })
      for await (const request of requests) pass([request])
    } catch {
      // A lost connection or a refusal: each tab shows the error of its own read of the log.
    }
    await new Promise(resolve => setTimeout(resolve, RECONNECT_MS))
  }
}
