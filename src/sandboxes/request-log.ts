import { existsSync } from 'node:fs'
import { appendFile, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { JsonText, writeJson } from '../model/json.ts'
import { fileBytes } from './file-bytes.ts'
import type { LoggedRequest } from './sandbox.ts'

/** The maximum number of requests that the log returns, and the number after which it starts a new file. */
export const REQUESTS_KEPT = 1000
/** The maximum number of bytes of a body that the log keeps. */
export const BODY_BYTES_KEPT = 4096
/** The log also starts a new file at this size. Only large headers and bodies make a file so large. */
const FILE_BYTES_MAX = 8 * 1024 * 1024
/** The delay before entries are written to the disk, so that one write contains many of them. */
const WRITE_DELAY_MS = 200
const NEWLINE = '\n'

export interface RequestWatcher {
  /** Called with the number of a request, and its entry as JSON text. */
  readonly onRequest: (entry: { readonly number: bigint; readonly text: string }) => void
  /** Called when the log is closed together with its sandbox. */
  readonly onClosed: () => void
}

/**
 * The last requests to one sandbox, as lines of JSON in two files. When the current file has 1,000 entries or 8 MiB, it
 * replaces the previous file.
 */
export class RequestLog {
  readonly #directory: string
  readonly #watchers = new Set<RequestWatcher>()
  #unwritten: string[] = []
  #currentEntries = 0
  #lastNumber: bigint
  #writing: Promise<void> = Promise.resolve()
  #reading: Promise<unknown> = Promise.resolve()
  #timer: ReturnType<typeof setTimeout> | undefined

  private constructor(directory: string, lastNumber: bigint, currentEntries: number) {
    this.#directory = directory
    this.#lastNumber = lastNumber
    this.#currentEntries = currentEntries
  }

  /** Opens the log in the directory of a sandbox. */
  static async open(directory: string): Promise<RequestLog> {
    const current = await readLines(currentFile(directory))
    const lastLine = current.at(-1) ?? (await readLines(previousFile(directory))).at(-1)
    const cleared = await readFile(clearedFile(directory), 'utf8').catch(() => '0')
    const clearedNumber = BigInt(/^\d{1,15}$/.test(cleared) ? cleared : 0)
    const lastNumber = lastLine === undefined ? clearedNumber : numberOf(lastLine)
    return new RequestLog(directory, lastNumber, current.length)
  }

  /** Adds a request and returns its entry, with its number. */
  add(request: Omit<LoggedRequest, 'number'>): LoggedRequest {
    this.#lastNumber++
    const entry = { number: this.#lastNumber, ...request }
    const text = writeJson(entry)
    this.#unwritten.push(text + NEWLINE)
    this.#timer ??= setTimeout(() => this.#write(), WRITE_DELAY_MS)
    for (const { onRequest } of this.#watchers) onRequest({ number: this.#lastNumber, text })
    return entry
  }

  /**
   * Returns up to `limit` entries, the newest first; with `before`, only entries before the one with this number. Each
   * entry is the JSON text that was stored: parsing a thousand of them would stop all sandboxes for half a second.
   */
  async read(limit: number, before?: bigint): Promise<JsonText[]> {
    const lines = await this.#lines()
    const wanted = before === undefined ? lines : lines.filter(line => numberOf(line) < before)
    return wanted
      .slice(-limit)
      .reverse()
      .map(line => new JsonText(line))
  }

  /** Deletes all entries. The numbers continue. */
  async clear(): Promise<void> {
    await this.#write()
    this.#currentEntries = 0
    await writeFile(clearedFile(this.#directory), String(this.#lastNumber), { mode: 0o600 })
    await Promise.all([currentFile, previousFile].map(file => rm(file(this.#directory), { force: true })))
  }

  /** Returns the entries after the one with a number, the oldest first, each as the JSON text that was stored. */
  async readAfter(number: bigint): Promise<readonly { number: bigint; text: string }[]> {
    const lines = await this.#lines()
    return lines.map(text => ({ number: numberOf(text), text })).filter(entry => entry.number > number)
  }

  /** Calls a watcher with every new entry, and once when the log is closed. Returns a function that stops the calls. */
  watch(watcher: RequestWatcher): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Notifies the watchers, and writes the entries that are still in memory. */
  close(): Promise<void> {
    for (const { onClosed } of this.#watchers) onClosed()
    this.#watchers.clear()
    return this.#write()
  }

  /** The number of watchers, which is the number of open streams of the log. */
  get watcherCount(): number {
    return this.#watchers.size
  }

  /** Returns the lines of the last requests, the oldest first. One read at a time, because the files can be large. */
  #lines(): Promise<string[]> {
    const lines = this.#reading.then(() => this.#readLines())
    this.#reading = lines.catch(() => {})
    return lines
  }

  async #readLines(): Promise<string[]> {
    await this.#write()
    const [before, current] = await Promise.all([
      readLines(previousFile(this.#directory)),
      readLines(currentFile(this.#directory)),
    ])
    return [...before, ...current].slice(-REQUESTS_KEPT)
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = this.#unwritten
    this.#unwritten = []
    // A log that cannot be written, for example because the disk is full, must not stop the sandbox.
    if (lines.length > 0) this.#writing = this.#writing.then(() => this.#append(lines)).catch(() => {})
    return this.#writing
  }

  async #append(lines: readonly string[]): Promise<void> {
    const file = currentFile(this.#directory)
    if (this.#currentEntries >= REQUESTS_KEPT || (await fileBytes(file)) >= FILE_BYTES_MAX) {
      // Another program may have deleted the file.
      if (existsSync(file)) await rename(file, previousFile(this.#directory))
      this.#currentEntries = 0
    }
    await appendFile(file, lines.join(''), { mode: 0o600 })
    this.#currentEntries += lines.length
  }
}

function currentFile(directory: string): string {
  return join(directory, 'requests.ndjson')
}

function previousFile(directory: string): string {
  return join(directory, 'requests-before.ndjson')
}

/** The start and the end of a line that was written completely: a kill of the process can leave part of a line. */
const LINE_START = /^{"number":(\d+),/
const LINE_END = '}'

/** Returns the file with the number of the last request before the log was cleared. */
function clearedFile(directory: string): string {
  return join(directory, 'requests-cleared')
}

async function readLines(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split(NEWLINE).filter(line => LINE_START.test(line) && line.endsWith(LINE_END))
}

/** Returns the number of the entry in a line. */
function numberOf(line: string): bigint {
  return BigInt(LINE_START.exec(line)?.[1] ?? 0)
}

const SECRETS: readonly [RegExp, string][] = [
  [/pst(?:_|%5[fF])[0-9A-Za-z]{4,}/g, 'pst_***'],
  [/whsec_[0-9A-Za-z+/=_-]+/g, 'whsec_***'],
]
const SECRET_HEADERS: readonly string[] = ['authorization', 'cookie', 'set-cookie', 'proxy-authorization']

/** Returns a text with asterisks in place of the keys and secrets of a store. */
export function masked(text: string): string {
  return SECRETS.reduce((result, [pattern, replacement]) => result.replaceAll(pattern, replacement), text)
}

/** Returns header fields for the log, without secrets. The scheme of an Authorization header remains. */
export function maskedHeaders(headers: Headers): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const [name, value] of headers) {
    const scheme = value.split(' ', 1)[0] ?? ''
    shown[name] = SECRET_HEADERS.includes(name)
      ? masked(value) === value
        ? `${value.includes(' ') ? `${scheme} ` : ''}***`
        : masked(value)
      : masked(value)
  }
  return shown
}

/** Returns the start of a body as text, without secrets. */
export function bodyText(bytes: Uint8Array): string {
  // A streaming decoder omits an incomplete character at the end.
  return masked(new TextDecoder().decode(bytes.subarray(0, BODY_BYTES_KEPT), { stream: true }))
}
