import { validationFailed } from '../../contract/error.ts'
import { isPageRequest } from '../../http/pages/page-request.ts'
import { keyHash, newKey } from '../../shop/keys/key-text.ts'
import { formatInstantMs } from '../../values/instant.ts'
import { type JsonValue, parseJson } from '../../values/json.ts'
import type { Log } from '../../values/log.ts'
import { DAY_MS } from '../../values/time-zone.ts'
import {
  CLASS_DAYS_MAX,
  type Class,
  type ClassBoard,
  type ClassPatch,
  type CreatedClass,
  type ExerciseResult,
  type Joining,
  type NewClass,
  type NewStudent,
  type StudentProgress,
} from '../contract/class-schema.ts'
import { classNotFound } from '../contract/refusals.ts'
import type { Registry, SandboxRecord } from '../registry/registry.ts'
import { masked } from '../requests/masked.ts'
import {
  advance,
  carriedOver,
  DELIVERY,
  type ExerciseProgress,
  type Happening,
  hasNewlyMet,
  LessonProblem,
  newProgress,
  type States,
} from './conditions.ts'
import { type Exercise, type Lesson, readLesson } from './lesson.ts'
import { findJoining, identity } from './names.ts'

const MINUTE_MS = 60_000
/** How long the request of somebody who joins can be repeated. */
const TICKET_MS = 10 * MINUTE_MS
/** How long the results of a class are kept after its sandboxes have expired. */
const RESULTS_KEPT_MS = 30 * DAY_MS
/** The time after the first request of an exercise at which its hint opens. */
const HINT_MS = 3_600_000
/** The delay before tries and activity are written, so that one write contains those of many requests. */
const WRITE_DELAY_MS = 1000
const ERROR_CHARS_MAX = 300

interface ClassRecord {
  readonly id: string
  readonly name: string
  readonly lesson: string
  readonly createdAtMs: number
  readonly endsAtMs: number
  readonly places: number
  /** The SHA-256 of the key of the teacher. */
  readonly keyHash: string
  readonly openHints: readonly string[]
  /** The link for students; absent if it is closed. */
  readonly invitation?: { readonly codeHash: string; readonly openedAtMs: number } | undefined
}

interface StudentRecord extends NewStudent {
  /** The id of the sandbox. */
  readonly id: string
  readonly classId: string
  readonly takenAtMs?: number
  /** The SHA-256 of the ticket of whoever joined. */
  readonly ticketHash?: string
  readonly lastActivityMs: number | null
  readonly lastError: string
  /** By the id of the exercise; absent until its first request. */
  readonly exercises: Readonly<Record<string, ExerciseProgress>>
}

interface ClassEntry {
  record: ClassRecord
  lesson: Lesson
  /** The students by the id of their sandbox. */
  readonly students: Map<string, StudentRecord>
}

/** Returns the body of a read of the store; undefined if it fails. */
type ReadState = (path: string) => Promise<JsonValue | undefined>

