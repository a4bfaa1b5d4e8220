import { useState } from 'react'
import type { ApiResponse } from '../../client/petstore-client.ts'

/** A resource, and the ETag of the response that contained it. */
export type Version<Value> = Pick<ApiResponse<Value>, 'data' | 'etag'>

/** The state of a form that changes one version of a resource. */
export interface Edit<Value> {
  /** The version that the next change replaces. */
  readonly base: Version<Value>
  /** The version in the store after a conflict; undefined once the user has chosen which values to keep. */
  readonly theirs: Version<Value> | undefined
  /** Reads the version in the store, after a conflict. */
  readonly readTheirs: () => Promise<void>
  /** Makes the version in the store the base of the next change. */
  readonly accept: () => void
}

/**
 * Edits a resource without overwriting the changes of someone else. `opened` counts only in the first render, because
 * the form shows that version: a later read must not replace its ETag. `read` reads the version in the store.
 */
export function useEdit<Value>(opened: Version<Value>, read: () => Promise<Version<Value>>): Edit<Value> {
  const [base, setBase] = useState(opened)
  const [theirs, setTheirs] = useState<Version<Value>>()
  return {
    base,
    theirs,
    readTheirs: async () => setTheirs(await read()),
    accept: () => {
      if (theirs) setBase(theirs)
      setTheirs(undefined)
    },
  }
}

/**
 * Asks about a resource without acting on a version that the user has not seen, such as whether to complete an order.
 * `opened` counts only in the first render. After a conflict, `readAgain` makes the question one about the version in
 * the store: `shown`. `before` is what it was about before; undefined if nobody else changed the resource.
 */
export function useConfirmation<Value>(opened: Version<Value>, read: () => Promise<Version<Value>>) {
  const [shown, setShown] = useState(opened)
  const [before, setBefore] = useState<Value>()
  const readAgain = async (): Promise<void> => {
    const now = await read()
    setBefore(shown.data)
    setShown(now)
  }
  return { shown, before, readAgain }
}
