import { foldedForm } from '../../values/text.ts'
import type { FreeName, Joining, NewStudent } from '../contract/class-schema.ts'
import { nameAmbiguous, nameTaken } from '../contract/refusals.ts'

/** A student whose name can be free. */
interface Named extends NewStudent {
  /** When somebody joined with the name, or used its key; absent if the name is free. */
  readonly takenAtMs?: number
}

/** Controls, marks of direction and spaces: they hide in a name, or change how those beside it are drawn. */
const INVISIBLE = /[[\p{C}\s]--[\u200c\u200d]]+/gv
/** The joiners of emoji and of Persian words, which are a part of a name but no name. */
const JOINERS = /[\u200c\u200d]/gu

/** Returns a name as a student has typed it, without invisible characters. It may be empty. */
export function typedName(name: string): string {
  const visible = name.replaceAll(INVISIBLE, ' ').trim()
  return visible.replaceAll(JOINERS, '') === '' ? '' : visible
}

/** Returns what makes a student unique in a class. */
export function identity({ identifier }: NewStudent): string {
  return identifier.normalize('NFC').trim().toLowerCase()
}

/** Returns the free names, sorted. One that several students have comes with what tells them apart. */
export function freeNames<Student extends Named>(
  students: readonly Student[],
  isFree: (student: Student) => boolean,
): FreeName[] {
  const counts = Map.groupBy(students, ({ name }) => name)
  return students
    .filter(isFree)
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, identifier }) => ({ name, ...(counts.get(name)?.[1] && { identifier }) }))
}

/**
 * Returns the student who joins: with this name, or else with one that differs in case or accents; undefined if the
 * class has none. `mayTake` says whether a name is free for the caller. Throws `name_taken`, also if several have it.
 */
export function findJoining<Student extends Named>(
  students: readonly Student[],
  { name, identifier }: Joining,
  mayTake: (student: Student) => boolean,
): Student | undefined {
  const exact = students.filter(
    student => student.name === name && (identifier === undefined || student.identifier === identifier),
  )
  const folded = foldedForm(typedName(name))
  const named = exact[0]
    ? exact
    : students.filter(
        student =>
          foldedForm(typedName(student.name)) === folded ||
          identity(student) === identity({ name, identifier: name }),
      )
  const [student, another] = named
  if (another) throw nameAmbiguous(name)
  if (student && !mayTake(student)) throw nameTaken(name)
  return student
}
