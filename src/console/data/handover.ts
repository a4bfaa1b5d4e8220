import { makeCall } from '../../client/client.ts'
import type { Change } from './change.ts'
import { baseUrl } from './session.ts'
import { noteThrottle } from './throttle.ts'

/** An operation that is not in the OpenAPI description. */
const handOver = { method: 'POST', path: '/keys/handovers' } as const

/** Whether only this computer can open the address of the page. */
export const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname)

/** Returns the change that makes a link for a new key, which signs in once, within ten minutes. */
export function handOverOf(ownKey: string, newKey: string): Change<string> {
  const call = makeCall({ baseUrl, key: ownKey, onRetry: noteThrottle })
  return {
    send: async ({ signal }) => {
      const { data } = await call('handOverKey', handOver, { body: { key: newKey } }, { signal })
      // Safe: the contract of the operation has this type.
      const { code } = data as { readonly code: string }
      return `${baseUrl}/console#key=${code}`
    },
    isRepeatable: false,
  }
}
