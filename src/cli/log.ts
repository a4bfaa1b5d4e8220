import type { Config } from '../config.ts'
import { type DeferredEntry, entryText, type Log } from '../store/open.ts'
import { LogStream } from './log-stream.ts'
import { readableLine } from './readable-log.ts'

/** The log of a serving process. */
export interface ServeLog extends Log {
  /** Writes the waiting lines. */
  flush(): void
}

/** The number of each level in a log line. */
const levels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity } as const

/** Returns the log on standard output, as JSON or as lines for people. */
export function openLog({ logLevel, log: format }: Pick<Config, 'logLevel' | 'log'>): ServeLog {
  const isReadable = format === 'pretty' || (format === 'auto' && process.stdout.isTTY === true)
  // A JSON line is written unchanged, because this runs for every request.
  const shown = isReadable ? readableLine : (line: string): string => line
  const destination = new LogStream({ descriptor: 1, lossLine: lost => shown(lossLine(lost)) })
  const isEnabled = (level: keyof typeof levels): boolean => levels[level] >= levels[logLevel]
  const write = (level: keyof typeof levels, fields: object, msg: string): void => {
    if (isEnabled(level)) destination.write(shown(logLine(levels[level], fields, msg)))
  }
  const writeEntry = (entry: string | DeferredEntry): void => {
    if (!isReadable && typeof entry !== 'string') destination.defer(entry)
    else destination.write(shown(`${entryText(entry)}\n`))
  }
  return {
    info: (fields, message) => write('info', fields, message),
    error: (fields, message) => write('error', fields, message),
    access: isEnabled('info') ? writeEntry : () => {},
    flush: () => destination.flush(),
  }
}

function logLine(level: number, fields: object, msg: string): string {
  return `${JSON.stringify({ level, time: Date.now(), ...fields, msg })}\n`
}

function lossLine(lost: number): string {
  return logLine(levels.warn, { lost }, 'log lines were lost: they could not be written')
}
