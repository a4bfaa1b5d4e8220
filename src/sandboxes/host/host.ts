import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { uptime } from 'node:os'
import { join } from 'node:path'
import { StoreError } from '../../contract/error.ts'
import { sandboxNotFound, shuttingDown } from '../../contract/refusals.ts'
import { isDamaged } from '../../database/sqlite/connection.ts'
import { DamagedDatabase } from '../../database/sqlite/light-engine.ts'
import { TimeSlices } from '../../database/time-slices.ts'
import { makeDirectory } from '../../files/private-file.ts'
import { SharedCapacity } from '../../http/limits/admission.ts'
import { loadPages } from '../../http/pages/pages.ts'
import { keyHash, keyHint, newCode, newKey } from '../../shop/keys/key-text.ts'
import { formatInstantMs } from '../../values/instant.ts'
import { HostLimit } from '../../webhooks/host-limit.ts'
import { Classes, ticketHashOf } from '../classes/classes.ts'
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
import {
  allOpenAreBusy,
  classFull,
  emptyName,
  hostFull,
  sandboxDamaged,
  snapshotDamaged,
  tooFewPlaces,
  tooManySnapshots,
} from '../contract/refusals.ts'
import {
  type CreatedSandbox,
  ID_ALPHABET,
  ID_CHARS,
  isSandboxId,
  isSeedName,
  LIFETIME_SECONDS_DEFAULT,
  type NewSandbox,
  type Sandbox,
  type SandboxPatch,
  type Snapshot,
  shownSeed,
  snapshotSeed,
} from '../contract/schema.ts'
import { qrCode } from '../pages/qr-code.ts'
import { refusalOfFullDisk } from '../registry/full-disk.ts'
import { Registry, type SandboxRecord } from '../registry/registry.ts'
import { registryFile } from '../registry/registry-file.ts'
import { SandboxFiles } from './files.ts'
import { OpenSandbox, type SharedOptions } from './open-sandbox.ts'
import { type LoadSeed, replaceKeys, Templates } from './templates.ts'

// Anybody can create a sandbox, so webhooks must not be usable to flood other servers.
/** The maximum number of deliveries to one receiving host in a minute, over all sandboxes. */
const DELIVERIES_PER_MINUTE = 60
/** A delivery is not retried when this time has passed since the first attempt of its retry cycle. */
const GIVE_UP_AFTER_MS = 10 * 60_000

/** A sandbox that nobody has used for this long is closed. Its next request opens it again. */
const IDLE_MS = 10 * 60_000
/**
 * An expired sandbox is deleted this long after a sweep first found it expired. The time is measured by the monotonic
 * clock, so that nothing is deleted if the wall clock jumps forward for a moment.
 */
const GRACE_MS = 5 * 60_000
/** A sandbox that expired longer ago waits longer: the wall clock of the host may be wrong. */
const SOON_MS = 3_600_000
/** By which part of the time since its expiry such a sandbox waits longer. */
const LATE_SHARE = 1 / 24
/** The longest time that a request waits until another sandbox can be closed. */
const ROOM_MS_MAX = 3000
const ROOM_CHECK_MS = 100
/** The interval at which expired sandboxes are deleted, idle ones closed, and the bytes on the disk counted. */
const SWEEP_MS = 30_000

export interface HostOptions
  extends Omit<SharedOptions, 'pages' | 'slices' | 'capacity' | 'secretKey' | 'delivery'> {
  readonly directory: string
  /** The base address of the host, without a trailing slash. */
  readonly base: string
  readonly loadSeed: LoadSeed
  /** The delays between the attempts of a delivery, in milliseconds, in place of the default. */
  readonly retryDelaysMs?: readonly number[] | undefined
  /** Replaces the interval of the sweeps, in milliseconds. */
  readonly sweepMs?: number
  /** Replaces the time after which an unused sandbox is closed, in milliseconds. */
  readonly idleMs?: number
  /** Replaces the time between the expiry of a sandbox and its deletion, in milliseconds. */
  readonly graceMs?: number
}

