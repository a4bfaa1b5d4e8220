import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { cellValue, escapedFormula } from '../../catalogue/cell.ts'
import { recordsOfText } from '../../catalogue/file-records.ts'
import { textOfFile, UnreadableFile } from '../../catalogue/file-text.ts'
import type { CreatedSandbox } from '../../client/sandbox-api.ts'
import { makePrivate, reserveFile, writeWholeFile } from '../../files/private-file.ts'
import { hasCode } from '../../files/system-error.ts'
import { isSandboxId } from '../../sandboxes/contract/schema.ts'
import { consoleLink, lessonLink } from '../../sandboxes/pages/qr-code.ts'
import { isKeyText } from '../../shop/keys/key-text.ts'
import { csvLine } from '../../values/csv.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, reasonOf } from '../terminal/terminal.ts'

/** One line of the list: what a student needs to use a sandbox, and what a teacher needs to control it. */
export interface SavedSandbox {
  readonly label: string
  /** What tells students with the same label apart; absent if the label does. */
  readonly identifier?: string
  /** The base address of the store. */
  readonly address: string
  readonly key: string
  readonly expiresAt: string
  readonly id: string
  /** The link to the console, with the key. */
  readonly console: string
  /** The link to a page with the address and the key, to print and hand out. */
  readonly print: string
  /** The link to the lesson, with the key; absent outside a class. */
  readonly lesson?: string
}

/** The columns of every list. */
const columns = ['label', 'address', 'key', 'expiresAt', 'id', 'console', 'print'] as const
/** The columns that a list gets with the first sandbox that has them. */
const optionalColumns = ['identifier', 'lesson'] as const
/** The columns without which a sandbox cannot be controlled. The others may be missing. */
const requiredColumns = ['address', 'key', 'id'] as const

/** The names of the columns: a spreadsheet, or a person, may have written them in another case. */
const columnsByLowerCase: Readonly<Record<string, string>> = Object.fromEntries(
  [...columns, ...optionalColumns].map(name => [name.toLowerCase(), name]),
)

interface SavedTable {
  readonly header: readonly string[]
  readonly lines: readonly (readonly string[])[]
  readonly text: string
  /** Whether the file is in UTF-8 and has commas, so that a line can be appended. */
  readonly isPlain: boolean
}

