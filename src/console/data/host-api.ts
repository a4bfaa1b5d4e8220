import { createHostClient, type Fetch, type HostOperations } from '../../client/petstore-client.ts'
import { t } from '../words/sentences.tsx'

/** The path of the sandbox in the host API; an empty text if the store is not a sandbox. */
const sandboxPath = document.querySelector<HTMLMetaElement>('meta[name="petstore-host-api"]')?.content ?? ''

export const isSandbox = sandboxPath !== ''

/** The id of the sandbox; an empty text if the store is not a sandbox. */
export const sandboxId = sandboxPath.slice(sandboxPath.lastIndexOf('/') + 1)

/** Returns a client of the host of the sandbox. `send` replaces how its requests are sent. */
export function hostClient(key: string, send: Fetch = hostFetch): HostOperations {
  const baseUrl = location.origin + sandboxPath.replace(/\/sandboxes\/[^/]*$/, '')
  return createHostClient({ baseUrl, key, fetch: send, retriesMax: 0 })
}

/** Sends a request to the host. A refusal of the key does not end the session, because the store accepts this key. */
export const hostFetch: Fetch = async (url, init) => {
  const response = await fetch(url, init)
  if (response.status !== 401) return response
  const message = t('This view needs the key that was created with the sandbox.')
  return Response.json({ code: 'insufficient_scope', message }, { status: 403 })
}
