import { useState } from 'react'
import { ApiError, type ApiResponse } from '../../client/petstore-client.ts'
import type { Sending } from './change.ts'

/** A resource, and the ETag of the response that contained it. */
export type Version<Value> = Pick<ApiResponse<Value>, 'data' | 'etag'>

/** Returns the function with which a dialog submits a change of one version. */
type Submit = (
  send: (options: Sending & { readonly ifMatch: string | undefined }) => Promise<unknown>,
) => (sending: Sending) => Promise<void>

/** The state of a form that changes one version of a resource. */
export interface Edit<Value> {
  /** The version that the next submit replaces. */
  readonly base: Version<Value>
  /** The version in the store after a conflict; undefined once the user has chosen which values to keep. */
  readonly theirs: Version<Value> | undefined
  readonly submit: Submit
  /** Makes the version in the store the base of the next submit. */
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
    submit: submitOf(base, async () => setTheirs(await read())),
    accept: () => {
      if (theirs) setBase(theirs)
      setTheirs(undefined)
    },
  }
}

/**
 * Thrown if a fact that the user saw has changed, but the ETag of the resource does not cover that fact. For example,
 * the ETag of a pet does not cover its stock.
 */
export class ChangedMeanwhile extends Error {}

/** Returns whether a change was not made because the version that the user saw has been replaced. */
export function isConflict(error: unknown): boolean {
  return error instanceof ChangedMeanwhile || (error instanceof ApiError && error.status === 412)
}

/**
 * Asks about a resource without acting on a version that the user has not seen, such as whether to complete an order.
 * `opened` counts only in the first render. After a conflict, the question is about the version in the store: `shown`.
 * `before` is what it was about before someone else changed the resource; undefined if nobody did.
 */
export function useConfirmation<Value>(opened: Version<Value>, read: () => Promise<Version<Value>>) {
  const [shown, setShown] = useState(opened)
  const [before, setBefore] = useState<Value>()
  const submit = submitOf(shown, async () => {
    const now = await read()
    setBefore(shown.data)
    setShown(now)
  })
  return { shown, before, submit }
}

/** Sends with the ETag of a version. If that has been replaced, calls `onConflict` before it throws. */
function submitOf({ etag }: Version<unknown>, onConflict: () => Promise<void>): Submit {
  return send => async sending => {
    try {
      await send({ ...sending, ifMatch: etag })
    } catch (error) {
      if (isConflict(error)) await onConflict()
      throw error
    }
  }
}