/** The classes of a host: their lessons, students and progress. Their sandboxes belong to the host. */
export class Classes {
  readonly #registry: Registry
  readonly #clock: () => number
  readonly #log: Log
  readonly #classes = new Map<string, ClassEntry>()
  /** The class of each student, by the id of the sandbox. */
  readonly #classOf = new Map<string, ClassEntry>()
  /** When the last requests of each student arrived. */
  readonly #recent = new Map<string, number[]>()
  /** The students whose record on the disk is older than that in memory. */
  readonly #unwritten = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor({ registry, clock, log }: { registry: Registry; clock: () => number; log: Log }) {
    this.#registry = registry
    this.#clock = clock
    this.#log = log
    // Safe: only this class writes these tables.
    for (const record of registry.records('class') as ClassRecord[]) this.#enter(record)
    for (const student of registry.records('student') as StudentRecord[]) this.#enroll(student)
  }

  /** Creates a class without students. Throws `validation_failed` for a lesson with a mistake, and for its end. */
  create(id: string, { name, lesson, endsAt, places }: NewClass): CreatedClass {
    readLessonOf(lesson)
    const key = newKey()
    const record: ClassRecord = {
      id,
      name,
      lesson,
      places: Number(places),
      createdAtMs: this.#clock(),
      endsAtMs: this.#endOf(endsAt),
      keyHash: keyHash(key),
      openHints: [],
    }
    this.#registry.putRecords('class', [record])
    this.#enter(record)
    return { ...shown(record), teacherKey: key }
  }

  list(): Class[] {
    return [...this.#classes.values()].map(({ record }) => shown(record))
  }

  /** Returns a class, with the hash of the key that controls it. Throws `class_not_found`. */
  find(
    id: string,
  ): Pick<ClassRecord, 'name' | 'keyHash' | 'endsAtMs' | 'places'> & { readonly hasEnded: boolean } {
    const { record } = this.#entry(id)
    return { ...record, hasEnded: record.endsAtMs <= this.#clock() }
  }

  /** Returns the ids of the sandboxes of a class. */
  sandboxesOf(id: string): string[] {
    return [...this.#entry(id).students.keys()]
  }

  hasStudent(sandboxId: string): boolean {
    return this.#classOf.has(sandboxId)
  }

  /** Returns the students without a sandbox that `isThere`: identifiers are compared without case. */
  missing(
    id: string,
    students: readonly NewStudent[],
    isThere: (sandboxId: string) => boolean,
  ): NewStudent[] {
    const known = new Set(
      this.studentsOf(id)
        .filter(student => isThere(student.id))
        .map(identity),
    )
    return students.filter(student => {
      const isNew = !known.has(identity(student))
      known.add(identity(student))
      return isNew
    })
  }

  /**
   * Changes a class and, with another end, the records that `recordsOf` returns for its sandboxes, in one commit.
   * Returns these records. Throws `validation_failed` and `storage_full`, and then changes nothing.
   */
  update(
    id: string,
    { endsAt, openHints, lesson, places }: ClassPatch,
    recordsOf: (endsAtMs: number) => readonly SandboxRecord[],
  ): readonly SandboxRecord[] {
    const entry = this.#entry(id)
    const endsAtMs = endsAt === undefined ? undefined : this.#endOf(endsAt)
    const sandboxes = endsAtMs === undefined ? [] : recordsOf(endsAtMs)
    const record = {
      ...entry.record,
      ...(endsAtMs !== undefined && { endsAtMs }),
      ...(openHints !== undefined && { openHints }),
      ...(lesson !== undefined && { lesson }),
      ...(places !== undefined && { places: Number(places) }),
    }
    const read = lesson === undefined ? entry.lesson : readLessonOf(lesson)
    const students = [...entry.students.values()].map(student => inLesson(student, entry.lesson, read))
    this.#registry.inOneCommit(() => {
      if (lesson !== undefined) this.#registry.putRecords('student', students)
      this.#registry.putRecords('class', [record])
      this.#registry.putRecords('sandbox', sandboxes)
    })
    entry.record = record
    entry.lesson = read
    if (lesson !== undefined) for (const student of students) entry.students.set(student.id, student)
    return sandboxes
  }

  /** Opens the link of a class with another code, and returns when. */
  openInvitation(id: string, codeHash: string): string {
    const openedAtMs = this.#clock()
    this.#save(this.#entry(id), { invitation: { codeHash, openedAtMs } })
    return formatInstantMs(openedAtMs)
  }

  closeInvitation(id: string): void {
    this.#save(this.#entry(id), { invitation: undefined })
  }

  /** Returns the hash of the code that lets students in; undefined if there is none, or no such class any more. */
  codeHashOf(id: string): string | undefined {
    const record = this.#classes.get(id)?.record
    return record && record.endsAtMs > this.#clock() ? record.invitation?.codeHash : undefined
  }

  /** Returns the students of a class, by no order. */
  studentsOf(id: string): readonly StudentRecord[] {
    return [...this.#entry(id).students.values()]
  }

  /**
   * Takes the name of a student for somebody who joins. Returns the student; undefined if none has the name. The name
   * of a student whose sandbox is not there is free, and not taken here. When this returns, it is on the disk. Throws
   * `name_taken`.
   */
  takeName(id: string, joining: Joining, isThere: (sandboxId: string) => boolean): StudentRecord | undefined {
    const ticketHash = ticketHashOf(joining)
    const student = findJoining(
      this.studentsOf(id),
      joining,
      ({ id: sandboxId, takenAtMs, ticketHash: used }) =>
        !isThere(sandboxId) ||
        takenAtMs === undefined ||
        (used !== undefined && used === ticketHash && this.#clock() - takenAtMs < TICKET_MS),
    )
    // The time of a repeated request stays, so that a ticket ends.
    if (student && isThere(student.id))
      this.#put({
        ...student,
        takenAtMs: student.takenAtMs ?? this.#clock(),
        ...(ticketHash && { ticketHash }),
      })
    return student
  }

  /** Gives a name back that was taken in vain. */
  releaseName(sandboxId: string): void {
    const student = this.#classOf.get(sandboxId)?.students.get(sandboxId)
    if (!student) return
    const { takenAtMs: _, ticketHash: __, ...free } = student
    this.#put(free)
  }

  /** Ends the ticket of whoever joined: from now on, only the teacher gives another key. */
  endTicket(sandboxId: string): void {
    const student = this.#classOf.get(sandboxId)?.students.get(sandboxId)
    if (student?.ticketHash === undefined) return
    const { ticketHash: _, ...others } = student
    this.#put(others)
  }

  /** Notes that somebody uses the key of a student: nobody else can join with the name then. */
  noteUse(sandboxId: string): void {
    const student = this.#classOf.get(sandboxId)?.students.get(sandboxId)
    if (!student || student.takenAtMs !== undefined) return
    const taken = { ...student, takenAtMs: this.#clock() }
    try {
      this.#put(taken)
    } catch {
      // On a full disk, the request must succeed all the same.
      this.#writeLater(taken)
    }
  }

  setPlaces(id: string, places: number): void {
    this.#save(this.#entry(id), { places })
  }

  /** Adds a student. `ticketHash` is that of a student who joins without a list; it may be empty. */
  addStudent(classId: string, id: string, { name, identifier }: NewStudent, ticketHash?: string): void {
    const students = this.studentsOf(classId)
    // The sandbox of this student was deleted; what was done in it stays.
    const before = students.find(student => identity(student) === identity({ name, identifier }))
    const { exercises = {} } = before ?? {}
    const student = {
      id,
      classId,
      name,
      identifier,
      lastActivityMs: null,
      lastError: '',
      exercises,
      ...(ticketHash !== undefined && { takenAtMs: this.#clock(), ticketHash }),
    }
    this.#registry.inOneCommit(() => {
      if (before) this.#registry.deleteRecords('student', [before.id])
      this.#registry.putRecords('student', [student])
    })
    if (before) this.#forget(before)
    this.#enroll(student)
  }

  /** Removes a student with all that was done. The sandbox has been deleted. */
  removeStudent(sandboxId: string): void {
    const student = this.#classOf.get(sandboxId)?.students.get(sandboxId)
    if (!student) return
    this.#registry.deleteRecords('student', [sandboxId])
    this.#forget(student)
  }

  /** Deletes a class with all that is known of its students. Their sandboxes have been deleted. */
  delete(id: string): void {
    const { students } = this.#entry(id)
    const ids = [...students.keys()]
    this.#registry.inOneCommit(() => {
      this.#registry.deleteRecords('student', ids)
      this.#registry.deleteRecords('class', [id])
    })
    this.#classes.delete(id)
    for (const student of students.values()) this.#forget(student)
  }

  #forget({ id }: StudentRecord): void {
    this.#classOf.get(id)?.students.delete(id)
    this.#classOf.delete(id)
    this.#unwritten.delete(id)
    this.#recent.delete(id)
  }

  /** Returns the ids of the classes that ended so long ago that they are deleted. */
  outdated(): string[] {
    const endedMs = this.#clock() - RESULTS_KEPT_MS
    return [...this.#classes.values()]
      .filter(({ record }) => record.endsAtMs < endedMs)
      .map(({ record }) => record.id)
  }

  /** The places of classes that have not ended, and the ones among them that have no student yet. */
  get reserved(): { readonly places: number; readonly free: number } {
    const current = [...this.#classes.values()].filter(({ record }) => record.endsAtMs > this.#clock())
    const sum = (of: (entry: ClassEntry) => number): number => current.map(of).reduce((a, b) => a + b, 0)
    return {
      places: sum(({ record }) => record.places),
      free: sum(({ record, students }) => Math.max(0, record.places - students.size)),
    }
  }

  /** Returns what the students of a class see of its lesson. */
  studentLesson(id: string): { readonly title: string; readonly text: string } {
    const { title, studentText } = this.#entry(id).lesson
    return { title, text: studentText }
  }

  board(id: string): ClassBoard {
    const { record, lesson, students } = this.#entry(id)
    return {
      ...shown(record),
      ...(record.invitation && { invitationOpenedAt: formatInstantMs(record.invitation.openedAtMs) }),
      exercises: lesson.exercises.map(({ id, title, hint }) => ({
        id,
        title,
        hasHint: hint !== '',
        isHintOpen: record.openHints.includes(id),
      })),
      students: [...students.values()]
        .toSorted((one, other) => one.name.localeCompare(other.name))
        .map(student => this.#rowOf(student, lesson)),
    }
  }

  #rowOf(student: StudentRecord, lesson: Lesson): ClassBoard['students'][number] {
    const { id, name, identifier, takenAtMs, lastActivityMs, lastError } = student
    return {
      sandboxId: id,
      name,
      identifier,
      ...(takenAtMs !== undefined && { takenAt: formatInstantMs(takenAtMs) }),
      requestsPerMinute: BigInt(this.#recentOf(id).length),
      ...(lastActivityMs !== null && { lastActivityAt: formatInstantMs(lastActivityMs) }),
      ...(lastError !== '' && { lastError }),
      exercises: lesson.exercises.map(exercise => resultOf(exercise, knownProgress(student, exercise))),
    }
  }

  /** Returns what a student may know: hints only once they are open. No exercises if the sandbox has no class. */
  progressOf(sandboxId: string): StudentProgress {
    const entry = this.#classOf.get(sandboxId)
    const student = entry?.students.get(sandboxId)
    if (!entry || !student) return { exercises: [] }
    const nowMs = this.#clock()
    return {
      exercises: entry.lesson.exercises.map(exercise => {
        const progress = knownProgress(student, exercise)
        const { tries: _, ...result } = resultOf(exercise, progress)
        const isDue = typeof progress?.firstMs === 'number' && nowMs - progress.firstMs >= HINT_MS
        const isOpen = exercise.hint !== '' && (isDue || entry.record.openHints.includes(exercise.id))
        return { ...result, title: exercise.title, ...(isOpen && { hint: exercise.hint }) }
      }),
    }
  }

  /** Returns the lines of a check that a student has not met. */
  unmetLines(sandboxId: string, exerciseId: string): string[] {
    const entry = this.#classOf.get(sandboxId)
    const student = entry?.students.get(sandboxId)
    const exercise = entry?.lesson.exercises.find(({ id }) => id === exerciseId)
    if (!student || !exercise) return []
    const { metAt } = progressIn(student, exercise)
    return exercise.conditions.filter((_, index) => metAt[index] === null).map(({ text }) => text)
  }

  /**
   * Evaluates the checks of a student on a response that is not sent yet. When this resolves, whatever the response met
   * for the first time is on the disk. `read` is undefined if the store is closed.
   */
  async observe(sandboxId: string, happening: Happening, read: ReadState | undefined): Promise<void> {
    const entry = this.#classOf.get(sandboxId)
    // What the console or the documentation reads for a student, or for the teacher, is no work on the lesson.
    if (!entry || isPageRequest(happening.target, name => happening.requestHeaders.get(name))) return
    if (happening.operationId !== DELIVERY) this.#recentOf(sandboxId).push(happening.atMs)
    const isRead = ['GET', 'HEAD'].includes(happening.method) || happening.operationId === DELIVERY
    const isChange = !isRead && (happening.status ?? 200) < 300
    let states: States = new Map()
    try {
      if (read && isChange) states = await statesFor(entry, sandboxId, read)
    } catch (error) {
      // A state that cannot be read must not spoil the response.
      this.#log.error({ sandbox: sandboxId, error: String(error) }, 'the state for a check was not read')
    }
    this.#advance(entry, sandboxId, happening, states)
  }

  /** Writes what is not on the disk yet. Call it before the registry is closed. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const students = [...this.#unwritten].flatMap(id => this.#classOf.get(id)?.students.get(id) ?? [])
    try {
      this.#registry.putRecords('student', students)
      this.#unwritten.clear()
    } catch (error) {
      this.#log.error({ error: String(error) }, 'the activity of a class was not written')
    }
  }

  /** Synchronous, so that requests of one student that end at the same time do not undo each other's progress. */
  #advance({ students, lesson }: ClassEntry, id: string, happening: Happening, states: States): void {
    const student = students.get(id)
    if (!student) return
    const exercises: Record<string, ExerciseProgress> = { ...student.exercises }
    let hasAdvanced = false
    let isNew = false
    let isDone = false
    for (const exercise of lesson.exercises) {
      const before = progressIn(student, exercise)
      const after = advance(exercise.conditions, before, happening, states)
      if (after === before) continue
      exercises[exercise.id] = after
      hasAdvanced = true
      isNew ||= hasNewlyMet(before, after)
      isDone ||= after.doneMs !== null
    }
    const isDelivery = happening.operationId === DELIVERY
    if (isDelivery && !hasAdvanced) return
    // A refusal that an exercise asks for is no mistake.
    const error = isNew || isDelivery ? undefined : errorSentence(happening)
    const lastError = error ?? (isDone ? '' : student.lastError)
    const next = {
      ...student,
      exercises,
      lastError,
      lastActivityMs: isDelivery ? student.lastActivityMs : happening.atMs,
    }
    if (isNew) {
      try {
        this.#registry.putRecords('student', [next])
      } catch (error) {
        // The student must not see a check as met that is not on the disk, and has to repeat the request.
        this.#log.error({ sandbox: id, error: String(error) }, 'a met check was not written')
        return
      }
    }
    if (!isNew) {
      this.#writeLater(next)
      return
    }
    students.set(id, next)
    this.#unwritten.delete(id)
  }

  #writeLater(student: StudentRecord): void {
    this.#enroll(student)
    this.#unwritten.add(student.id)
    this.#timer ??= setTimeout(() => this.flush(), WRITE_DELAY_MS)
  }

  /** Changes a student in one durable commit. */
  #put(student: StudentRecord): void {
    this.#registry.putRecords('student', [student])
    this.#enroll(student)
  }

  /** Returns when the requests of the last minute arrived. */
  #recentOf(id: string): number[] {
    const recent = this.#recent.get(id) ?? []
    this.#recent.set(id, recent)
    const fromMs = this.#clock() - MINUTE_MS
    while ((recent[0] ?? fromMs + 1) <= fromMs) recent.shift()
    return recent
  }

  #entry(id: string): ClassEntry {
    const entry = this.#classes.get(id)
    if (!entry) throw classNotFound()
    return entry
  }

  #save(entry: ClassEntry, changes: Partial<ClassRecord>): void {
    const record = { ...entry.record, ...changes }
    this.#registry.putRecords('class', [record])
    entry.record = record
  }

  #enter(record: ClassRecord): void {
    const students = new Map<string, StudentRecord>()
    try {
      this.#classes.set(record.id, { record, lesson: readLesson(record.lesson), students })
    } catch (error) {
      // Only another version of the program can have accepted the lesson. The other classes must still work.
      this.#log.error({ class: record.id, error: String(error) }, 'the lesson of a class cannot be read')
      const lesson = { title: record.name, exercises: [], studentText: '' }
      this.#classes.set(record.id, { record, lesson, students })
    }
  }

  #enroll(student: StudentRecord): void {
    const entry = this.#classes.get(student.classId)
    if (!entry) return
    entry.students.set(student.id, student)
    this.#classOf.set(student.id, entry)
  }

  /** Returns the end of a class in milliseconds. Throws `validation_failed` if it has passed, or is too far away. */
  #endOf(endsAt: string): number {
    const endMs = Date.parse(endsAt)
    const nowMs = this.#clock()
    if (endMs > nowMs && endMs <= nowMs + CLASS_DAYS_MAX * DAY_MS) return endMs
    const message = `endsAt must be in the future, and at most ${CLASS_DAYS_MAX} days from now`
    throw validationFailed([{ in: 'body', pointer: '/endsAt', code: 'out_of_range', message }])
  }
}

