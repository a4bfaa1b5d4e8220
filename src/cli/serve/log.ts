import type { Config } from '../../config.ts'
import type { Log } from '../../values/log.ts'
import { say } from '../terminal/terminal.ts'
import { LogStream } from './log-stream.ts'
import { readableLine } from './readable-log.ts'

const levels = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: Infinity } as const

/**
 * Returns the log of a serving process on standard output, as JSON or as lines for people. The lines that wait when the
 * process ends, for whatever reason, are written then.
 */
export function openLog({ logLevel, log: format }: Pick<Config, 'logLevel' | 'log'>): Log {
  const isReadable = format === 'pretty' || (format === 'auto' && process.stdout.isTTY === true)
  // A JSON line is written unchanged, because this runs for every request.
  const shown = isReadable ? readableLine : (line: string): string => line
  const destination = new LogStream({ descriptor: 1, lossLine: lost => shown(lossLine(lost)) })
  process.once('exit', () => {
    const lost = destination.end()
    if (lost === 1) say('1 log line was lost: it could not be written.')
    if (lost > 1) say(`${lost} log lines were lost: they could not be written.`)
  })
  const isEnabled = (level: keyof typeof levels): boolean => levels[level] >= levels[logLevel]
  const write = (level: keyof typeof levels, fields: object, msg: string): void => {
    if (isEnabled(level)) destination.write(shown(logLine(levels[level], fields, msg)))
  }
  return {
    info: (fields, message) => write('info', fields, message),
    error: (fields, message) => write('error', fields, message),
    access: isEnabled('info') ? entry => destination.write(shown(`${entry}\n`)) : () => {},
  }
}

function logLine(level: number, fields: object, msg: string): string {
  return `${JSON.stringify({ level, time: Date.now(), ...fields, msg })}\n`
}

function lossLine(lost: number): string {
  return logLine(levels.warn, { lost }, 'log lines were lost: they could not be written')
}