/** A sandbox of the host: its record, and its store while the store is open. */
interface SandboxEntry {
  record: SandboxRecord
  opened: OpenSandbox | undefined
  /** Set while requests wait until the store is open. */
  opening: Promise<void> | undefined
  /** Settled when the sandbox is opened again after it was closed to make room, or will not be. */
  reopened: PromiseWithResolvers<void>
  /** When a sweep first found the sandbox expired, by `performance.now`; undefined if it has not expired. */
  expiredSinceMs: number | undefined
  /**
   * Settles when all requested turns have ended. Each opening, closing, reset, deletion or change of a snapshot is one
   * turn; a sandbox has one turn at a time.
   */
  lastTurn: Promise<unknown>
}

/** All sandboxes of one data directory. The caller holds the lock of the directory. */
export class SandboxHost {
  readonly classes: Classes
  readonly #options: HostOptions
  readonly #shared: SharedOptions
  readonly #files: SandboxFiles
  readonly #registry: Registry
  readonly #templates: Templates
  readonly #sandboxes = new Map<string, SandboxEntry>()
  readonly #bootId = readBootId()
  readonly #sweeping: ReturnType<typeof setInterval>
  /** Resolves as soon as any request to any sandbox ends. */
  #useEnded = Promise.withResolvers<void>()
  #openCount = 0
  #bytes = 0
  /** Settles when all requested additions of students have ended. */
  #lastAddition: Promise<unknown> = Promise.resolve()
  /** The bytes of the sandboxes of classes. */
  #classBytes = 0
  #isClosing = false

  constructor(options: HostOptions) {
    const { directory, loadSeed, clock, log, retryDelaysMs } = options
    this.#options = options
    for (const name of ['', 'templates']) makeDirectory(join(directory, name))
    const slices = new TimeSlices()
    this.#files = new SandboxFiles(join(directory, 'sandboxes'), slices)
    this.#registry = new Registry(registryFile(directory))
    this.classes = new Classes({ registry: this.#registry, clock, log })
    const secretKey = this.#registry.getOrCreateValue('secret-key', () => randomBytes(32).toString('base64'))
    this.#shared = {
      ...options,
      slices,
      capacity: new SharedCapacity(),
      pages: loadPages(),
      secretKey: Buffer.from(secretKey, 'base64'),
      delivery: {
        hostLimit: new HostLimit({ attemptsMax: DELIVERIES_PER_MINUTE }),
        giveUpAfterMs: GIVE_UP_AFTER_MS,
        ...(retryDelaysMs && { retryDelaysMs }),
      },
    }
    this.#templates = new Templates({
      loadSeed,
      slices,
      clock,
      directory: join(directory, 'templates'),
    })
    for (const record of this.#registry.all()) {
      // The host was killed before the student was in the class.
      const isLeft = record.classId !== undefined && !this.classes.hasStudent(record.id)
      if (this.#files.exists(record.id) && !isLeft) this.#sandboxes.set(record.id, newEntry(record))
      else this.#unregister(record.id)
    }
    this.#sweeping = setInterval(() => this.#sweep(), options.sweepMs ?? SWEEP_MS)
  }

