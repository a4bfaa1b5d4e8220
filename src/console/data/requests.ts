import { useCallback, useEffect, useState } from 'react'
import { callControl, sendControl } from './control.ts'
import { useSession } from './store.ts'

/** An entry of the request log of the sandbox. */
export interface ShownRequest {
  readonly number: number
  readonly at: string
  readonly method: string
  readonly path: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody?: string
  /** Absent if the connection was dropped. */
  readonly status?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
  readonly ms: number
  readonly operationId?: string
  readonly fault?: string
}

/** The maximum number of requests that the page keeps. */
const REQUESTS_MAX = 500
/** The time before a stream that ended is opened again, in milliseconds. */
const RECONNECT_MS = 1000

interface RequestList {
  /** The last requests, newest first. */
  readonly requests: readonly ShownRequest[]
  readonly error: unknown
  readonly clear: () => Promise<void>
}

/** Returns the last requests, and follows new ones unless the view is paused. */
export function useRequests(isPaused: boolean): RequestList {
  const { key } = useSession()
  const [requests, setRequests] = useState<readonly ShownRequest[]>([])
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    if (isPaused) return
    const stopping = new AbortController()
    const add = (more: readonly ShownRequest[]): void => {
      setError(undefined)
      setRequests(known => mergeRequests(known, more))
    }
    void follow(key, { add, fail: setError, signal: stopping.signal })
    return () => stopping.abort()
  }, [key, isPaused])
  const clear = useCallback(async () => {
    await callControl(key, 'DELETE', '/requests')
    setRequests([])
  }, [key])
  return { requests, error, clear }
}

function mergeRequests(
  known: readonly ShownRequest[],
  more: readonly ShownRequest[],
): readonly ShownRequest[] {
  const byNumber = new Map([...known, ...more].map(request => [request.number, request]))
  return [...byNumber.values()].sort((a, b) => b.number - a.number).slice(0, REQUESTS_MAX)
}

interface Following {
  readonly add: (requests: readonly ShownRequest[]) => void
  readonly fail: (error: unknown) => void
  readonly signal: AbortSignal
}

/** Reads the log and follows its stream. Starts again when the stream ends, until the signal is aborted. */
async function follow(key: string, { add, fail, signal }: Following): Promise<void> {
  while (!signal.aborted) {
    try {
      // The stream is opened before the log is read, so that no request between these two steps is missed.
      const { body } = await sendControl(key, 'GET', '/requests/stream', { signal })
      add(await callControl<ShownRequest[]>(key, 'GET', `/requests?limit=${REQUESTS_MAX}`, { signal }))
      if (body) for await (const request of eventsOf(body)) add([request])
    } catch (error) {
      if (!signal.aborted) fail(error)
    }
    await new Promise(resolve => setTimeout(resolve, RECONNECT_MS))
  }
}

/** Returns the data of the events of a stream (WHATWG HTML, section 9.2). The host sends one line of data in each. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ShownRequest> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (text + decoder.decode(part.value, { stream: true })).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data !== undefined) yield JSON.parse(data)
    }
  }
}
