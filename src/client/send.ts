import { mayHaveTakenEffect } from '../values/effect.ts'
import { ApiError, ConnectionError, TimeoutError } from './errors.ts'
import type { Fetch, PreparedRequest } from './request.ts'
import { type ApiResponse, readResponse } from './response.ts'
import { type Failure, retryDelayMs, settlesEarlierAttempt } from './retry.ts'

/** The longest delay of a timer. A timer with a longer delay fires at once. */
export const TIMER_MS_MAX = 2 ** 31 - 1

/** The options with which a request is sent and retried. */
export interface SendOptions {
  readonly fetch: Fetch
  readonly timeoutMs: number
  readonly retriesMax: number
  readonly signal: AbortSignal | undefined
  readonly onRetry: ((retry: Retry) => void) | undefined
}

/** A retry that is about to happen. */
export interface Retry {
  readonly number: number
  readonly delayMs: number
  readonly error: ApiError | ConnectionError
}

/**
 * Returns the response to a request. Retries it after a failure at most `retriesMax` times, if a repeat is safe and a
 * later attempt may succeed (see `retryDelayMs`). Throws ApiError for a refusal, TimeoutError if the response is late,
 * and ConnectionError if no valid response arrives. Throws the reason of the signal if it is aborted.
 */
export async function send(request: PreparedRequest, options: SendOptions): Promise<ApiResponse<unknown>> {
  const { signal, retriesMax, onRetry } = options
  let isUnclear = false
  for (let attempts = 1; ; attempts++) {
    try {
      return await sendOnce(request, options)
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error
      const failure = failureOf(error)
      const delayMs = retryDelayMs(failure, {
        attempts,
        retriesMax,
        isRepeatable: request.isRepeatable,
        nowMs: Date.now(),
        random: Math.random(),
      })
      if (delayMs === undefined) throw isUnclear ? outcomeOf(error) : error
      isUnclear ||= request.init.method !== 'GET' && mayHaveTakenEffect(failure)
      onRetry?.({ number: attempts, delayMs, error })
      await pause(delayMs, signal)
      signal?.throwIfAborted()
    }
  }
}

/** Returns the last error of a change of which an earlier attempt may have taken effect. */
function outcomeOf(error: ApiError | ConnectionError): ApiError | ConnectionError {
  if (error instanceof ConnectionError || settlesEarlierAttempt(error)) return error
  const refusal = `${error.status} ${error.code}`
  return new ConnectionError(
    `The response to an attempt was lost, and the next one was refused (${refusal}).`,
    error,
  )
}

function failureOf(error: ApiError | ConnectionError): Failure {
  if (error instanceof ConnectionError) return { status: undefined, code: undefined, retryAfter: null }
  return { status: error.status, code: error.code, retryAfter: error.headers.get('retry-after') }
}

/** Returns the response to a request that is sent once. The time limit includes the body of the response. */
async function sendOnce(
  { url, init, success }: PreparedRequest,
  { fetch, timeoutMs, signal }: SendOptions,
): Promise<ApiResponse<unknown>> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), Math.min(timeoutMs, TIMER_MS_MAX))
  const abort = (): void => deadline.abort()
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  let response: Response
  let body: Uint8Array
  try {
    response = await fetch(url, { ...init, redirect: 'manual', signal: deadline.signal })
    body = await readBody(response)
  } catch (error) {
    if (error instanceof ConnectionError) throw error
    if (deadline.signal.aborted && !signal?.aborted) throw new TimeoutError(timeoutMs)
    throw new ConnectionError(`No response arrived from ${new URL(url).origin}: ${messageOf(error)}`, error)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  return readResponse(response, body, success)
}

/** The maximum length of a body, which is far more than the store sends. */
const BODY_BYTES_MAX = 64 * 1024 * 1024

/** Returns the body of a response. Throws ConnectionError if it is too large. */
export async function readBody(response: Response): Promise<Uint8Array> {
  const reader = response.body?.getReader()
  if (!reader) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    length += value.length
    if (length <= BODY_BYTES_MAX) continue
    await reader.cancel()
    throw new ConnectionError(`The response has more than ${BODY_BYTES_MAX} bytes.`)
  }
  const body = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.length
  }
  return body
}

/**
 * Returns the message of an error of `fetch`. Node says only "fetch failed", so the message of the cause is returned if
 * there is one.
 */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
}

/** Waits until the time has passed or the signal is aborted. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return
  await new Promise<void>(resolve => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(ms, TIMER_MS_MAX))
    signal?.addEventListener('abort', end)
  })
}
