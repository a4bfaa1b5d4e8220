import { type ErrorCodeName, type ErrorDetails, StoreError } from '../contract/error.ts'

/** The result of a command or query, as data that can be sent between threads. */
export type Outcome<Reply> =
  | { readonly reply: Reply }
  | {
      readonly refusal: {
        readonly code: ErrorCodeName
        readonly message: string
        readonly details: ErrorDetails
      }
    }
  | { readonly error: string }

/** Returns the outcome for a thrown value: a refusal with its code and details, or an error with its stack. */
export function failure(error: unknown): Outcome<never> {
  if (error instanceof StoreError) {
    const { code, message, details } = error
    return { refusal: { code, message, details } }
  }
  return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

/** Returns the reply, or throws the error that the outcome describes. */
export function unwrap<Reply>(outcome: Outcome<Reply>): Reply {
  if ('reply' in outcome) return outcome.reply
  if ('refusal' in outcome) {
    const { code, message, details } = outcome.refusal
    throw new StoreError(code, message, details)
  }
  throw new Error(outcome.error)
}
