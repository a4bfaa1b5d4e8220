import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { uptime } from 'node:os'
import { join } from 'node:path'
import type { Server } from 'bun'
import { loadPages } from '../api/pages.ts'
import { makeDirectory } from '../engine/private-file.ts'
import { DamagedDatabase } from '../engine/sqlite-light.ts'
import { TimeSlices } from '../engine/time-slices.ts'
import { StoreError } from '../model/error.ts'
import { formatInstantMs } from '../model/instant.ts'
import { KEY_RANDOM_BYTES, keyHash, keyHint, keyText } from '../model/key.ts'
import { shuttingDown } from '../model/refusals.ts'
import { HostLimit } from '../webhooks/host-limit.ts'
import { OpenSandbox, type SharedOptions } from './open-sandbox.ts'
import { allOpenAreBusy, hostFull, sandboxDamaged, sandboxNotFound, tooManySnapshots } from './refusals.ts'
import { Registry, type SandboxRecord } from './registry.ts'
import { registryFile } from './registry-file.ts'
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
  snapshotSeed,
} from './sandbox.ts'
import { refusalOfFullDisk, SandboxFiles } from './sandbox-files.ts'
import { type LoadSeed, Templates } from './templates.ts'

// Anybody can create a sandbox, so the host must not be useful for sending requests to others.
/** The maximum number of deliveries to one host in a minute, over all sandboxes. */
const DELIVERIES_PER_MINUTE = 60
/** No delivery is retried later than this after its first attempt. */
const GIVE_UP_AFTER_MS = 10 * 60_000

/** A sandbox that nobody has used for this long is closed. Its next request opens it again. */
const IDLE_MS = 10 * 60_000
/**
 * The files of an expired sandbox are deleted after this time, by the monotonic clock, so that a wall clock that jumps
 * forward for a moment deletes nothing.
 */
const GRACE_MS = 5 * 60_000
/** The longest time that a request waits until another sandbox can be closed. */
const ROOM_MS_MAX = 3000
const ROOM_CHECK_MS = 100
/** The interval at which expired sandboxes are deleted, idle ones closed, and the bytes on the disk counted. */
const SWEEP_MS = 30_000

export interface HostOptions extends Omit<SharedOptions, 'pages' | 'slices' | 'secretKey' | 'delivery'> {
  readonly directory: string
  /** The base address of the host, without a trailing slash. */
  readonly base: string
  readonly loadSeed: LoadSeed
  /** The delays between the attempts of a delivery, in milliseconds, in place of the default. */
  readonly retryDelaysMs?: readonly number[] | undefined
  /** Replaces the interval of the sweeps, in milliseconds. */
  readonly sweepMs?: number
  /** Replaces the time between the expiry of a sandbox and its deletion, in milliseconds. */
  readonly graceMs?: number
  /** Replaces the random keys, for a control. */
  readonly newKey?: () => string
}

/** A sandbox of the host: what is stored about it, and its store while that is open. */
interface Slot {
  record: SandboxRecord
  opened: OpenSandbox | undefined
  /** Set while requests wait until the store is open. */
  opening: Promise<void> | undefined
  /** When a sweep first found that it has expired, by `performance.now`. */
  expiredSinceMs: number | undefined
  /** Opening, closing, resetting and deleting run one after the other. */
  turn: Promise<unknown>
}

/** All sandboxes of one data directory. The caller holds the lock of the directory. */
export class SandboxHost {
  readonly #options: HostOptions
  readonly #shared: SharedOptions
  readonly #files: SandboxFiles
  readonly #registry: Registry
  readonly #templates: Templates
  readonly #slots = new Map<string, Slot>()
  readonly #bootId = readBootId()
  readonly #sweeping: ReturnType<typeof setInterval>
  /** Resolves when the next request to any sandbox ends. */
  #useEnded = Promise.withResolvers<void>()
  #openCount = 0
  #bytes = 0
  #isClosing = false