  /** The numbers of sandboxes and of open databases, and the bytes of all sandboxes on the disk. */
  get counts(): { sandboxes: number; open: number; bytes: number } {
    return { sandboxes: this.#sandboxes.size, open: this.#openCount, bytes: this.#bytes }
  }

  /** Deletes files that a killed process left behind, counts the bytes, and builds the template of the demo shop. */
  async prepare(): Promise<void> {
    await this.#files.clean(id => this.#sandboxes.has(id))
    await this.#sweep()
    await this.#templates.file('demo')
  }

  /** Returns the record of a sandbox that has not expired; undefined if there is none. */
  find(id: string): SandboxRecord | undefined {
    const record = isSandboxId(id) ? this.#sandboxes.get(id)?.record : undefined
    return record && record.expiresAtMs > this.#options.clock() ? record : undefined
  }

  show({ id, label, seed, isDamaged, generation, createdAtMs, expiresAtMs }: SandboxRecord): Sandbox {
    return {
      id,
      baseUrl: this.baseOf(id),
      ...(label !== '' && { label }),
      seed: shownSeed(seed),
      state: isDamaged ? 'damaged' : 'ready',
      generation: BigInt(generation),
      createdAt: formatInstantMs(createdAtMs),
      expiresAt: formatInstantMs(expiresAtMs),
    }
  }

  baseOf(id: string): string {
    return `${this.#options.base}/s/${id}`
  }

  /**
   * Opens a sandbox if necessary, and keeps it open while `work` runs. Throws `sandbox_damaged`, `sandbox_not_found`,
   * `storage_full`, `shutting_down`, and `overloaded` if too many sandboxes are in use.
   */
  async use<T>(id: string, work: (sandbox: OpenSandbox) => Promise<T>): Promise<T> {
    const entry = this.#findOrThrow(id)
    while (!entry.opened) await this.#openOnce(entry)
    const sandbox = entry.opened
    sandbox.beginUse()
    try {
      return await work(sandbox)
    } finally {
      sandbox.endUse()
      this.#useEnded.resolve()
      this.#useEnded = Promise.withResolvers()
    }
  }

  /**
   * Creates a sandbox. Throws `snapshot_not_found`, `sandbox_damaged` for a damaged snapshot, `storage_full`,
   * `shutting_down`, and `overloaded` if the host is full.
   */
  async create(input: NewSandbox): Promise<CreatedSandbox> {
    const { limits } = this.#options
    if (this.#sandboxes.size + this.classes.reserved.free >= limits.sandboxes)
      throw hostFull(`${limits.sandboxes} sandboxes`)
    this.#refuseBeyondTotalBytes()
    return this.#create(input)
  }

  async #create(
    input: NewSandbox,
    ofClass?: { readonly classId: string; readonly endsAtMs: number },
  ): Promise<CreatedSandbox> {
    const { clock } = this.#options
    const { seed = 'demo', label = '', lifetimeSeconds = BigInt(LIFETIME_SECONDS_DEFAULT) } = input
    if (this.#isClosing) throw shuttingDown()
    const id = newId()
    const key = newKey()
    const createdAtMs = clock()
    const record: SandboxRecord = {
      id,
      label,
      seed,
      createdAtMs,
      generation: 1,
      clockAheadMs: 0,
      faults: '',
      isDamaged: false,
      expiresAtMs: ofClass?.endsAtMs ?? createdAtMs + Number(lifetimeSeconds) * 1000,
      ...(ofClass && { classId: ofClass.classId }),
      keyHash: keyHash(key),
      keyHint: keyHint(key),
      bootId: this.#bootId,
    }
    const entry = newEntry(record)
    // The sandbox counts while its files are copied, so that concurrent requests stay within the limit.
    this.#sandboxes.set(id, entry)
    try {
      await this.#files.create(id)
      if (!isSeedName(seed)) await this.#copySeedSnapshot(seed, id)
      await this.#fill(record)
      this.#registry.putRecords('sandbox', [record])
      this.#countBytes(record, await this.#files.bytesOf(id))
    } catch (error) {
      this.#sandboxes.delete(id)
      await this.#files.delete(id)
      throw refusalOfFullDisk(error)
    }
    return { ...this.show(record), adminKey: key }
  }

  update(id: string, { label, lifetimeSeconds }: SandboxPatch): Sandbox {
    const entry = this.#findOrThrow(id)
    this.#save(entry, {
      ...(label !== undefined && { label: label ?? '' }),
      ...(lifetimeSeconds !== undefined && {
        expiresAtMs: this.#options.clock() + Number(lifetimeSeconds) * 1000,
      }),
    })
    return this.show(entry.record)
  }

  /** Sets how far the lifecycle clock of a sandbox is ahead of the real time, in milliseconds. */
  setClock(id: string, clockAheadMs: number): void {
    this.#save(this.#findOrThrow(id), { clockAheadMs })
  }

  /** Stores the fault rules and the planted faults of a sandbox, so that they survive the process. */
  saveFaults(id: string): void {
    const entry = this.#findOrThrow(id)
    if (entry.opened) this.#save(entry, faultsOf(entry.opened))
  }

