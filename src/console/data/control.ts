import { ApiError, ConnectionError, type Refusal } from '../../client/petstore-client.ts'

/** The path of the control operations of the sandbox; an empty text if the store is not a sandbox. */
const controlPath = document.querySelector<HTMLMetaElement>('meta[name="petstore-control"]')?.content ?? ''

/** Whether the store is a sandbox, so that it can be reset and made to fail. */
export const isSandbox = controlPath !== ''

/** The id of the sandbox; an empty text if the store is not a sandbox. */
export const sandboxId = controlPath.slice(controlPath.lastIndexOf('/') + 1)

interface ControlCallOptions {
  readonly body?: unknown
  readonly signal?: AbortSignal
}

/**
 * Calls a control operation. Throws ApiError for a refusal, ConnectionError if no response arrives, and the reason of
 * the signal if it is aborted.
 */
export async function sendControl(
  key: string,
  method: string,
  path: string,
  { body, signal }: ControlCallOptions = {},
): Promise<Response> {
  let response: Response
  try {
    response = await fetch(location.origin + controlPath + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw new ConnectionError('The host of the sandbox does not respond.', error)
  }
  if (response.ok) return response
  throw await refusalOf(response)
}

/** Calls a control operation that responds with JSON. Throws ApiError and ConnectionError. */
export async function callControl<Result>(
  key: string,
  method: string,
  path: string,
  options: ControlCallOptions = {},
): Promise<Result> {
  const response = await sendControl(key, method, path, options)
  // Safe: the description of the operation says what it returns.
  return (response.status === 204 ? undefined : await response.json()) as Result
}

async function refusalOf(response: Response): Promise<ApiError> {
  const { status, headers } = response
  const body: Partial<Refusal> = await response.json().catch(() => ({}))
  if (status === 401) {
    // The store accepts this key, so the refusal of a control operation must not end the session.
    const message = 'This view needs the key that was created with the sandbox.'
    return new ApiError({ status: 403, code: 'insufficient_scope', message, errors: [], headers })
  }
  const { code = 'unknown', message = `The host responded with status ${status}.`, errors = [] } = body
  return new ApiError({ status, code, message, errors, headers })
}
