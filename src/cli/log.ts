import { pino } from 'pino'
import type { Config } from '../config.ts'
import type { Log } from '../store/open.ts'
import { LogStream } from './log-stream.ts'
import { readableLine } from './readable-log.ts'

/** The log of a serving process. */
export interface ServeLog extends Log {
  /** Writes the waiting lines. */
  flush(): void
}

/** Returns the log on standard output, as JSON or as lines for people. */
export function openLog({ logLevel, log: format }: Pick<Config, 'logLevel' | 'log'>): ServeLog {
  const isReadable = format === 'pretty' || (format === 'auto' && process.stdout.isTTY === true)
  // A JSON line is written unchanged, because this runs for every request.
  const shown = isReadable ? readableLine : (line: string): string => line
  const destination = new LogStream({ descriptor: 1, lossLine: lost => shown(lossLine(lost)) })
  const logger = pino({ level: logLevel, base: null }, { write: line => destination.write(shown(line)) })
  return {
    info: (fields, message) => logger.info(fields, message),
    error: (fields, message) => logger.error(fields, message),
    access: logger.isLevelEnabled('info') ? line => destination.write(shown(`${line}\n`)) : () => {},
    flush: () => destination.flush(),
  }
}

function lossLine(lost: number): string {
  return `{"level":40,"time":${Date.now()},"lost":${lost},"msg":"log lines were lost: they could not be written"}\n`
}