/** Returns the hash of the ticket of somebody who joins; undefined without a ticket. */
export function ticketHashOf({ ticket }: Joining): string | undefined {
  return ticket === undefined ? undefined : keyHash(ticket)
}

function readLessonOf(text: string): Lesson {
  try {
    return readLesson(text)
  } catch (error) {
    if (!(error instanceof LessonProblem)) throw error
    const message = `lesson: ${error.message}`
    throw validationFailed([{ in: 'body', pointer: '/lesson', code: 'invalid_format', message }])
  }
}

function shown({ id, name, endsAtMs, createdAtMs, places }: ClassRecord): Class {
  return {
    id,
    name,
    endsAt: formatInstantMs(endsAtMs),
    createdAt: formatInstantMs(createdAtMs),
    places: BigInt(places),
  }
}

/** Returns the progress of a student; undefined if there is none, or if the exercise had other conditions then. */
function knownProgress(
  { exercises }: StudentRecord,
  { id, conditions }: Exercise,
): ExerciseProgress | undefined {
  const known = exercises[id]
  return known?.metAt.length === conditions.length ? known : undefined
}

function progressIn(student: StudentRecord, exercise: Exercise): ExerciseProgress {
  return knownProgress(student, exercise) ?? newProgress(exercise.conditions)
}

