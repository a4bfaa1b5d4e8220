import { CommandFailed } from './terminal.ts'

/**
 * Returns a signal that a first Ctrl-C aborts with a CommandFailed. `consequence` is a sentence about what was done,
 * for its message, or returns it. A second Ctrl-C ends the process at once.
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
      controller.abort(new CommandFailed(`Interrupted. ${sentence}`, codes[name]))
    }
    process.once(name, abort)
    return () => process.off(name, abort)
  })
  return {
    signal: controller.signal,
    stop: () => {
      for (const stop of stops) stop()
    },
  }
}
