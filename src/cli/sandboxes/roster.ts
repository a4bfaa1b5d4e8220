import { basename, resolve } from 'node:path'
import { cellValue } from '../../catalogue/cell.ts'
import { recordsOfText } from '../../catalogue/file-records.ts'
import { textOfFile } from '../../catalogue/file-text.ts'
import { tableBytes } from '../../catalogue/workbook.ts'
import { CommandFailed, EXIT_USAGE, escapeControls, reasonOf } from '../terminal/terminal.ts'
import { labelOfLine } from './create.ts'

const NAME_CHARS_MAX = 100
const IDENTIFIER_CHARS_MAX = 200

// The columns of the lists of schools, in the languages of most users.
const nameColumns =
  'name|label|student|full name|display name|schüler|schülerin|schüler/in|élève|alumno'.split('|')
const firstColumns = 'vorname|first name|firstname|given name|prénom|nombre|nome|voornaam|rufname'.split('|')
const lastColumns =
  'nachname|last name|lastname|surname|family name|familienname|nom|apellidos|cognome|achternaam'.split('|')
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
}

/**
 * Reads the list of a class: one name a line, or a table (CSV with any delimiter, or Excel) whose header names its
 * columns. Throws CommandFailed if the file has no names, or if two students cannot be told apart.
 */
export async function readRoster(file: string): Promise<Roster> {
  let text: string
  try {
    const source = { name: basename(file), chunks: () => Bun.file(file).stream() }
    const chunks = await Array.fromAsync(tableBytes(source, () => {}))
    text = textOfFile(file, Buffer.concat(chunks), 'table')
  } catch (error) {
    throw unusable(file, `cannot be read: ${reasonOf(error)}`)
  }
  const known = [...nameColumns, ...firstColumns, ...lastColumns, ...uniqueColumns]
  const lines = text.split(/\r\n?|\n/).filter(line => cellValue(line) !== '')
  const { records } = recordsOfText(file, text, known)
  const [header = [], ...rows] = records.map(({ cells }) => cells.map(cellValue))
  const column = (names: readonly string[]): number =>
    header.findIndex(cell => names.includes(cell.toLowerCase()))
  const [first, last] = [column(firstColumns), column(lastColumns)]
  const names = [first, last].some(index => index >= 0)
    ? [first, last].filter(index => index >= 0)
    : [column(nameColumns)].filter(index => index >= 0)
  if (names.length === 0)
    return checked(file, {
      students: lines.map(labelOfLine).map(name => ({ name, identifier: name })),
      about: 'Each line is a name; the name makes a student unique.',
    })
  const unique = column(uniqueColumns)
  const quoted = (index: number): string => `"${escapeControls(header[index] ?? '')}"`
  const key = unique < 0 ? 'The name' : quoted(unique)
  return checked(file, {
    students: rows.map(row => {
      const name = names
        .map(index => row[index] ?? '')
        .join(' ')
        .trim()
      return { name, identifier: (unique < 0 ? '' : (row[unique] ?? '')) || name }
    }),
    about: `Names: ${names.map(quoted).join(' and ')}. ${key} makes a student unique.`,
  })
}

function checked(file: string, { students, about }: Roster): Roster {
  const named = students.filter(({ name }) => name !== '')
  if (named.length === 0) throw unusable(file, 'has no names')
  const long = named.find(
    ({ name, identifier }) => name.length > NAME_CHARS_MAX || identifier.length > IDENTIFIER_CHARS_MAX,
  )
  if (long) throw unusable(file, `has a name with more than ${NAME_CHARS_MAX} characters`)
  const seen = new Set<string>()
  for (const { name, identifier } of named) {
    const form = identifier.normalize('NFC').toLowerCase()
    if (seen.has(form))
      throw unusable(
        file,
        `has two students that cannot be told apart: "${escapeControls(name)}" with "${escapeControls(identifier)}". ` +
          'Add a column such as E-Mail that is different for each, or make the names different',
      )
    seen.add(form)
  }
  return { students: named, about }
}

function unusable(file: string, reason: string): CommandFailed {
  return new CommandFailed(`The list ${escapeControls(resolve(file))} of --names ${reason}.`, EXIT_USAGE)
}
