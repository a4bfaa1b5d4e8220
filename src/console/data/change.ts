import { type QueryClient, useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { operations } from '../../client/operations.ts'
import {
  ApiError,
  type CallOptions,
  type Client,
  ConnectionError,
  type HostOperations,
} from '../../client/petstore-client.ts'
import { settlesEarlierAttempt } from '../../client/retry.ts'
import { hostOperations } from '../../client/sandbox-api.ts'
import { mayHaveTakenEffect } from '../../values/effect.ts'
import { reportFailure } from './query-client.ts'

type Api = Client & HostOperations

const shapes = { ...operations, ...hostOperations }

type ChangeOperation = {
  [Id in keyof typeof shapes]: (typeof shapes)[Id] extends { readonly method: 'GET' } ? never : Id
}[keyof typeof shapes]

interface Sending {
  /** Aborted when the user stops waiting. */
  readonly signal: AbortSignal
  readonly idempotencyKey: string
}

/**
 * A change of the store as a value: its operations, bodies and conditions. It is made at the first click, and each
 * attempt sends it with the same idempotency key, so nothing that happens meanwhile can alter it.
 */
export interface Change<Result> {
  readonly send: (sending: Sending) => Promise<Result>
  /** Whether a second attempt has no second effect. The operations that return a secret accept no idempotency key. */
  readonly isRepeatable: boolean
  /** Makes the change for a newer version of the resource, if its condition concerns none of its values. */
  readonly renew?: MakeChange<Result>
}

/** Makes a change from what the page shows. It may read before: the signal ends that. */
export type MakeChange<Result> = (signal: AbortSignal) => Change<Result> | Promise<Change<Result>>

/** Returns the change that one request makes. `ifMatch` is the ETag of the version that the user saw. */
export function request<Id extends ChangeOperation>(
  api: Pick<Api, Id>,
  operation: Id,
  input: Parameters<Api[Id]>[0],
  ifMatch?: string | undefined,
): Change<Awaited<ReturnType<Api[Id]>>> {
  const shape = shapes[operation]
  const takesKey = 'takesIdempotencyKey' in shape
  // Safe: `input` and the result have the types of this operation. The compiler does not relate them for any `Id`.
  const call = api[operation] as (
    input: unknown,
    options: CallOptions,
  ) => Promise<Awaited<ReturnType<Api[Id]>>>
  return {
    send: ({ signal, idempotencyKey }) =>
      call(input, { signal, ifMatch, ...(takesKey && { idempotencyKey }) }),
    isRepeatable: takesKey || shape.method !== 'POST',
  }
}

/**
 * Returns a change of two requests: `next` makes the second one from the response to the first one. If an attempt ends
 * between them, the next attempt gets the stored response to the first one. `onRefused` is called if only the second
 * one is refused; it may throw.
 */
export function inTurn<First>(
  first: Change<First>,
  next: (result: First) => Change<unknown>,
  onRefused: (result: First, error: ApiError) => void,
): Change<First> {
  return {
    send: async sending => {
      const result = await first.send(sending)
      try {
        await next(result).send({ ...sending, idempotencyKey: `${sending.idempotencyKey}-2` })
      } catch (error) {
        // After a refusal that may pass, both are sent again: the first one is made already, and has no second effect.
        if (!(error instanceof ApiError) || isUnknown(error)) throw error
        if (saysNothingOfEarlier(error) && error.status !== 403) throw onlyPartMade(error)
        onRefused(result, error)
      }
      return result
    },
    isRepeatable: first.isRepeatable,
  }
}

/** Returns an error after which the change keeps its keys: another one could have the effect of a part again. */
function onlyPartMade(cause: unknown): ConnectionError {
  return new ConnectionError('Only a part of the requests was made.', cause)
}

/** A change that was not made, among others that were. */
export interface Refused<Subject> {
  readonly subject: Subject
  readonly error: ApiError | InvalidValues
}

/** One of many changes. Without a `key`, its idempotency key is made from that of all. */
interface OneChange<Subject> {
  readonly subject: Subject
  readonly change: Change<unknown>
  readonly key?: string
}

/**
 * Returns a change of many requests, which are sent one after another. A refused one does not stop the others. Only a
 * refusal that may pass does: if one is made by then, all are sent again with their keys.
 */
export function oneByOne<Subject>(
  changes: readonly OneChange<Subject>[],
): Change<readonly Refused<Subject>[]> {
  const parts = changes.map(({ change, ...part }) => ({ ...part, send: withRenewals(change) }))
  return {
    isRepeatable: true,
    send: async ({ signal, idempotencyKey }) => {
      const refused: Refused<Subject>[] = []
      let isPartMade = false
      for (const [index, { subject, send, key = `${idempotencyKey}-${index}` }] of parts.entries()) {
        try {
          await send({ signal, idempotencyKey: key })
          isPartMade = true
        } catch (error) {
          const isRefusal = error instanceof ApiError && settlesEarlierAttempt(error)
          if (!isRefusal && !(error instanceof InvalidValues))
            throw isPartMade && !isUnknown(error) ? onlyPartMade(error) : error
          refused.push({ subject, error })
        }
      }
      return refused
    },
  }
}

/**
 * Returns a function that sends a change, and makes it for a newer version while its condition is not met. Called
 * again, it sends the newest one unaltered, with its key.
 */
function withRenewals(change: Change<unknown>): Change<unknown>['send'] {
  let newest = change
  let renewals = 0
  return async ({ signal, idempotencyKey }) => {
    for (;;) {
      const key = renewals === 0 ? idempotencyKey : `${idempotencyKey}-${renewals}`
      try {
        return await newest.send({ signal, idempotencyKey: key })
      } catch (error) {
        if (!isConflict(error) || !newest.renew || renewals >= RENEWALS_MAX) throw error
        newest = await newest.renew(signal)
        renewals++
      }
    }
  }
}

/** Thrown if the user stops waiting. */
class Stopped extends Error {}

/** Thrown if a change was sent, and it is not known whether the store made it. */
export class UnknownOutcome extends Error {
  readonly isRepeatable: boolean

  constructor({ isRepeatable }: Pick<Change<unknown>, 'isRepeatable'>, cause: unknown) {
    super('The outcome of the change is not known.', { cause })
    this.isRepeatable = isRepeatable
  }
}

function isUnknown(error: unknown): boolean {
  if (error instanceof ApiError) return mayHaveTakenEffect(error)
  return error instanceof ConnectionError || error instanceof Stopped
}

/** Returns whether an error says nothing of an earlier attempt whose outcome is not known. */
function saysNothingOfEarlier(error: unknown): boolean {
  return !(error instanceof ApiError && settlesEarlierAttempt(error))
}

/** Thrown by the making of a change that must not be sent. `problems` has the messages by the name of the value. */
export class InvalidValues extends Error {
  readonly problems: Readonly<Record<string, string>>

  constructor(problems: Readonly<Record<string, string>>) {
    super(Object.values(problems).join(' '))
    this.problems = problems
  }
}

/** Returns whether a change was not made because the version that the user saw has been replaced. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 412
}

/** The state of a change that runs at most once at a time. */
export interface Changing<Result> {
  /** Makes a change and sends it, unless the outcome of another one is not known yet. */
  readonly start: (make: MakeChange<Result>) => void
  /** Sends the change whose outcome is not known again, unaltered. */
  readonly sendAgain: () => void
  /** Forgets the change whose outcome is not known, so that another one can be made. */
  readonly giveUp: () => void
  /** Aborts the request. The store may have made the change. */
  readonly stop: () => void
  readonly isRunning: boolean
  /** Set while the outcome of a change is not known, and it is not being sent again. */
  readonly unknown: UnknownOutcome | undefined
  /** Why the store refused the last change, or why it could not be sent. */
  readonly error: Error | null
  readonly reset: () => void
}

interface ChangingOptions<Result> {
  /** Called after the change. `isShown` is false if the user has left the part of the page that made the change. */
  readonly onDone: (result: Result, isShown: boolean) => unknown
  /** Called if the change failed or its outcome is not known. */
  readonly onFailed?: (error: Error, isShown: boolean) => void
  /** Called before a conflict is reported, to read the version in the store. */
  readonly onConflict?: (() => Promise<void>) | undefined
}

interface MadeChange<Result> {
  readonly change: Change<Result>
  readonly idempotencyKey: string
  readonly madeAt: number
  /** Whether the outcome of an attempt was not known. Then only the store's answer for this key can settle it. */
  isUnclear: boolean
}

/** How long a change can be sent again, in milliseconds: the store keeps its response for a day. */
export const REPEATABLE_MS = 23 * 3_600_000

interface Attempt<Result> {
  readonly make: MakeChange<Result>
  readonly signal: AbortSignal
}

/** How often a change is made for a newer version at most, while sales replace the version. */
const RENEWALS_MAX = 5

/** Prepares a change to the store, for a dialog or for buttons that act at once. `name` is part of its key. */
export function useChange<Result>(
  name: string,
  { onDone, onFailed, onConflict }: ChangingOptions<Result>,
): Changing<Result> {
  // A second click arrives before the page is rendered again, so the state of the mutation cannot stop it.
  const running = useRef<AbortController>(undefined)
  /** The change that was sent, until its outcome is known. */
  const sent = useRef<MadeChange<Result>>(undefined)
  const isShown = useIsShown()
  const attempt = async ({ make, signal }: Attempt<Result>): Promise<Result> => {
    for (let renewals = 0; ; renewals++) {
      const made = sent.current ?? {
        change: await make(signal),
        idempotencyKey: newKey(name),
        madeAt: Date.now(),
        isUnclear: false,
      }
      if (!sent.current) signal.throwIfAborted()
      sent.current = made
      const { change, idempotencyKey, madeAt } = made
      if (made.isUnclear && Date.now() - madeAt > REPEATABLE_MS)
        throw new UnknownOutcome({ ...change, isRepeatable: false }, undefined)
      try {
        return await change.send({ signal, idempotencyKey })
      } catch (error) {
        if (isUnknown(error) || (made.isUnclear && saysNothingOfEarlier(error))) {
          made.isUnclear = true
          reportFailure(error)
          throw new UnknownOutcome(change, error)
        }
        sent.current = undefined
        if (isConflict(error) && change.renew && renewals < RENEWALS_MAX) make = change.renew
        else {
          // Without the version in the store, the user still learns that nothing was saved.
          if (isConflict(error)) await onConflict?.().catch(reportFailure)
          throw error
        }
      }
    }
  }
  const mutation = useMutation({
    mutationFn: attempt,
    onSuccess: async result => {
      sent.current = undefined
      await onDone(result, isShown.current)
    },
    onError: error => onFailed?.(error, isShown.current),
    onSettled: () => {
      running.current = undefined
    },
  })
  const send = (make: MakeChange<Result>): void => {
    if (running.current) return
    running.current = new AbortController()
    mutation.mutate({ make, signal: running.current.signal })
  }
  const { error } = mutation
  const isUnclear = error instanceof UnknownOutcome
  return {
    start: make => {
      if (!sent.current) send(make)
    },
    sendAgain: () => {
      const made = sent.current
      if (made) send(() => made.change)
    },
    giveUp: () => {
      sent.current = undefined
      mutation.reset()
    },
    stop: () => running.current?.abort(new Stopped()),
    isRunning: mutation.isPending,
    unknown: isUnclear ? error : undefined,
    // A change that was stopped before it was sent did not fail.
    error: isUnclear || error instanceof Stopped ? null : error,
    reset: () => mutation.reset(),
  }
}

function useIsShown(): { readonly current: boolean } {
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return isShown
}

/** Returns a random idempotency key. Outside a secure context, `crypto.randomUUID` does not exist. */
export function newKey(name: string): string {
  return `${name} ${crypto.getRandomValues(new BigUint64Array(2)).join('-')}`
}

/** How long a change waits at most until the page shows its result, in milliseconds. */
const REFRESH_WAIT_MS = 3000

/** Reads everything on the page again, and resolves after at most `REFRESH_WAIT_MS`. The reads continue after that. */
export async function readPageAgain(queries: QueryClient): Promise<void> {
  const limit = Promise.withResolvers<void>()
  const timer = setTimeout(limit.resolve, REFRESH_WAIT_MS)
  await Promise.race([queries.invalidateQueries(), limit.promise])
  clearTimeout(timer)
}
