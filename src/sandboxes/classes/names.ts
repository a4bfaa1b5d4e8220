import { foldedForm } from '../../values/text.ts'
import type { Joining, NewStudent } from '../contract/class-schema.ts'
import { nameTaken } from '../contract/refusals.ts'

/** A student whose name can be free. */
interface Named extends NewStudent {
  /** When somebody joined with the name, or used its key; absent if the name is free. */
  readonly takenAtMs?: number
}

/** Controls, marks of direction and spaces: they hide in a name, or change how those beside it are drawn. */
const INVISIBLE = /[\p{C}\s]+/gu

/** Returns a name as a student has typed it, without invisible characters. It may be empty. */
export function typedName(name: string): string {
  return name.replaceAll(INVISIBLE, ' ').trim()
}

/** Returns what makes a student unique in a class. */
export function identity({ identifier }: NewStudent): string {
  return identifier.normalize('NFC').trim().toLowerCase()
}

/** Returns the free names, sorted. One that several students have comes with what tells them apart. */
export function freeNames(students: readonly Named[]): Joining[] {
  const counts = Map.groupBy(students, ({ name }) => name)
  return students
    .filter(({ takenAtMs }) => takenAtMs === undefined)
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, identifier }) => ({ name, ...(counts.get(name)?.[1] && { identifier }) }))
}

/** Returns the student with a free name; undefined if no student has the name. Throws `name_taken`. */
export function findFree<Student extends Named>(
  students: readonly Student[],
  { name, identifier }: Joining,
): Student | undefined {
  const named = students.filter(
    student => student.name === name && (identifier === undefined || student.identifier === identifier),
  )
  const free = named.find(({ takenAtMs }) => takenAtMs === undefined)
  if (!free && named.length > 0) throw nameTaken(name)
  return free
}

/** Throws `name_taken` if a student has a name that looks like a new one, or has it as identifier. */
export function refuseSimilar(students: readonly NewStudent[], name: string): void {
  const isSimilar = (student: NewStudent): boolean =>
    foldedForm(typedName(student.name)) === foldedForm(name) ||
    identity(student) === identity({ name, identifier: name })
  if (students.some(isSimilar)) throw nameTaken(name)
}
