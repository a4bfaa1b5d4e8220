import { basename, resolve } from 'node:path'
import { cellValue, trimmed } from '../../catalogue/cell.ts'
import { recordsOfText } from '../../catalogue/file-records.ts'
import { textOfFile } from '../../catalogue/file-text.ts'
import { tableBytes } from '../../catalogue/workbook.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, reasonOf } from '../terminal/terminal.ts'

const NAME_CHARS_MAX = 100
const IDENTIFIER_CHARS_MAX = 200
/** The number of lines in which the header is looked for, as in an import of a catalogue. */
const HEADER_LINES_MAX = 10

// The columns of the lists of schools, in the languages of most users.
const nameColumns =
  'name|label|student|full name|display name|schüler|schülerin|schüler/in|élève|alumno'.split('|')
const firstColumns = 'vorname|first name|firstname|given name|prénom|nombre|nome|voornaam|rufname'.split('|')
const lastColumns =
  'nachname|last name|lastname|surname|family name|familienname|nom|apellidos|cognome|achternaam'.split('|')
const allNameColumns = [...nameColumns, ...firstColumns, ...lastColumns]
const uniqueColumns = [
  ...'e-mail|email|e-mail-adresse|mail|e-mail address|courriel|correo'.split('|'),
  ...'identifier|id|student id|user|username|login|benutzername|kennung|schüler-id|schülernummer|matrikelnummer'.split(
    '|',
  ),
]

interface RosterStudent {
  readonly name: string
  readonly identifier: string
}

/** The students in a file, and a sentence about the columns that they come from. */
interface Roster {
  readonly students: readonly RosterStudent[]
  readonly about: string
  /** Whether the file is a table whose header names its columns. */
  readonly isTable: boolean
}

/**
 * Reads the list of a class, whose students can be told apart. Throws CommandFailed if it has no names, or if two
 * students have the same name and nothing that makes them unique.
 */
export async function readRoster(file: string): Promise<Roster> {
  const roster = await readNames(file)
  const { students } = roster
  if (students.length === 0) throw unusable(file, 'has no names')
  const seen = new Set<string>()
  for (const { name, identifier } of students) {
    if (name.length > NAME_CHARS_MAX || identifier.length > IDENTIFIER_CHARS_MAX)
      throw unusable(file, `has a name with more than ${NAME_CHARS_MAX} characters`)
    const form = identifier.normalize('NFC').toLowerCase()
    if (seen.has(form))
      throw unusable(
        file,
        `has two students that cannot be told apart: "${escapeControls(name)}" with "${escapeControls(identifier)}". ` +
          'Add a column such as E-Mail that is different for each, or make the names different',
      )
    seen.add(form)
  }
  return roster
}

/**
 * Reads a list of names: one a line, or a table (CSV with any delimiter, or Excel) whose header names its columns.
 * Lines without a name are left out. Throws CommandFailed if the file cannot be read.
 */
export async function readNames(file: string): Promise<Roster> {
  try {
    const source = { name: basename(file), chunks: () => Bun.file(file).stream() }
    const chunks = await Array.fromAsync(tableBytes(source, () => {}))
    const text = textOfFile(file, Buffer.concat(chunks), 'table')
    const lines = text.split(/\r\n?|\n/).filter(line => cellValue(line) !== '')
    const header = headerIn(lines)
    const { students, ...others } =
      header >= 0
        ? studentsInTable(file, lines.slice(header).join('\n'))
        : {
            students: lines.map(labelOfLine).map(name => ({ name, identifier: name })),
            about: 'Each line is a name; the name makes a student unique.',
            isTable: false,
          }
    return { students: students.filter(({ name }) => name !== ''), ...others }
  } catch (error) {
    throw unusable(file, `cannot be read: ${reasonOf(error)}`)
  }
}

/** Returns the index of the line with the most columns, one of them a name; -1 if there is none. Titles have fewer. */
function headerIn(lines: readonly string[]): number {
  const counts = lines.slice(0, HEADER_LINES_MAX).map(line => {
    const cells = line.split(/[,;\t|]/).map(cell => cellValue(cell.replaceAll('"', '')).toLowerCase())
    const hasName = cells.some(cell => allNameColumns.includes(cell))
    return hasName ? cells.filter(cell => [...allNameColumns, ...uniqueColumns].includes(cell)).length : 0
  })
  const most = Math.max(...counts, 0)
  return most === 0 ? -1 : counts.indexOf(most)
}

function studentsInTable(file: string, text: string): Roster {
  const known = [...allNameColumns, ...uniqueColumns]
  const [header = [], ...rows] = recordsOfText(file, text, known).records.map(({ cells }) =>
    cells.map(cellValue),
  )
  const column = (names: readonly string[]): number =>
    header.findIndex(cell => names.includes(cell.toLowerCase()))
  const first = column(firstColumns)
  const last = column(lastColumns)
  // With a column of first names, "Name" is the surname.
  const surname = last < 0 && first >= 0 ? column(['name']) : last
  const parts = [first, surname].filter(index => index >= 0)
  const names = parts.length > 0 ? parts : [column(nameColumns)]
  const unique = column(uniqueColumns)
  const quoted = (index: number): string => `"${escapeControls(header[index] ?? '')}"`
  const key = unique < 0 ? 'The name' : quoted(unique)
  return {
    students: rows.map(row => {
      const name = cellValue(names.map(index => row[index] ?? '').join(' '))
      return { name, identifier: row[unique] || name }
    }),
    about: `Names: ${names.map(quoted).join(' and ')}. ${key} makes a student unique.`,
    isTable: true,
  }
}

/** Returns a line without the delimiters of empty cells around it, and without quotes around it. */
function labelOfLine(line: string): string {
  const value = cellValue(trimmed(line, /[\s,;|]/))
  const [, quoted] = /^"((?:[^"]|"")*)"$/.exec(value) ?? []
  return quoted === undefined ? value : cellValue(quoted.replaceAll('""', '"'))
}

function unusable(file: string, reason: string): CommandFailed {
  return new CommandFailed(`The list ${escapeControls(resolve(file))} of --names ${reason}.`, EXIT_USAGE)
}
