import { sandboxNotFound } from '../../contract/refusals.ts'
import { keyHash, newCode } from '../../shop/keys/key-text.ts'
import { type Classes, ticketHashOf } from '../classes/classes.ts'
import { freeNames, typedName } from '../classes/names.ts'
import type {
  ClassBoard,
  ClassPatch,
  CreatedClass,
  Invitation,
  InvitedClass,
  Joining,
  NewClass,
  NewStudent,
} from '../contract/class-schema.ts'
import { classFull, emptyName, tooFewPlaces } from '../contract/refusals.ts'
import type { CreatedSandbox } from '../contract/schema.ts'
import { qrCode } from '../pages/qr-code.ts'
import type { SandboxRecord } from '../registry/registry.ts'
import type { HostSpace } from './host-space.ts'
import { newId } from './new-id.ts'
import { ignoreDeleted } from './sandbox-entry.ts'

/** The class of a sandbox, and its end. */
export interface OfClass {
  readonly classId: string
  readonly endsAtMs: number
}

/** What classes need of the sandboxes of the host. */
interface Sandboxes {
  has(id: string): boolean
  createInClass(label: string, ofClass: OfClass): Promise<CreatedSandbox>
  renewKey(id: string): Promise<CreatedSandbox>
  recordsExpiringAt(ids: readonly string[], expiresAtMs: number): readonly SandboxRecord[]
  replaceRecords(records: readonly SandboxRecord[]): void
  delete(id: string): Promise<void>
}

interface ClassSandboxesOptions {
  readonly classes: Classes
  readonly sandboxes: Sandboxes
  readonly space: HostSpace
  /** The base address of the host. */
  readonly base: string
}

/** Changes classes together with their sandboxes: each student has one. */
export class ClassSandboxes {
  readonly #classes: Classes
  readonly #sandboxes: Sandboxes
  readonly #space: HostSpace
  readonly #base: string
  /** Settles when all requested additions of students have ended. */
  #lastAddition: Promise<unknown> = Promise.resolve()

  constructor({ classes, sandboxes, space, base }: ClassSandboxesOptions) {
    this.#classes = classes
    this.#sandboxes = sandboxes
    this.#space = space
    this.#base = base
  }

  /** Creates a class, and reserves its places. Throws `overloaded` if the host has too few, and `validation_failed`. */
  createClass(input: NewClass): CreatedClass {
    this.#space.refusePlaces(Number(input.places), 0)
    return this.#classes.create(newId(), input)
  }

  /**
   * Creates a sandbox for each student that a class lacks. Throws `overloaded` if the host has no place for all of
   * them, and the refusals of `create`; none of them has a sandbox then, so the request can be repeated.
   */
  addStudents(classId: string, students: readonly NewStudent[]): Promise<CreatedSandbox[]> {
    // One after the other: two equal requests at once must not add a student twice.
    return this.#afterAdditions(() => this.#addStudents(classId, students))
  }