/** Returns a student with the progress in another lesson. Exercises that it lacks are kept: they may come back. */
function inLesson(student: StudentRecord, from: Lesson, to: Lesson): StudentRecord {
  const exercises: Record<string, ExerciseProgress> = { ...student.exercises }
  for (const { id, conditions } of to.exercises) {
    const known = from.exercises.find(exercise => exercise.id === id)
    if (known && exercises[id])
      exercises[id] = carriedOver(progressIn(student, known), known.conditions, conditions)
  }
  return { ...student, exercises }
}

function resultOf({ id, conditions }: Exercise, progress: ExerciseProgress | undefined): ExerciseResult {
  const { metAt, tries, doneMs } = progress ?? newProgress(conditions)
  const met = metAt.filter(at => at !== null).length
  return {
    id,
    state: doneMs !== null ? 'done' : progress ? 'tried' : 'open',
    met: BigInt(met),
    of: BigInt(conditions.length),
    tries: BigInt(tries),
    ...(doneMs !== null && { doneAt: formatInstantMs(doneMs) }),
  }
}

/** Reads each state that an unfinished exercise of a student still needs. */
async function statesFor({ lesson, students }: ClassEntry, id: string, read: ReadState): Promise<States> {
  const student = students.get(id)
  const paths = lesson.exercises.flatMap(exercise => {
    const { metAt, doneMs } = student ? progressIn(student, exercise) : newProgress([])
    return exercise.conditions
      .filter(({ kind }, index) => kind === 'state' && doneMs === null && metAt[index] === null)
      .map(({ of }) => of)
  })
  const states = new Map<string, JsonValue | undefined>()
  for (const path of new Set(paths)) states.set(path, await read(path))
  return states
}

/** Returns a sentence about a request that failed, without keys; undefined if it did not fail. */
function errorSentence({ method, target, status, responseBody }: Happening): string | undefined {
  if (status !== undefined && status < 400) return undefined
  const start = `${method} ${target} got`
  if (status === undefined) return masked(`${start} no response`).slice(0, ERROR_CHARS_MAX)
  const { code, message } = refusalIn(responseBody)
  return masked(`${start} ${status} ${code}: ${message}`).slice(0, ERROR_CHARS_MAX)
}

/** Returns the code and the message of an error, or of a problem (RFC 9457). */
function refusalIn(body: string): { readonly code: string; readonly message: string } {
  try {
    // Safe: each member is checked before it is used.
    const { code, message, detail } = Object(parseJson(body)) as Readonly<Record<string, unknown>>
    return { code: String(code ?? ''), message: String(message ?? detail ?? '') }
  } catch {
    return { code: '', message: '' }
  }
}
