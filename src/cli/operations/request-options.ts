import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CallOptions } from '../../client/call.ts'
import type { StoreOptions } from '../store-access/store-options.ts'
import { defaultFormat, type OutputFormat, outputFormats } from '../terminal/output.ts'

/** The options of every command that sends requests. */
export interface RequestOptions extends StoreOptions {
  readonly timeout: number
  readonly output?: OutputFormat
}

/** The options of every command of an operation. */
export interface OperationOptions extends RequestOptions {
  readonly all?: true
  readonly includeHeaders?: true
  readonly body?: string
}

const TIMEOUT_SECONDS_DEFAULT = 30
const TIMEOUT_SECONDS_MAX = 86_400

/** Returns the options that choose a store, a key, a time limit and an output. `formats` are the outputs to offer. */
export function requestOptions(formats: readonly string[] = outputFormats): Option[] {
  return [
    new Option('--url <url>', 'address of the store [PETSTORE_URL]'),
    new Option('--key <key>', 'the key to send, or @FILE to read it from a file [PETSTORE_KEY]'),
    new Option('--data <directory>', 'data directory of a store that runs on this machine [PETSTORE_DATA]'),
    timeoutOption(TIMEOUT_SECONDS_DEFAULT),
    new Option('--output <format>', 'table for a terminal, json otherwise').choices(formats),
  ]
}

/** Returns the option for the time limit of a request in seconds. */
export function timeoutOption(fallback: number): Option {
  return new Option('--timeout <seconds>', 'time limit of each request')
    .argParser(readSeconds)
    .default(fallback)
}

/** Adds options under a heading of the help. */
export function addOptions(command: Command, heading: string, options: readonly Option[]): void {
  for (const option of options) command.addOption(option.helpGroup(heading))
}

/** Returns the format of --output, or the default format. */
export function formatOf({ output }: RequestOptions): OutputFormat {
  return output ?? defaultFormat()
}

/** Returns the time limit of a request with its retries. `wait` is how many seconds the store may wait for events. */
export function deadline(
  { timeout }: { readonly timeout: number },
  wait?: unknown,
): Pick<CallOptions, 'signal'> {
  return { signal: AbortSignal.timeout((timeout + Number(wait ?? 0)) * 1000) }
}

function readSeconds(text: string): number {
  const seconds = /^\d{1,5}(\.\d{1,3})?$/.test(text) ? Number(text) : 0
  if (seconds > 0 && seconds <= TIMEOUT_SECONDS_MAX) return seconds
  throw new InvalidArgumentError(
    `It must be a number of seconds, more than 0 and at most ${TIMEOUT_SECONDS_MAX}.`,
  )
}