  /**
   * Resets a sandbox to its seed or to a snapshot of its own. Throws `sandbox_not_found`, `snapshot_not_found`,
   * `storage_full`, and `sandbox_damaged` for a damaged snapshot: the content and the generation then stay.
   */
  reset(id: string, snapshot: string | undefined): Promise<Sandbox> {
    return this.#inTurn(this.#findOrThrow(id), async entry => {
      const isSeed = snapshotSeed(entry.record.seed)?.name === snapshot
      const source = snapshot === undefined ? undefined : this.#files.findSnapshot(id, snapshot, isSeed)
      await this.#close(entry)
      const generation = entry.record.generation + 1
      // Saved before the content is replaced: even after a kill, the new content never has the old generation.
      await this.#fill({ ...entry.record, generation }, source, () => this.#save(entry, { generation }))
      this.#save(entry, { isDamaged: false, bootId: this.#bootId })
      return this.show(entry.record)
    })
  }

  delete(id: string): Promise<void> {
    return this.#inTurn(this.#findOrThrow(id), async entry => {
      // From here on, the sandbox is not found.
      this.#sandboxes.delete(id)
      await this.#close(entry)
      const bytes = await this.#files.bytesOf(id)
      await this.#files.delete(id)
      this.#countBytes(entry.record, -bytes)
      // This comes last: on a full disk, the registry has no space for this change until the files are deleted.
      this.#unregister(id)
    })
  }

  /**
   * Gives a sandbox another key, and revokes the key before and all keys of its store, also for later resets to a
   * snapshot that has them.
   */
  async replaceKey(id: string): Promise<CreatedSandbox> {
    this.#findOrThrow(id)
    // Whoever joined by mistake must not take the name back with the ticket.
    this.classes.endTicket(id)
    return await this.#renewKey(id)
  }

  #renewKey(id: string): Promise<CreatedSandbox> {
    return this.#inTurn(this.#findOrThrow(id), async entry => {
      await this.#close(entry)
      const key = newKey()
      const keysRevokedAtMs = this.#options.clock()
      // Saved first: if the process is killed now, the old key controls nothing, and the teacher repeats the request.
      this.#save(entry, { keyHash: keyHash(key), keyHint: keyHint(key), keysRevokedAtMs })
      // A damaged store gets the key when it is reset.
      if (!entry.record.isDamaged) await replaceKeys(this.#files.storeOf(id), entry.record)
      this.classes.noteUse(id)
      return { ...this.show(entry.record), adminKey: key }
    })
  }

  /** Creates a class, and reserves its places. Throws `overloaded` if the host has too few, and `validation_failed`. */
  createClass(input: NewClass): CreatedClass {
    this.#refusePlaces(Number(input.places), 0)
    return this.classes.create(newId(), input)
  }

  /**
   * Creates a sandbox for each student that a class lacks. Throws `overloaded` if the host has no place for all of
   * them, and the refusals of `create`; the students before the failure are then in the class.
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
    const missing = this.classes.missing(classId, students, this.#isThere)
    const { places } = this.classes.find(classId)
    const needed = this.classes.sandboxesOf(classId).filter(this.#isThere).length + missing.length
    if (needed > places) {
      this.#refusePlaces(needed, places)
      this.classes.setPlaces(classId, needed)
    }
    const created: CreatedSandbox[] = []
    for (const student of missing) created.push(await this.#addStudent(classId, student))
    return created
  }

  async #addStudent(classId: string, student: NewStudent, ticketHash?: string): Promise<CreatedSandbox> {
    const { endsAtMs } = this.classes.find(classId)
    const sandbox = await this.#create({ label: student.name }, { classId, endsAtMs })
    try {
      this.classes.addStudent(classId, sandbox.id, student, ticketHash)
    } catch (error) {
      // The class was deleted meanwhile, or the disk is full.
      await this.delete(sandbox.id)
      throw error
    }
    return { ...sandbox, identifier: student.identifier }
  }

  readonly #isThere = (sandboxId: string): boolean => this.#sandboxes.has(sandboxId)

  /** Opens the link of a class for its students. The link before stops working. Throws `class_not_found`. */
  openInvitation(classId: string): Invitation {
    const code = newCode()
    const openedAt = this.classes.openInvitation(classId, keyHash(code))
    const link = `${this.#options.base}/join/${classId}#code=${code}`
    return { link, qrCode: `data:image/svg+xml,${encodeURIComponent(qrCode(link, 'link'))}`, openedAt }
  }

  closeInvitation(classId: string): void {
    this.classes.closeInvitation(classId)
  }

  readInvitation(classId: string): InvitedClass {
    const students = this.classes.studentsOf(classId)
    const { name, places } = this.classes.find(classId)
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
    const student = this.classes.takeName(classId, joining, this.#isThere)
    if (!student || !this.#isThere(student.id)) return undefined
    try {
      return await this.#renewKey(student.id)
    } catch (error) {
      this.classes.releaseName(student.id)
      throw error
    }
  }

  /** Adds a student of another name, or one of the list whose sandbox the teacher has deleted. */
  #addJoining(classId: string, name: string, joining: Joining): Promise<CreatedSandbox> {
    const { places } = this.classes.find(classId)
    const students = this.classes.studentsOf(classId)
    const listed = this.classes.takeName(classId, joining, this.#isThere)
    const needed = listed ? students.filter(({ id }) => this.#isThere(id)) : students
    if (needed.length >= places) throw classFull(places)
    return this.#addStudent(classId, listed ?? { name, identifier: name }, ticketHashOf(joining) ?? '')
  }

  /** Removes a student with the sandbox: the name and the place are free. Throws `sandbox_not_found`. */
  async removeStudent(classId: string, sandboxId: string): Promise<void> {
    if (!this.classes.sandboxesOf(classId).includes(sandboxId)) throw sandboxNotFound()
    if (this.#sandboxes.has(sandboxId)) await this.delete(sandboxId).catch(ignoreDeleted)
    this.classes.removeStudent(sandboxId)
  }

  /** Changes a class, and extends its sandboxes together. Throws `class_not_found` and `validation_failed`. */
  updateClass(id: string, patch: ClassPatch): ClassBoard {
    if (patch.places !== undefined) this.#changePlaces(id, Number(patch.places))
    this.classes.update(id, patch)
    const { endsAtMs } = this.classes.find(id)
    for (const sandboxId of this.classes.sandboxesOf(id)) {
      const entry = this.#sandboxes.get(sandboxId)
      if (entry && entry.record.expiresAtMs !== endsAtMs) this.#save(entry, { expiresAtMs: endsAtMs })
    }
    return this.classes.board(id)
  }

  #changePlaces(id: string, places: number): void {
    const students = this.classes.studentsOf(id).length
    if (places < students) throw tooFewPlaces(students)
    this.#refusePlaces(places, this.classes.find(id).places)
    this.classes.setPlaces(id, places)
  }

  /** Deletes a class with its sandboxes and results. Throws `class_not_found`. */
  async deleteClass(id: string): Promise<void> {
    for (const sandboxId of this.classes.sandboxesOf(id))
      if (this.#sandboxes.has(sandboxId)) await this.delete(sandboxId).catch(ignoreDeleted)
    this.classes.delete(id)
  }

  async listSnapshots(id: string): Promise<Snapshot[]> {
    return this.#files.listSnapshots(id)
  }

  /** Returns a snapshot as the API shows it. Throws `snapshot_not_found`. */
  async showSnapshot(id: string, name: string): Promise<Snapshot> {
    return this.#files.showSnapshot(id, name)
  }

  /**
   * Takes a snapshot, which replaces an earlier one with the same name. Throws the refusals of `use`,
   * `sandbox_limit_reached` if the sandbox has too many snapshots, and `overloaded` if the host is full.
   */
  takeSnapshot(id: string, name: string): Promise<Snapshot> {
    const { limits } = this.#options
    return this.#inTurn(this.#findOrThrow(id), async entry => {
      const existing = await this.#files.listSnapshots(id)
      const replaced = existing.find(snapshot => snapshot.name === name)
      if (!replaced && existing.length >= limits.snapshots) throw tooManySnapshots(limits.snapshots)
      if (entry.record.classId === undefined || this.#classBytes >= this.#reservedBytes)
        this.#refuseBeyondTotalBytes()
      const { engine } = entry.opened ?? (await this.#open(entry))
      await this.#files.writeSnapshot(id, name, engine.copyTo)
      const snapshot = await this.#files.showSnapshot(id, name)
      this.#countBytes(entry.record, Number(snapshot.bytes - (replaced?.bytes ?? 0n)))
      return snapshot
    })
  }

  deleteSnapshot(id: string, name: string): Promise<void> {
    return this.#inTurn(this.#findOrThrow(id), async ({ record }) => {
      const { bytes } = await this.#files.showSnapshot(id, name)
      await rm(this.#files.findSnapshot(id, name))
      this.#countBytes(record, -Number(bytes))
    })
  }

  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#sweeping)
    await Promise.all(
      [...this.#sandboxes.values()].map(entry => this.#inTurn(entry, () => this.#close(entry))),
    )
    this.classes.flush()
    this.#registry.close()
  }

  /** Returns the sandbox with an id. Throws `sandbox_not_found`, also if it was deleted a moment ago. */
  #findOrThrow(id: string): SandboxEntry {
    const entry = this.#sandboxes.get(id)
    if (!entry) throw sandboxNotFound()
    return entry
  }

  /** Runs work on a sandbox after all earlier turns. Throws `sandbox_not_found` if one of them deleted the sandbox. */
  #inTurn<T>(entry: SandboxEntry, work: (entry: SandboxEntry) => Promise<T>): Promise<T> {
    const result = entry.lastTurn.then(() => {
      if (this.#sandboxes.get(entry.record.id) !== entry) throw sandboxNotFound()
      return work(entry)
    })
    entry.lastTurn = result.catch(() => {})
    return result
  }

  /** Opens a sandbox once for all requests that wait for it. */
  #openOnce(entry: SandboxEntry): Promise<void> {
    entry.opening ??= this.#inTurn(entry, async () => {
      const opened = entry.opened ?? (await this.#open(entry))
      // It stays open until the requests that waited have begun to use it.
      opened.beginUse()
      setImmediate(() => opened.endUse())
    }).finally(() => {
      entry.opening = undefined
    })
    return entry.opening
  }

  /** Changes the record of a sandbox. Throws `storage_full` if the disk is full. */
  #save(entry: SandboxEntry, changes: Partial<SandboxRecord>): void {
    const record = { ...entry.record, ...changes }
    // A deleted sandbox must not return.
    if (this.#sandboxes.get(record.id) !== entry) return
    this.#registry.putRecords('sandbox', [record])
    entry.record = record
  }

  /** Deletes the record of a sandbox whose files are deleted. If the disk is full, the next start deletes it. */
  #unregister(id: string): void {
    try {
      this.#registry.deleteRecords('sandbox', [id])
    } catch (error) {
      this.#options.log.error({ sandbox: id, error: String(error) }, 'a deleted sandbox is still registered')
    }
  }

  /** Opens a sandbox. The caller has the turn of the sandbox. */
  async #open(entry: SandboxEntry): Promise<OpenSandbox> {
    const { id, isDamaged, bootId, classId } = entry.record
    if (this.#isClosing) throw shuttingDown()
    if (isDamaged) throw sandboxDamaged()
    await this.#makeRoom()
    this.#openCount++
    const lastReopened = entry.reopened
    entry.reopened = Promise.withResolvers()
    try {
      const checks = bootId !== this.#bootId
      const opened = await OpenSandbox.open({
        ...this.#shared,
        record: entry.record,
        directory: this.#files.directoryOf(id),
        file: this.#files.storeOf(id),
        base: this.baseOf(id),
        hostApi: `${this.#options.base}/sandboxes/${id}`,
        checks,
        clockAheadMs: () => entry.record.clockAheadMs,
        reopened: entry.reopened.promise,
        findLog: () => entry.opened?.requests,
        onFatal: reason => this.#onFatal(entry, reason),
        ...(classId !== undefined && {
          ofClass: {
            observe: (happening, sandbox) => {
              if (happening.requestHeaders.has('authorization') && happening.status !== 401)
                this.classes.noteUse(id)
              return this.classes.observe(id, happening, target => sandbox.readState(target))
            },
            lesson: () => this.classes.studentLesson(classId),
            isTeacher: key => keyHash(key) === this.classes.find(classId).keyHash,
          },
        }),
      })
      if (checks) this.#save(entry, { bootId: this.#bootId })
      entry.opened = opened
      return opened
    } catch (error) {
      this.#openCount--
      if (!(error instanceof DamagedDatabase)) throw await this.#files.failureOf(error)
      this.#options.log.error({ sandbox: id, error: error.message }, 'the database of a sandbox is damaged')
      this.#save(entry, { isDamaged: true })
      throw sandboxDamaged()
    } finally {
      lastReopened.resolve()
    }
  }

  /** Closes a sandbox after an error that its store cannot recover from. The next opening checks the file. */
  #onFatal(entry: SandboxEntry, reason: string): void {
    this.#options.log.error(
      { sandbox: entry.record.id, error: reason },
      'a sandbox was closed after an error',
    )
    const closeUnchecked = (): Promise<void> => {
      this.#save(entry, { bootId: '' })
      return this.#close(entry)
    }
    this.#inTurn(entry, closeUnchecked).catch(() => {})
  }

  /** Closes the store of a sandbox, if it is open. The caller has the turn of the sandbox. */
  async #close(entry: SandboxEntry): Promise<void> {
    entry.reopened.resolve()
    await this.#letSleep(entry)
  }

  /** Like `#close`, but requests that wait for events go on waiting until the sandbox is opened again. */
  async #letSleep(entry: SandboxEntry): Promise<void> {
    const { opened } = entry
    if (!opened) return
    entry.opened = undefined
    this.#openCount--
    if (!opened.faults.isEmpty || !opened.planted.isEmpty) this.#save(entry, faultsOf(opened))
    await opened.close()
  }

  async #letSleepUnlessInUse(entry: SandboxEntry): Promise<void> {
    if (entry.opened?.isInUse === false) await this.#letSleep(entry)
  }

  /** Closes the least recently used sandbox if the maximum number are open. Throws `overloaded` if all stay in use. */
  async #makeRoom(): Promise<void> {
    const { open } = this.#options.limits
    const deadlineMs = performance.now() + ROOM_MS_MAX
    while (this.#openCount >= open) {
      const oldest = leastRecentlyUsed(this.#sandboxes.values())
      if (oldest) await this.#inTurn(oldest, () => this.#letSleepUnlessInUse(oldest)).catch(ignoreDeleted)
      else if (performance.now() > deadlineMs) throw allOpenAreBusy(open)
      else await Promise.race([this.#useEnded.promise, Bun.sleep(ROOM_CHECK_MS)])
    }
  }

  /**
   * Replaces the content of a closed sandbox with its seed, or with a snapshot of its own. Throws `storage_full`, and
   * `sandbox_damaged` for a damaged snapshot.
   */
  async #fill(record: SandboxRecord, snapshot?: string, onCopied?: () => void): Promise<void> {
    const { id, seed } = record
    const isBuiltInSeed = isSeedName(seed)
    const source = snapshot ?? (isBuiltInSeed ? await this.#templates.file(seed) : this.#files.seedOf(id))
    const isForeign = snapshot === undefined && !isBuiltInSeed
    try {
      await this.#files.fill({ ...record, isForeign }, source, onCopied)
    } catch (error) {
      const isSnapshot = snapshot !== undefined || isForeign
      if (!isSnapshot || (existsSync(source) && !isDamaged(error) && !(error instanceof DamagedDatabase)))
        throw error
      this.#options.log.error({ sandbox: id, error: String(error) }, 'a snapshot is damaged')
      throw snapshotDamaged()
    }
  }

  /** Copies the snapshot that a sandbox starts with, because the sandbox of the snapshot may expire first. */
  async #copySeedSnapshot(seed: string, id: string): Promise<void> {
    const source = snapshotSeed(seed)
    if (!source) throw new Error(`${seed} is not the snapshot of a sandbox`)
    await copyFile(this.#files.findSnapshot(source.sandboxId, source.name), this.#files.seedOf(id))
  }

  #countBytes({ classId }: SandboxRecord, bytes: number): void {
    this.#bytes += bytes
    if (classId !== undefined) this.#classBytes += bytes
  }

  get #reservedBytes(): number {
    return this.classes.reserved.places * this.#options.limits.bytes
  }

  /** Throws `overloaded` if the host cannot reserve this many places, in place of those that the class has. */
  #refusePlaces(places: number, before: number): void {
    const { sandboxes, open, bytes, bytesTotal } = this.#options.limits
    const added = places - before
    if (this.#sandboxes.size + this.classes.reserved.free + added > sandboxes)
      throw hostFull(`${sandboxes} sandboxes`)
    if (places > open) throw hostFull(`${open} open sandboxes, and a class of ${places} needs them at once`)
    const others = this.#bytes - this.#classBytes
    if (others + this.#reservedBytes + added * bytes > bytesTotal)
      throw hostFull(
        `${Math.floor(bytesTotal / 1024 ** 2)} MiB on its disk, of which classes have reserved a part`,
      )
  }

  #refuseBeyondTotalBytes(): void {
    const { bytesTotal } = this.#options.limits
    const taken = this.#bytes - this.#classBytes + Math.max(this.#classBytes, this.#reservedBytes)
    if (taken >= bytesTotal) throw hostFull(`${Math.floor(bytesTotal / 1024 ** 2)} MiB on its disk`)
  }

  /** Notes when a sandbox is first found expired, and returns whether the time until its deletion has passed. */
  #isDueForDeletion(entry: SandboxEntry, nowMs: number): boolean {
    const isExpired = entry.record.expiresAtMs <= nowMs
    entry.expiredSinceMs = isExpired ? (entry.expiredSinceMs ?? performance.now()) : undefined
    const { graceMs = GRACE_MS } = this.#options
    const lateMs = Math.max(0, nowMs - entry.record.expiresAtMs - SOON_MS)
    const waitMs = graceMs + lateMs * LATE_SHARE
    return entry.expiredSinceMs !== undefined && performance.now() - entry.expiredSinceMs >= waitMs
  }

  /** Returns whether nobody has used a sandbox for a while, and nobody waits for its events. */
  #isIdle({ opened }: SandboxEntry): boolean {
    const { idleMs = IDLE_MS } = this.#options
    return opened !== undefined && !opened.hasListeners && performance.now() - opened.usedMs > idleMs
  }

  async #sweep(): Promise<void> {
    try {
      const nowMs = this.#options.clock()
      for (const [id, entry] of this.#sandboxes) {
        if (this.#isDueForDeletion(entry, nowMs)) await this.delete(id).catch(ignoreDeleted)
        else if (this.#isIdle(entry))
          await this.#inTurn(entry, () => this.#letSleepUnlessInUse(entry)).catch(ignoreDeleted)
      }
      for (const id of this.classes.outdated()) await this.deleteClass(id)
      let bytes = 0
      let classBytes = 0
      for (const [id, { record }] of this.#sandboxes) {
        const own = await this.#files.bytesOf(id)
        bytes += own
        if (record.classId !== undefined) classBytes += own
      }
      this.#bytes = bytes
      this.#classBytes = classBytes
    } catch (error) {
      this.#options.log.error({ error: String(error) }, 'the sweep of the sandboxes failed')
    }
  }
}

