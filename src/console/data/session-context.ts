import { createContext, useContext } from 'react'
import type { Scope } from '../../client/petstore-client.ts'
import { hasScope } from '../../contract/scopes.ts'
import type { Session } from './session.ts'

interface SignedIn extends Session {
  readonly signOut: () => void
}

export const SessionContext = createContext<SignedIn | undefined>(undefined)

/** Returns the session of the page, with its client. Throws outside a signed-in page. */
export function useSession(): SignedIn {
  const session = useContext(SessionContext)
  if (!session) throw new Error('the page is not signed in')
  return session
}

export function useCan(): (scope: Scope) => boolean {
  const { info } = useSession()
  return scope => hasScope(info, scope)
}
