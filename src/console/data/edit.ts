import { useState } from 'react'
import { ApiError } from '../../client/petstore-client.ts'

/** A resource and the ETag of the response that it came in. */
export interface Version<Value> {
  readonly value: Value
  readonly etag: string | undefined
}

/** The state of a form that changes one version of a resource. */
export interface Edit<Value> {
  /** The version that the next submit replaces. */
  readonly base: Version<Value>
  /** The version in the store, if it is another one than `base` and the user has not chosen yet. */
  readonly theirs: Version<Value> | undefined
  /** Sends the change with the ETag of `base`. On 412, reads the version in the store, and throws the refusal. */
  readonly save: (send: (ifMatch: string | undefined) => Promise<unknown>) => Promise<void>
  /** Makes the version in the store the base of the next submit. */
  readonly accept: () => void
}

/**
 * Edits a resource without overwriting the change of someone else. The version is the one at the time of the first
 * render, because that is what the user sees in the form: a later read must not replace its ETag.
 */
export function useEdit<Value>(opened: Version<Value>, read: () => Promise<Version<Value>>): Edit<Value> {
  const [base, setBase] = useState(opened)
  const [theirs, setTheirs] = useState<Version<Value>>()
  return {
    base,
    theirs,
    save: async send => {
      try {
        await send(base.etag)
      } catch (error) {
        if (error instanceof ApiError && error.status === 412) setTheirs(await read())
        throw error
      }
    },
    accept: () => {
      if (theirs) setBase(theirs)
      setTheirs(undefined)
    },
  }
}
