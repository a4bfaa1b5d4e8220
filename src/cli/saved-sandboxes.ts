import { appendFileSync, chmodSync, existsSync, readFileSync } from 'node:fs'
import { CsvError, parse } from 'csv-parse/sync'
import type { CreatedSandbox } from '../client/sandbox-api.ts'
import { reserveFile, writeWholeFile } from '../engine/private-file.ts'
import { hasCode } from '../engine/system-error.ts'
import { isKeyText } from '../model/key.ts'
import { isSandboxId } from '../sandboxes/sandbox.ts'
import { csvLine } from './output.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, reasonOf } from './terminal.ts'

/** One line of the list: what a student needs to use a sandbox, and what a teacher needs to control it. */
export interface SavedSandbox {
  readonly label: string
  /** The base address of the store. */
  readonly address: string
  readonly key: string
  readonly expiresAt: string
  readonly id: string
  /** The link to the console, with the key. */
  readonly console: string
  /** The link to a page with the address and the key, to print and hand out. */
  readonly print: string
}

const columns = ['label', 'address', 'key', 'expiresAt', 'id', 'console', 'print'] as const
/** The columns without which a sandbox cannot be controlled. The others may be missing. */
const requiredColumns = ['address', 'key', 'id'] as const

/** Returns the line of a new sandbox. */
export function savedSandbox({ id, baseUrl, adminKey, label, expiresAt }: CreatedSandbox): SavedSandbox {
  const fragment = `#key=${encodeURIComponent(adminKey)}`
  const host = hostOf({ address: baseUrl, id })
  return {
    ...{ label: label ?? '', address: baseUrl, key: adminKey, expiresAt, id },
    console: `${baseUrl}/console${fragment}`,
    print: `${host}/sandboxes/${id}/print${fragment}`,
  }
}

/** Returns the base address of the host of a sandbox. */
export function hostOf({ address, id }: Pick<SavedSandbox, 'address' | 'id'>): string {
  return address.slice(0, -`/s/${id}`.length)
}

/** Returns sandboxes as CSV, with a header. */
export function sandboxesCsv(sandboxes: readonly SavedSandbox[]): string {
  return csvLine(columns) + sandboxes.map(sandbox => lineOf(sandbox)).join('')
}

/** Returns the line of a sandbox. The cell of a column of `header` that is not in `columns` is empty. */
function lineOf(sandbox: SavedSandbox, header: readonly string[] = columns): string {
  const cells: ReadonlyMap<string, string> = new Map(
    columns.map(name => [name, name === 'label' ? csvLabel(sandbox.label) : sandbox[name]]),
  )
  return csvLine(header.map(name => cells.get(name) ?? ''))
}

/** The first characters of a text that a spreadsheet takes for a formula. */
const FORMULA_START = /^[=+\-@]/

/**
 * Returns a label for a CSV, without control characters, because students can change their labels. A label that a
 * spreadsheet would take for a formula gets an apostrophe, so that a spreadsheet takes it for text.
 */
export function csvLabel(label: string): string {
  const text = escapeControls(label)
  return FORMULA_START.test(text) ? `'${text}` : text
}

/** The file with the list of the created sandboxes. Only its owner can read the file, because it has their keys. */
export class SavedSandboxes {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** Returns the sandboxes in the file. Throws CommandFailed if it cannot be read or is not such a file. */
  read(): SavedSandbox[] {
    let text: string
    try {
      text = readFileSync(this.path, 'utf8')
    } catch (error) {
      const isMissing = hasCode(error, 'ENOENT')
      const reason = isMissing ? 'there is no such file' : reasonOf(error)
      const hint = '"petstore sandbox create" writes it; --save and --saved name another file.'
      throw new CommandFailed(`The list ${escapeControls(this.path)} cannot be read: ${reason}. ${hint}`)
    }
    return this.#parse(text)
  }

  /** Creates the file with its header if it does not exist or is empty. Throws CommandFailed if it is not a list. */
  prepare(): void {
    if (existsSync(this.path) && this.read().length > 0) return
    this.#orFail(() => {
      reserveFile(this.path)
      if (readFileSync(this.path, 'utf8').trim() === '') appendFileSync(this.path, csvLine(columns))
    })
  }

  /** Appends one sandbox, with the columns of the file: a spreadsheet may have moved, removed or added columns. */
  add(sandbox: SavedSandbox): void {
    this.#orFail(() => {
      const text = readFileSync(this.path, 'utf8')
      const [header] = this.#rows(text)
      // A file that already existed may be readable by others, but now it gets a key.
      chmodSync(this.path, 0o600)
      // An editor may have removed the last line end.
      appendFileSync(this.path, (text.endsWith('\n') ? '' : '\n') + lineOf(sandbox, header))
    })
  }

  /** Removes the sandboxes with these ids. The other lines keep all their columns. */
  remove(ids: ReadonlySet<string>): void {
    this.#orFail(() => {
      const [header = [], ...lines] = this.#rows(readFileSync(this.path, 'utf8'))
      const idColumn = header.indexOf('id')
      const left = lines.filter(line => !ids.has(line[idColumn] ?? ''))
      writeWholeFile(this.path, [header, ...left].map(csvLine).join(''), { replace: true })
    })
  }

  #rows(text: string): string[][] {
    try {
      return parse(text, { bom: true, skip_empty_lines: true, relax_column_count: true })
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      throw this.#notAList(reasonOf(error))
    }
  }

  #parse(text: string): SavedSandbox[] {
    const [header, ...lines] = this.#rows(text)
    const missing = header && requiredColumns.find(name => !header.includes(name))
    if (missing !== undefined) throw this.#notAList(`it has no column ${missing}`)
    return lines.map((line, index) => {
      const sandbox = readRow(Object.fromEntries(line.map((value, column) => [header?.[column], value])))
      if (!sandbox) throw this.#notAList(`sandbox ${index + 1} has no valid id, address or key`)
      return sandbox
    })
  }

  #notAList(reason: string): CommandFailed {
    return new CommandFailed(
      `${escapeControls(this.path)} is not a list of sandboxes: ${reason}. --save and --saved name another file.`,
      EXIT_USAGE,
    )
  }

  #orFail(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (error instanceof CommandFailed) throw error
      throw new CommandFailed(
        `The list ${escapeControls(this.path)} cannot be written: ${reasonOf(error)}.`,
        EXIT_USAGE,
      )
    }
  }
}

/** Returns the sandbox of a line; undefined if its key, id or address is not valid. */
function readRow(row: Readonly<Record<string, string>>): SavedSandbox | undefined {
  const { label = '', address = '', key = '', expiresAt = '', id = '', console = '', print = '' } = row
  const isValid = isSandboxId(id) && isKeyText(key) && URL.canParse(address) && address.endsWith(`/s/${id}`)
  return isValid ? { label, address, key, expiresAt, id, console, print } : undefined
}
