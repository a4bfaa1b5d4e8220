import { useCallback, useEffect, useState } from 'react'
import { callControl, sendControl } from './control.ts'
import { POLL_MS } from './live.ts'
import { basePath } from './session.ts'
import { followShared, type Lead, whileVisible } from './shared-stream.ts'
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
  /** Whether the log is only read from time to time, because no byte of its stream arrives. */
  readonly isSilent: boolean
  readonly error: unknown
  readonly clear: () => Promise<void>
}

/** Returns the last requests, and follows new ones unless the view is paused or hidden. */
export function useRequests(isPaused: boolean): RequestList {
  const { key, info } = useSession()
  const [requests, setRequests] = useState<readonly ShownRequest[]>([])
  const [error, setError] = useState<unknown>()
  const [isSilent, setSilent] = useState(false)
  useEffect(() => {
    if (isPaused) return
    const add = (more: readonly ShownRequest[]): void => {
      setError(undefined)
      setRequests(known => mergeRequests(known, more))
    }
    const read = (): void => void readLog(key).then(add, setError)
    let timer: ReturnType<typeof setInterval> | undefined
    return whileVisible(() => {
      read()
      return followShared<readonly ShownRequest[]>({
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
  const clear = useCallback(async () => {
    await callControl(key, 'DELETE', '/requests')
    setRequests([])
  }, [key])
  return { requests, isSilent, error, clear }
}

function readLog(key: string): Promise<ShownRequest[]> {
  return callControl<ShownRequest[]>(key, 'GET', `/requests?limit=${REQUESTS_MAX}`)
}

function mergeRequests(
  known: readonly ShownRequest[],
  more: readonly ShownRequest[],
): readonly ShownRequest[] {
  const byNumber = new Map([...known, ...more].map(request => [request.number, request]))
  return [...byNumber.values()].sort((a, b) => b.number - a.number).slice(0, REQUESTS_MAX)
}

/** Follows the stream of the log. Starts again when the stream ends, until the signal is aborted. */
async function readStream(
  key: string,
  { signal, pass, watch }: Lead<readonly ShownRequest[]>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { body } = watch(await sendControl(key, 'GET', '/requests/stream', { signal }))
      // The log has the requests that arrived before the stream was open. Each tab shows the error of its own read.
      pass(await readLog(key))
      if (body) for await (const request of eventsOf(body)) pass([request])
    } catch {
      // A lost connection or a refusal: each tab shows the error of its own read of the log.
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