  #afterAdditions<Result>(add: () => Promise<Result>): Promise<Result> {
    const added = this.#lastAddition.then(add)
    this.#lastAddition = added.catch(() => {})
    return added
  }

  async #addStudents(classId: string, students: readonly NewStudent[]): Promise<CreatedSandbox[]> {
    const missing = this.#classes.missing(classId, students, this.#isThere)
    const { places } = this.#classes.find(classId)
    const needed = this.#classes.sandboxesOf(classId).filter(this.#isThere).length + missing.length
    if (needed > places) {
      this.#space.refusePlaces(needed, places)
      this.#classes.setPlaces(classId, needed)
    }
    const created: CreatedSandbox[] = []
    try {
      for (const student of missing) created.push(await this.#addStudent(classId, student))
    } catch (error) {
      // Their keys would be in no response.
      for (const { id } of created) await this.#sandboxes.delete(id).catch(ignoreDeleted)
      try {
        if (needed > places) this.#classes.setPlaces(classId, places)
      } catch {
        // On a full disk, the class keeps them until the teacher changes them.
      }
      throw error
    }
    return created
  }

  async #addStudent(classId: string, student: NewStudent, ticketHash?: string): Promise<CreatedSandbox> {
    const { endsAtMs } = this.#classes.find(classId)
    const sandbox = await this.#sandboxes.createInClass(student.name, { classId, endsAtMs })
    try {
      this.#classes.addStudent(classId, sandbox.id, student, ticketHash)
    } catch (error) {
      // The class was deleted meanwhile, or the disk is full.
      await this.#sandboxes.delete(sandbox.id)
      throw error
    }
    return { ...sandbox, identifier: student.identifier }
  }

  /** Opens the link of a class for its students. The link before stops working. Throws `class_not_found`. */
  openInvitation(classId: string): Invitation {
    const code = newCode()
    const openedAt = this.#classes.openInvitation(classId, keyHash(code))
    const link = `${this.#base}/join/${classId}#code=${code}`
    return { link, qrCode: `data:image/svg+xml,${encodeURIComponent(qrCode(link, 'link'))}`, openedAt }
  }

  closeInvitation(classId: string): void {
    this.#classes.closeInvitation(classId)
  }

  readInvitation(classId: string): InvitedClass {
    const students = this.#classes.studentsOf(classId)
    const { name, places } = this.#classes.find(classId)
    const isFree = ({ id, takenAtMs }: (typeof students)[number]): boolean =>
      takenAtMs === undefined || !this.#isThere(id)
    return { name, students: freeNames(students, isFree), hasRoom: students.length < places }
  }

  /**
   * Takes a free name of a class, and returns its sandbox with another key. In a class with room, creates a sandbox for
   * another name. Throws `name_taken`, and `sandbox_limit_reached` if the class has no room.
   */
  async joinClass(classId: string, joining: Joining): Promise<CreatedSandbox> {
    const name = typedName(joining.name)
    if (name === '') throw emptyName()
    const taken = await this.#joinAs(classId, joining)
    // Students are added one after the other, so that two equal names at once are not both added.
    return (
      taken ??
      this.#afterAdditions(
        async () => (await this.#joinAs(classId, joining)) ?? this.#addJoining(classId, name, joining),
      )
    )
  }

  /** Joins as a student that the class has; returns undefined if it has none of this name. */
  async #joinAs(classId: string, joining: Joining): Promise<CreatedSandbox | undefined> {
    const student = this.#classes.takeName(classId, joining, this.#isThere)
    if (!student || !this.#isThere(student.id)) return undefined
    try {
      return await this.#sandboxes.renewKey(student.id)
    } catch (error) {
      // A repeated request must not free a name that an earlier one has taken.
      if (student.takenAtMs === undefined) this.#classes.releaseName(student.id)
      throw error
    }
  }

  /** Adds a student of another name, or one of the list whose sandbox the teacher has deleted. */
  #addJoining(classId: string, name: string, joining: Joining): Promise<CreatedSandbox> {
    const { places } = this.#classes.find(classId)
    const students = this.#classes.studentsOf(classId)
    const listed = this.#classes.takeName(classId, joining, this.#isThere)
    const needed = listed ? students.filter(({ id }) => this.#isThere(id)) : students
    if (needed.length >= places) throw classFull(places)
    return this.#addStudent(classId, listed ?? { name, identifier: name }, ticketHashOf(joining) ?? '')
  }

  readonly #isThere = (sandboxId: string): boolean => this.#sandboxes.has(sandboxId)

  /** Removes a student with the sandbox: the name and the place are free. Throws `sandbox_not_found`. */
  async removeStudent(classId: string, sandboxId: string): Promise<void> {
    if (!this.#classes.sandboxesOf(classId).includes(sandboxId)) throw sandboxNotFound()
    if (this.#sandboxes.has(sandboxId)) await this.#sandboxes.delete(sandboxId).catch(ignoreDeleted)
    this.#classes.removeStudent(sandboxId)
  }

  /** Changes a class, and extends its sandboxes together. Throws `class_not_found` and `validation_failed`. */
  updateClass(id: string, patch: ClassPatch): Promise<ClassBoard> {
    const update = async (): Promise<ClassBoard> => this.#updateClass(id, patch)
    // Otherwise, the sandbox of a student who is being added would expire at the old end of the class.
    return patch.endsAt === undefined && patch.places === undefined ? update() : this.#afterAdditions(update)
  }

  #updateClass(id: string, patch: ClassPatch): ClassBoard {
    const { places, hasEnded } = this.#classes.find(id)
    // A class that has ended reserves nothing any more.
    const reserved = hasEnded ? this.#classes.sandboxesOf(id).filter(this.#isThere).length : places
    if (patch.places !== undefined || (hasEnded && patch.endsAt !== undefined))
      this.#refusePlaces(id, Number(patch.places ?? places), reserved)
    const ids = this.#classes.sandboxesOf(id)
    const extended = this.#classes.update(id, patch, endsAtMs =>
      this.#sandboxes.recordsExpiringAt(ids, endsAtMs),
    )
    this.#sandboxes.replaceRecords(extended)
    return this.#classes.board(id)
  }

  #refusePlaces(id: string, places: number, reserved: number): void {
    const students = this.#classes.studentsOf(id).length
    if (places < students) throw tooFewPlaces(students)
    this.#space.refusePlaces(places, reserved)
  }

  /** Deletes a class with its sandboxes and results. Throws `class_not_found`. */
  deleteClass(id: string): Promise<void> {
    // Nobody may join meanwhile: the sandbox would stay without its class.
    return this.#afterAdditions(() => this.#deleteClass(id))
  }

  async #deleteClass(id: string): Promise<void> {
    for (const sandboxId of this.#classes.sandboxesOf(id))
      if (this.#sandboxes.has(sandboxId)) await this.#sandboxes.delete(sandboxId).catch(ignoreDeleted)
    this.#classes.delete(id)
  }
}
