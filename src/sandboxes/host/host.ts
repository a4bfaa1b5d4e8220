import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sandboxNotFound, shuttingDown } from '../../contract/refusals.ts'
import { isDamaged } from '../../database/sqlite/connection.ts'
import { DamagedDatabase } from '../../database/sqlite/light-engine.ts'
import { TimeSlices } from '../../database/time-slices.ts'
import { makeDirectory } from '../../files/private-file.ts'
import { SharedCapacity } from '../../http/limits/admission.ts'
import { loadPages } from '../../http/pages/pages.ts'
import { keyHash, keyHint, newKey } from '../../shop/keys/key-text.ts'
import { formatInstantMs } from '../../values/instant.ts'
import { HostLimit } from '../../webhooks/host-limit.ts'
import { Classes } from '../classes/classes.ts'
import { allOpenAreBusy, sandboxDamaged, snapshotDamaged, tooManySnapshots } from '../contract/refusals.ts'
import {
  type CreatedSandbox,
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
import { refusalOfFullDisk } from '../registry/full-disk.ts'
import { Registry, type SandboxRecord } from '../registry/registry.ts'
import { registryFile } from '../registry/registry-file.ts'
import { readBootId } from './boot-id.ts'
import { ClassSandboxes, type OfClass } from './class-sandboxes.ts'
import { SandboxFiles } from './files.ts'
import { HostSpace } from './host-space.ts'
import { newId } from './new-id.ts'
import { OpenSandbox, type SharedOptions } from './open-sandbox.ts'
import { ignoreDeleted, leastRecentlyUsed, newEntry, type SandboxEntry } from './sandbox-entry.ts'
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

/** All sandboxes of one data directory. The caller holds the lock of the directory. */
export class SandboxHost {
  readonly classes: Classes
  /** Changes classes together with their sandboxes. */
  readonly ofClasses: ClassSandboxes
  readonly #space: HostSpace
  readonly #options: HostOptions
  readonly #shared: SharedOptions
  readonly #files: SandboxFiles
  readonly #registry: Registry
  readonly #templates: Templates
  readonly #sandboxes = new Map<string, SandboxEntry>()
  readonly #bootId = readBootId()
  readonly #sweeping: ReturnType<typeof setInterval>
  #isSweeping = false
  /** Resolves as soon as any request to any sandbox ends. */
  #useEnded = Promise.withResolvers<void>()
  #openCount = 0
  #isClosing = false

  constructor(options: HostOptions) {
    const { directory, loadSeed, clock, log, retryDelaysMs } = options
    this.#options = options
    for (const name of ['', 'templates']) makeDirectory(join(directory, name))
    const slices = new TimeSlices()
    this.#files = new SandboxFiles(join(directory, 'sandboxes'), slices)
    this.#registry = new Registry(registryFile(directory))
    this.classes = new Classes({ registry: this.#registry, clock, log })
    this.#space = new HostSpace({
      limits: options.limits,
      classes: this.classes,
      sandboxCount: () => this.#sandboxes.size,
    })
    this.ofClasses = new ClassSandboxes({
      classes: this.classes,
      sandboxes: this,
      space: this.#space,
      base: options.base,
    })
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
    return { sandboxes: this.#sandboxes.size, open: this.#openCount, bytes: this.#space.bytes }
  }

  /** Deletes files that a killed process left behind, counts the bytes, and builds the template of the demo shop. */
  async prepare(): Promise<void> {
    await this.#files.clean(id => this.#sandboxes.has(id))
    await this.#sweep()
    await this.#templates.file('demo')
  }

  /** Returns whether there is a sandbox, even an expired one. */
  has(id: string): boolean {
    return this.#sandboxes.has(id)
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
    this.#space.refuseSandbox()
    return this.#create(input)
  }

  /** Creates a sandbox in a place that a class has reserved. */
  createInClass(label: string, ofClass: OfClass): Promise<CreatedSandbox> {
    return this.#create({ label }, ofClass)
  }

  async #create(input: NewSandbox, ofClass?: OfClass): Promise<CreatedSandbox> {
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
      this.#space.count(record, await this.#files.bytesOf(id))
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

  /** Returns the records that some sandboxes have if they expire at a time. */
  recordsExpiringAt(ids: readonly string[], expiresAtMs: number): SandboxRecord[] {
    return ids.flatMap(id => {
      const entry = this.#sandboxes.get(id)
      return entry ? { ...entry.record, expiresAtMs } : []
    })
  }

  /** Uses records that are in the registry. */
  replaceRecords(records: readonly SandboxRecord[]): void {
    for (const record of records) {
      const entry = this.#sandboxes.get(record.id)
      if (entry) entry.record = record
    }
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
      this.#space.count(entry.record, -bytes)
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
    return await this.renewKey(id)
  }

  /** Like `replaceKey`, but somebody who joined may repeat the request. */
  renewKey(id: string): Promise<CreatedSandbox> {
    return this.#inTurn(this.#findOrThrow(id), async entry => {
      await this.#close(entry)
      const key = newKey()
      const keysRevokedAtMs = this.#options.clock()
      const { keyHash: oldHash, keyHint: oldHint, keysRevokedAtMs: oldRevokedAtMs } = entry.record
      // Saved first: if the process is killed now, the old key controls nothing, and the teacher repeats the request.
      this.#save(entry, { keyHash: keyHash(key), keyHint: keyHint(key), keysRevokedAtMs })
      try {
        // A damaged store gets the key when it is reset.
        if (!entry.record.isDamaged) await replaceKeys(this.#files.storeOf(id), entry.record)
      } catch (error) {
        // The old keys are still those of the store.
        const old = { keyHash: oldHash, keyHint: oldHint }
        this.#saveIfPossible(entry, { ...old, keysRevokedAtMs: oldRevokedAtMs })
        throw refusalOfFullDisk(error)
      }
      this.classes.noteUse(id)
      return { ...this.show(entry.record), adminKey: key }
    })
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
      this.#space.refuseSnapshot(entry.record)
      const { engine } = entry.opened ?? (await this.#open(entry))
      await this.#files.writeSnapshot(id, name, engine.copyTo)
      const snapshot = await this.#files.showSnapshot(id, name)
      this.#space.count(entry.record, Number(snapshot.bytes - (replaced?.bytes ?? 0n)))
      return snapshot
    })
  }

  deleteSnapshot(id: string, name: string): Promise<void> {
    return this.#inTurn(this.#findOrThrow(id), async ({ record }) => {
      const { bytes } = await this.#files.showSnapshot(id, name)
      await rm(this.#files.findSnapshot(id, name))
      this.#space.count(record, -Number(bytes))
    })
  }

  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#sweeping)
    const closed = await Promise.allSettled(
      [...this.#sandboxes.values()].map(entry =>
        this.#inTurn(entry, () => this.#close(entry)).catch(ignoreDeleted),
      ),
    )
    this.classes.flush()
    this.#registry.close()
    for (const result of closed) if (result.status === 'rejected') throw result.reason
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

  /** Changes the record of a sandbox, on a full disk only until the process ends. */
  #saveIfPossible(entry: SandboxEntry, changes: Partial<SandboxRecord>): void {
    try {
      this.#save(entry, changes)
    } catch (error) {
      entry.record = { ...entry.record, ...changes }
      const { id } = entry.record
      this.#options.log.error({ sandbox: id, error: String(error) }, 'the state of a sandbox was not saved')
    }
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
    await this.#takePlace()
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
      if (checks) this.#saveIfPossible(entry, { bootId: this.#bootId })
      entry.opened = opened
      return opened
    } catch (error) {
      this.#openCount--
      if (!(error instanceof DamagedDatabase)) throw await this.#files.failureOf(error)
      this.#options.log.error({ sandbox: id, error: error.message }, 'the database of a sandbox is damaged')
      this.#saveIfPossible(entry, { isDamaged: true })
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
      this.#saveIfPossible(entry, { bootId: '' })
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
    if (!opened.faults.isEmpty || !opened.planted.isEmpty) this.#saveIfPossible(entry, faultsOf(opened))
    await opened.close()
  }

  async #letSleepUnlessInUse(entry: SandboxEntry): Promise<void> {
    if (entry.opened?.isInUse === false) await this.#letSleep(entry)
  }

  /**
   * Counts a sandbox that will be open. If the maximum number are open, closes the least recently used one before.
   * Throws `overloaded` if all stay in use.
   */
  async #takePlace(): Promise<void> {
    const { open } = this.#options.limits
    const deadlineMs = performance.now() + ROOM_MS_MAX
    while (this.#openCount >= open) {
      const oldest = leastRecentlyUsed(this.#sandboxes.values())
      if (oldest) await this.#inTurn(oldest, () => this.#letSleepUnlessInUse(oldest)).catch(ignoreDeleted)
      else if (performance.now() > deadlineMs) throw allOpenAreBusy(open)
      else await Promise.race([this.#useEnded.promise, Bun.sleep(ROOM_CHECK_MS)])
    }
    // In the same step as the last check: another opening that waits could take the place before the caller goes on.
    this.#openCount++
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

  /** Sweeps, unless the sweep before still does. */
  async #sweep(): Promise<void> {
    if (this.#isSweeping) return
    this.#isSweeping = true
    try {
      const nowMs = this.#options.clock()
      for (const [id, entry] of this.#sandboxes) {
        if (this.#isDueForDeletion(entry, nowMs)) await this.delete(id).catch(ignoreDeleted)
        else if (this.#isIdle(entry))
          await this.#inTurn(entry, () => this.#letSleepUnlessInUse(entry)).catch(ignoreDeleted)
      }
      for (const id of this.classes.outdated()) await this.ofClasses.deleteClass(id).catch(ignoreDeleted)
      const counted: [SandboxRecord, number][] = []
      for (const [id, { record }] of this.#sandboxes) counted.push([record, await this.#files.bytesOf(id)])
      this.#space.recount(counted)
    } catch (error) {
      this.#options.log.error({ error: String(error) }, 'the sweep of the sandboxes failed')
    } finally {
      this.#isSweeping = false
    }
  }
}

function faultsOf({ faults, planted }: OpenSandbox): Pick<SandboxRecord, 'faults' | 'planted'> {
  return { faults: faults.save(), planted: planted.save() }
}
