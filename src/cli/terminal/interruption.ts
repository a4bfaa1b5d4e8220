import { CommandFailed } from './terminal.ts'

/**
 * The time in which further process signals are ignored, in milliseconds. npm passes Ctrl-C on, so a command that it
 * runs gets the signal twice, from the terminal and from npm. The second one must not prevent the cleanup.
 */
const REPEATS_IGNORED_MS = 1000

/**
 * Returns an AbortSignal that SIGINT (Ctrl-C), SIGTERM or SIGHUP aborts with a CommandFailed. `consequence` completes
 * the message of that error: a sentence about what was done, or a function that returns the sentence. Signals in the
 * next `repeatsIgnoredMs` are ignored; a later signal ends the process at once. Disposing it ends the listening.
 */
export function interruptedBySignals(
  consequence: string | (() => string),
  repeatsIgnoredMs = REPEATS_IGNORED_MS,
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  const { signal } = controller
  const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
  const stops = (['SIGHUP', 'SIGINT', 'SIGTERM'] as const).map(name => {
    const abort = (): void => {
      if (signal.aborted) return
      const sentence = typeof consequence === 'string' ? consequence : consequence()
      controller.abort(new CommandFailed(`Interrupted. ${sentence}`, codes[name]))
      setTimeout(stopAll, repeatsIgnoredMs).unref()
    }
    process.on(name, abort)
    return () => process.off(name, abort)
  })
  const stopAll = (): void => {
    for (const stopOne of stops) stopOne()
  }
  return {
    signal,
    [Symbol.dispose]: () => {
      // After an interruption, the listeners stay: a repeated signal must not end the process before its last message.
      if (!signal.aborted) stopAll()
    },
  }
}
