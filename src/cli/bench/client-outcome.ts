import type { CommandRun } from './command-run.ts'
import type { BenchRow } from './results.ts'

/** What an error that nobody expected looks like, in common languages. */
const CRASHED =
  /^(Traceback \(most recent|panic:|Exception in thread|Unhandled|thread '[^'\n]{0,100}' panicked)/m
const STACK_LINE = /^ {2,8}at \S/m
const SIGNAL_EXIT = 128

/** Returns what a client did, compared with its runs against a right store. */
export function clientOutcome(
  { exitCode, isTimedOut, output, errors }: CommandRun,
  requests: number,
  cleanRuns: readonly BenchRow[],
): string {
  if (isTimedOut) return 'did not end'
  if (exitCode === undefined || exitCode > SIGNAL_EXIT) return 'crashed'
  if (exitCode !== 0) return CRASHED.test(errors) || STACK_LINE.test(errors) ? 'crashed' : 'noticed'
  const isRepeatable = cleanRuns.every(({ kept }) => kept === cleanRuns[0]?.kept)
  if (isRepeatable && output !== cleanRuns[0]?.kept) return 'took a wrong value'
  return cleanRuns.every(run => requests > run.requests) ? 'repeated a request' : 'went on'
}
