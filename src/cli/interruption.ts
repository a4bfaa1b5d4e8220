import { CommandFailed } from './terminal.ts'

/**
 * Returns an AbortSignal that SIGINT (Ctrl-C), SIGTERM or SIGHUP aborts with a CommandFailed. `consequence` completes
 * the message of that error: a sentence about what was done, or a function that returns the sentence. A second process
 * signal ends the process at once.
 */
export function interruptedBySignals(consequence: string | (() => string)): {
  signal: AbortSignal
  stop(): void
} {
  const controller = new AbortController()
  const codes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
  const stops = (['SIGHUP', 'SIGINT', 'SIGTERM'] as const).map(name => {
    const abort = (): void => {
      const sentence = typeof consequence === 'string' ? consequence : consequence()
      stop()
      controller.abort(new CommandFailed(`Interrupted. ${sentence}`, codes[name]))
    }
    process.on(name, abort)
    return () => process.off(name, abort)
  })
  const stop = (): void => {
    for (const stopOne of stops) stopOne()
  }
  return { signal: controller.signal, stop }
}