  constructor(options: HostOptions) {
    const { directory, loadSeed, clock, retryDelaysMs } = options
    this.#options = options
    for (const name of ['', 'templates']) makeDirectory(join(directory, name))
    this.#files = new SandboxFiles(join(directory, 'sandboxes'))
    this.#registry = new Registry(registryFile(directory))
    const secretKey = this.#registry.value('secret-key', () => randomBytes(32).toString('base64'))
    const slices = new TimeSlices()
    this.#shared = {
      ...options,
      slices,
      pages: loadPages(),
      secretKey: Buffer.from(secretKey, 'base64'),
      delivery: {
        hostLimit: new HostLimit({ attemptsMax: DELIVERIES_PER_MINUTE }),
        giveUpAfterMs: GIVE_UP_AFTER_MS,
        ...(retryDelaysMs && { retryDelaysMs }),
      },
    }
    this.#templates = new Templates({
      ...{ loadSeed, slices, clock, newKey },
      directory: join(directory, 'templates'),
    })
    for (const record of [...this.#registry.all()]) {
      if (this.#files.exists(record.id)) this.#slots.set(record.id, newSlot(record))
      else this.#unregister(record.id)
    }
    this.#sweeping = setInterval(() => this.#sweep(), options.sweepMs ?? SWEEP_MS)
  }

  /** The number of sandboxes, and of those whose database is open. */
  get counts(): { sandboxes: number; open: number; bytes: number } {
    return { sandboxes: this.#slots.size, open: this.#openCount, bytes: this.#bytes }
  }

  /** Deletes what a killed process left behind, and builds the template of the demo shop. */
  async prepare(): Promise<void> {
    await this.#files.clean(id => this.#slots.has(id))
    await this.#sweep()
    await this.#templates.file('demo')
  }

  /** Returns the record of a sandbox that has not expired; undefined if there is none. */
  find(id: string): SandboxRecord | undefined {
    const record = isSandboxId(id) ? this.#slots.get(id)?.record : undefined
    return record && record.expiresAtMs > this.#options.clock() ? record : undefined
  }

  /** Returns a sandbox as the API shows it. */
  show({ id, label, seed, isDamaged, generation, createdAtMs, expiresAtMs }: SandboxRecord): Sandbox {
    return {
      id,
      baseUrl: this.baseOf(id),
      ...(label !== '' && { label }),
      seed,
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
   * Responds to a request to the store of a sandbox. `path` is the path below its base address. Throws the refusal
   * `overloaded` if too many sandboxes are in use, and `sandbox_damaged`.
   */
  async respond(
    record: SandboxRecord,
    request: Request,
    server: Server<undefined>,
    path: string,
  ): Promise<Response> {
    return this.use(record.id, sandbox => sandbox.respond(request, server, path))
  }

  /**
   * Runs work with an open sandbox, which stays open meanwhile. Throws `overloaded` if too many sandboxes are in use,
   * and `sandbox_damaged`.
   */
  async use<T>(id: string, work: (sandbox: OpenSandbox) => Promise<T>): Promise<T> {
    const slot = this.#slotOf(id)
    while (!slot.opened) await this.#openOnce(slot)
    const sandbox = slot.opened
    sandbox.beginUse()
    try {
      return await work(sandbox)
    } finally {
      sandbox.endUse()
      this.#useEnded.resolve()
      this.#useEnded = Promise.withResolvers()
    }
  }

  /** Creates a sandbox. Throws `overloaded` if the host is full, and `snapshot_not_found`. */
  async create(input: NewSandbox): Promise<CreatedSandbox> {
    const { limits, clock } = this.#options
    const { seed = 'demo', label = '', lifetimeSeconds = BigInt(LIFETIME_SECONDS_DEFAULT) } = input
    if (this.#isClosing) throw shuttingDown()
    if (this.#slots.size >= limits.sandboxes) throw hostFull(`${limits.sandboxes} sandboxes`)
    this.#refuseIfDiskIsFull()
    const id = newSandboxId()
    const key = (this.#options.newKey ?? newKey)()
    const createdAtMs = clock()
    const record: SandboxRecord = {
      ...{ id, label, seed, createdAtMs, generation: 1, clockAheadMs: 0, faults: '', isDamaged: false },
      expiresAtMs: createdAtMs + Number(lifetimeSeconds) * 1000,
      keyHash: keyHash(key),
      keyHint: keyHint(key),
      bootId: this.#bootId,
    }
    const slot = newSlot(record)
    // The slot counts as a sandbox while its files are copied, so that concurrent requests stay within the limit.
    this.#slots.set(id, slot)
    try {
      await this.#files.create(id)
      if (!isSeedName(seed)) await this.#copySeedSnapshot(seed, id)
      await this.#fill(record)
      this.#registry.put(record)
      this.#bytes += await this.#files.bytesOf(id)
    } catch (error) {
      this.#slots.delete(id)
      await this.#files.delete(id)
      throw refusalOfFullDisk(error)
    }
    return { ...this.show(record), adminKey: key }
  }

  /** Changes the label or the lifetime of a sandbox. */
  update(id: string, { label, lifetimeSeconds }: SandboxPatch): Sandbox {
    const slot = this.#slotOf(id)
    this.#save(slot, {
      ...(label !== undefined && { label }),
      ...(lifetimeSeconds !== undefined && {
        expiresAtMs: this.#options.clock() + Number(lifetimeSeconds) * 1000,
      }),
    })
    return this.show(slot.record)
  }

  /** Sets how far the lifecycle clock of a sandbox is ahead of the real time, in milliseconds. */
  setClock(id: string, clockAheadMs: number): void {
    this.#save(this.#slotOf(id), { clockAheadMs })
  }

  /** Stores the fault rules of a sandbox, so that they survive the process. */
  saveFaults(id: string): void {
    const slot = this.#slotOf(id)
    if (slot.opened) this.#save(slot, { faults: slot.opened.faults.save() })
  }

  /** Resets a sandbox to its seed or to a snapshot of its own. Throws `snapshot_not_found`. */
  reset(id: string, snapshot: string | undefined): Promise<Sandbox> {
    return this.#inTurn(this.#slotOf(id), async slot => {
      const isSeed = snapshotSeed(slot.record.seed)?.name === snapshot
      const source = snapshot === undefined ? undefined : this.#files.findSnapshot(id, snapshot, isSeed)
      await this.#close(slot)
      // Before the content is replaced: after a kill, cursors into the new content never belong to the old generation.
      this.#save(slot, { generation: slot.record.generation + 1 })
      await this.#fill(slot.record, source)
      this.#save(slot, { isDamaged: false, bootId: this.#bootId })
      return this.show(slot.record)
    })
  }

  delete(id: string): Promise<void> {
    return this.#inTurn(this.#slotOf(id), async slot => {
      // From here on, the sandbox is not found.
      this.#slots.delete(id)
      await this.#close(slot)
      const bytes = await this.#files.bytesOf(id)
      await this.#files.delete(id)
      this.#bytes -= bytes
      // Last, because on a full disk there is only space for this change after the files have been deleted.
      this.#unregister(id)
    })
  }

  async listSnapshots(id: string): Promise<Snapshot[]> {
    return this.#files.listSnapshots(id)
  }

  /** Returns a snapshot as the API shows it. Throws `snapshot_not_found`. */
  async showSnapshot(id: string, name: string): Promise<Snapshot> {
    return this.#files.showSnapshot(id, name)
  }

  /** Takes a snapshot, which replaces an earlier one with the same name. */
  takeSnapshot(id: string, name: string): Promise<Snapshot> {
    const { limits } = this.#options
    return this.#inTurn(this.#slotOf(id), async slot => {
      const before = await this.#files.listSnapshots(id)
      const replaced = before.find(snapshot => snapshot.name === name)
      if (!replaced && before.length >= limits.snapshots) throw tooManySnapshots(limits.snapshots)
      this.#refuseIfDiskIsFull()
      const { engine } = slot.opened ?? (await this.#open(slot))
      try {
        await this.#files.writeSnapshot(id, name, engine.copyTo)
      } catch (error) {
        throw refusalOfFullDisk(error)
      }
      const snapshot = await this.#files.showSnapshot(id, name)
      this.#bytes += Number(snapshot.bytes - (replaced?.bytes ?? 0n))
      return snapshot
    })
  }

  deleteSnapshot(id: string, name: string): Promise<void> {
    return this.#inTurn(this.#slotOf(id), async () => {
      const { bytes } = await this.#files.showSnapshot(id, name)
      await rm(this.#files.findSnapshot(id, name))
      this.#bytes -= Number(bytes)
    })
  }

  /** Closes all sandboxes. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#sweeping)
    await Promise.all([...this.#slots.values()].map(slot => this.#inTurn(slot, () => this.#close(slot))))
    this.#registry.close()
  }

  /** Returns the slot of a sandbox. Throws `sandbox_not_found`, also if it was deleted a moment ago. */
  #slotOf(id: string): Slot {
    const slot = this.#slots.get(id)
    if (!slot) throw sandboxNotFound()
    return slot
  }

  /** Runs work on a sandbox after all earlier works on it. Throws `sandbox_not_found` if one of them deleted it. */
  #inTurn<T>(slot: Slot, work: (slot: Slot) => Promise<T>): Promise<T> {
    const result = slot.turn.then(() => {
      if (this.#slots.get(slot.record.id) !== slot) throw sandboxNotFound()
      return work(slot)
    })
    slot.turn = result.catch(() => {})
    return result
  }

  /** Opens a sandbox, once for all requests that wait for it. */
  #openOnce(slot: Slot): Promise<void> {
    slot.opening ??= this.#inTurn(slot, async () => {
      const opened = slot.opened ?? (await this.#open(slot))
      // It stays open until the requests that waited have begun to use it.
      opened.beginUse()
      setImmediate(() => opened.endUse())
    }).finally(() => {
      slot.opening = undefined
    })
    return slot.opening
  }

  /** Changes the record of a sandbox. Throws `storage_full`. */
  #save(slot: Slot, changes: Partial<SandboxRecord>): void {
    const record = { ...slot.record, ...changes }
    // A deleted sandbox must not return.
    if (this.#slots.get(record.id) !== slot) return
    try {
      this.#registry.put(record)
    } catch (error) {
      throw refusalOfFullDisk(error)
    }
    slot.record = record
  }

  /** Deletes the record of a sandbox whose files are deleted. If the disk is full, the next start does it. */
  #unregister(id: string): void {
    try {
      this.#registry.delete(id)
    } catch (error) {
      this.#options.log.error({ sandbox: id, fault: String(error) }, 'a deleted sandbox is still registered')
    }
  }

  /** Opens a sandbox. The caller has the turn of the slot. */
  async #open(slot: Slot): Promise<OpenSandbox> {
    const { id, isDamaged, bootId } = slot.record
    if (this.#isClosing) throw shuttingDown()
    if (isDamaged) throw sandboxDamaged()
    await this.#makeRoom()
    this.#openCount++
    try {
      const checks = bootId !== this.#bootId
      const opened = await OpenSandbox.open({
        ...this.#shared,
        record: slot.record,
        directory: this.#files.directoryOf(id),
        file: this.#files.storeOf(id),
        base: this.baseOf(id),
        control: `${this.#options.base}/sandboxes/${id}`,
        checks,
        clockAheadMs: () => slot.record.clockAheadMs,
        onFatal: reason => this.#onFatal(slot, reason),
      })
      if (checks) this.#save(slot, { bootId: this.#bootId })
      slot.opened = opened
      return opened
    } catch (error) {
      this.#openCount--
      if (!(error instanceof DamagedDatabase)) throw await this.#files.failureOf(error)
      this.#options.log.error({ sandbox: id, fault: error.message }, 'the database of a sandbox is damaged')
      this.#save(slot, { isDamaged: true })
      throw sandboxDamaged()
    }
  }

  /** Closes a sandbox after an error with which its store cannot continue. The next opening checks its file. */
  #onFatal(slot: Slot, reason: string): void {
    this.#options.log.error({ sandbox: slot.record.id, fault: reason }, 'a sandbox was closed after an error')
    slot.record = { ...slot.record, bootId: '' }
    this.#inTurn(slot, () => this.#close(slot)).catch(() => {})
  }

  /** Closes the store of a sandbox, if it is open. The caller has the turn of the slot. */
  async #close(slot: Slot): Promise<void> {
    const { opened } = slot
    if (!opened) return
    slot.opened = undefined
    this.#openCount--
    if (!opened.faults.isEmpty) this.#save(slot, { faults: opened.faults.save() })
    await opened.close()
  }

  async #closeUnlessInUse(slot: Slot): Promise<void> {
    if (slot.opened?.isInUse === false) await this.#close(slot)
  }

  /** Closes the sandbox that was not used for the longest time, if as many are open as may be. */
  async #makeRoom(): Promise<void> {
    const { open } = this.#options.limits
    const deadlineMs = performance.now() + ROOM_MS_MAX
    while (this.#openCount >= open) {
      const oldest = leastRecentlyUsed(this.#slots.values())
      if (oldest) await this.#inTurn(oldest, () => this.#closeUnlessInUse(oldest)).catch(ignoreDeleted)
      else if (performance.now() > deadlineMs) throw allOpenAreBusy(open)
      else await Promise.race([this.#useEnded.promise, Bun.sleep(ROOM_CHECK_MS)])
    }
  }

  /** Replaces the content of a closed sandbox with its seed, or with a snapshot of its own. Throws `storage_full`. */
  async #fill(
    { id, seed, keyHash: hash, keyHint: hint, generation }: SandboxRecord,
    snapshot?: string,
  ): Promise<void> {
    const isOfTemplate = isSeedName(seed)
    const source = snapshot ?? (isOfTemplate ? await this.#templates.file(seed) : this.#files.seedOf(id))
    const isForeign = snapshot === undefined && !isOfTemplate
    try {
      await this.#files.fill({ id }, source, { hash, hint, generation, isForeign })
    } catch (error) {
      throw refusalOfFullDisk(error)
    }
  }

  /** Copies the snapshot of another sandbox, which may expire first. */
  async #copySeedSnapshot(seed: string, id: string): Promise<void> {
    const source = snapshotSeed(seed)
    if (!source) throw new Error(`${seed} is no seed`)
    await copyFile(this.#files.findSnapshot(source.sandboxId, source.name), this.#files.seedOf(id))
  }

  #refuseIfDiskIsFull(): void {
    const { bytesTotal } = this.#options.limits
    if (this.#bytes >= bytesTotal) throw hostFull(`${Math.floor(bytesTotal / 1024 ** 2)} MiB on its disk`)
  }

  /** Returns whether a sandbox has been expired for long enough. */
  #isToDelete(slot: Slot, nowMs: number): boolean {
    const isExpired = slot.record.expiresAtMs <= nowMs
    slot.expiredSinceMs = isExpired ? (slot.expiredSinceMs ?? performance.now()) : undefined
    const { graceMs = GRACE_MS } = this.#options
    return slot.expiredSinceMs !== undefined && performance.now() - slot.expiredSinceMs >= graceMs
  }

  async #sweep(): Promise<void> {
    try {
      const nowMs = this.#options.clock()
      for (const [id, slot] of this.#slots) {
        if (this.#isToDelete(slot, nowMs)) await this.delete(id)
        else if (isIdle(slot))
          await this.#inTurn(slot, () => this.#closeUnlessInUse(slot)).catch(ignoreDeleted)
      }
      let bytes = 0
      for (const id of this.#slots.keys()) bytes += await this.#files.bytesOf(id)
      this.#bytes = bytes
    } catch (error) {
      this.#options.log.error({ fault: String(error) }, 'the sweep of the sandboxes failed')
    }
  }
}

function newSlot(record: SandboxRecord): Slot {
  return { record, opened: undefined, opening: undefined, expiredSinceMs: undefined, turn: Promise.resolve() }
}

/** Returns whether nobody has used a sandbox for a while, and no stream is open. */
function isIdle({ opened }: Slot): boolean {
  return opened !== undefined && !opened.hasStreams && performance.now() - opened.usedMs > IDLE_MS
}

/** Returns the open sandbox that was not used for the longest time; one without streams, if there is one. */
function leastRecentlyUsed(slots: Iterable<Slot>): Slot | undefined {
  let found: { slot: Slot; hasStreams: boolean; usedMs: number } | undefined
  for (const slot of slots) {
    const { opened } = slot
    if (!opened || opened.isInUse) continue
    const { hasStreams, usedMs } = opened
    const isBetter = !found || (found.hasStreams === hasStreams ? usedMs < found.usedMs : found.hasStreams)
    if (isBetter) found = { slot, hasStreams, usedMs }
  }
  return found?.slot
}

/** Ignores that a sandbox was deleted while something waited for its turn. */
function ignoreDeleted(error: unknown): void {
  if (!(error instanceof StoreError) || error.code !== 'sandbox_not_found') throw error
}

function newSandboxId(): string {
  return Array.from(randomBytes(ID_CHARS), byte => ID_ALPHABET[byte % ID_ALPHABET.length]).join('')
}

function newKey(): string {
  return keyText(randomBytes(KEY_RANDOM_BYTES))
}

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id'
/** Two readings of the start of the machine can differ by this much, in seconds. */
const BOOT_PRECISION_SECONDS = 60

/** Returns a text that is the same until the machine is booted again. */
function readBootId(): string {
  if (existsSync(BOOT_ID_FILE)) return readFileSync(BOOT_ID_FILE, 'utf8').trim()
  return String(Math.round((Date.now() / 1000 - uptime()) / BOOT_PRECISION_SECONDS))
}