/** Returns the line of a new sandbox. */
export function savedSandbox(created: CreatedSandbox): SavedSandbox {
  const { id, baseUrl, adminKey, label = '', identifier = label, expiresAt } = created
  const host = hostOf({ address: baseUrl, id })
  return {
    label,
    ...(identifier !== label && { identifier }),
    address: baseUrl,
    key: adminKey,
    expiresAt,
    id,
    console: consoleLink(baseUrl, adminKey),
    print: `${host}/sandboxes/${id}/print#key=${encodeURIComponent(adminKey)}`,
    // Only the sandbox of a class has an identifier.
    ...(created.identifier !== undefined && { lesson: lessonLink(baseUrl, adminKey) }),
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
  const cells = new Map<string, string>(
    columns.map(name => [name, name === 'label' ? csvLabel(sandbox.label) : sandbox[name]]),
  )
    .set('identifier', csvLabel(sandbox.identifier ?? ''))
    .set('lesson', sandbox.lesson ?? '')
  return csvLine(header.map(name => cells.get(name) ?? ''))
}

/**
 * Returns a label for a CSV, without control characters, because students can change their labels. A label that a
 * spreadsheet would take for a formula gets an apostrophe, so that a spreadsheet takes it for text.
 */
export function csvLabel(label: string): string {
  return escapedFormula(escapeControls(label))
}

/** The file with the list of the created sandboxes. Only its owner can read the file, because it has their keys. */
export class SavedSandboxes {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** Returns the sandboxes in the file. Throws CommandFailed if it cannot be read or is not such a file. */
  read(): SavedSandbox[] {
    try {
      return this.#sandboxes(this.#table())
    } catch (error) {
      if (error instanceof CommandFailed) throw error
      const isMissing = hasCode(error, 'ENOENT')
      const reason = isMissing ? 'there is no such file' : reasonOf(error)
      const hint = '"petstore sandbox create" writes it; --save and --saved name another file.'
      throw new CommandFailed(
        `The list ${escapeControls(resolve(this.path))} cannot be read: ${reason}. ${hint}`,
      )
    }
  }

  /**
   * Creates the file with its header if it does not exist or is empty. Returns whether there was no file. Throws
   * CommandFailed if it is not a list.
   */
  prepare(): boolean {
    const isNew = !existsSync(this.path)
    if (!isNew && this.read().length > 0) return false
    this.#orFail(() => {
      reserveFile(this.path)
      if (readFileSync(this.path, 'utf8').trim() === '') appendFileSync(this.path, csvLine(columns))
    })
    return isNew
  }

  /** Appends one sandbox, with the columns of the file: a spreadsheet may have moved, removed or added columns. */
  add(sandbox: SavedSandbox): void {
    this.#orFail(() => {
      const { header, lines, text, isPlain } = this.#table()
      const added = optionalColumns.filter(name => sandbox[name] !== undefined && !header.includes(name))
      const isWider = added.length > 0
      const wide = [...header, ...added]
      const line = lineOf(sandbox, wide)
      // A file that already existed may be readable by others, but now it gets a key.
      makePrivate(this.path)
      // An editor may have removed the last line end. A list that a spreadsheet saved in another form becomes a CSV.
      if (isPlain && !isWider) appendFileSync(this.path, (text.endsWith('\n') ? '' : '\n') + line)
      else {
        const others = lines.map(cells => wide.map((_, column) => cells[column] ?? ''))
        this.#write([wide, ...others].map(cells => csvLine(cells)).join('') + line)
      }
    })
  }

  /** Removes the sandboxes with these ids. The other lines keep all their columns. */
  remove(ids: ReadonlySet<string>): void {
    this.#orFail(() => {
      const { header, lines } = this.#table()
      const idColumn = header.indexOf('id')
      const left = lines.filter(line => !ids.has(cellValue(line[idColumn] ?? '')))
      this.#write([header, ...left].map(line => csvLine(line)).join(''))
    })
  }

  #write(text: string): void {
    writeWholeFile(this.path, text, { replace: true })
  }

  /** Reads the list, which a spreadsheet may have saved with other columns, delimiters or in another encoding. */
  #table(): SavedTable {
    try {
      const bytes = readFileSync(this.path)
      const text = textOfFile(this.path, bytes, 'table')
      const { records, delimiter } = recordsOfText(this.path, text, Object.keys(columnsByLowerCase))
      const problem = records.find(record => record.problem !== undefined)
      if (problem) throw this.#notAList(`line ${problem.line} ${problem.problem}`)
      const [header = [], ...lines] = records.map(({ cells }) => cells)
      const names = header.map(cellValue).map(name => columnsByLowerCase[name.toLowerCase()] ?? name)
      const isPlain = delimiter === ',' && bytes.toString('utf8').replace(/^\ufeff/, '') === text
      return { header: names, lines, text, isPlain }
    } catch (error) {
      if (error instanceof UnreadableFile) throw this.#notAList(reasonOf(error))
      throw error
    }
  }

  #sandboxes({ header, lines, text }: SavedTable): SavedSandbox[] {
    const missing = text.trim() !== '' && requiredColumns.find(name => !header.includes(name))
    if (missing) throw this.#notAList(`it has no column ${missing}`)
    return lines.map((line, index) => {
      const sandbox = readRow(
        Object.fromEntries(header.map((name, column) => [name, cellValue(line[column] ?? '')])),
      )
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
  const { identifier, lesson } = row
  const isValid = isSandboxId(id) && isKeyText(key) && URL.canParse(address) && address.endsWith(`/s/${id}`)
  return isValid
    ? {
        label,
        address,
        key,
        expiresAt,
        id,
        console,
        print,
        ...(identifier && { identifier }),
        ...(lesson && { lesson }),
      }
    : undefined
}