function newEntry(record: SandboxRecord): SandboxEntry {
  return {
    record,
    opened: undefined,
    opening: undefined,
    reopened: Promise.withResolvers(),
    expiredSinceMs: undefined,
    lastTurn: Promise.resolve(),
  }
}

/** Returns the least recently used open sandbox that is not in use. Sandboxes without listeners come first. */
function leastRecentlyUsed(sandboxes: Iterable<SandboxEntry>): SandboxEntry | undefined {
  let found: { entry: SandboxEntry; hasListeners: boolean; usedMs: number } | undefined
  for (const entry of sandboxes) {
    const { opened } = entry
    if (!opened || opened.isInUse) continue
    const { hasListeners, usedMs } = opened
    const isBetter =
      !found || (found.hasListeners === hasListeners ? usedMs < found.usedMs : found.hasListeners)
    if (isBetter) found = { entry, hasListeners, usedMs }
  }
  return found?.entry
}

/** Ignores that a sandbox was deleted while something waited for its turn. */
function ignoreDeleted(error: unknown): void {
  if (!(error instanceof StoreError) || error.code !== 'sandbox_not_found') throw error
}

/** Returns an id that nobody guesses, of a sandbox or a class. */
function newId(): string {
  return Array.from(randomBytes(ID_CHARS), byte => ID_ALPHABET[byte % ID_ALPHABET.length]).join('')
}

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id'
/** Two calculations of when the machine was booted can differ by this much, in seconds. */
const BOOT_PRECISION_SECONDS = 60

/** Returns a text that changes when the machine is booted. A change without a boot only causes a needless check. */
function readBootId(): string {
  if (existsSync(BOOT_ID_FILE)) return readFileSync(BOOT_ID_FILE, 'utf8').trim()
  return String(Math.round((Date.now() / 1000 - uptime()) / BOOT_PRECISION_SECONDS))
}

function faultsOf({ faults, planted }: OpenSandbox): Pick<SandboxRecord, 'faults' | 'planted'> {
  return { faults: faults.save(), planted: planted.save() }
}
