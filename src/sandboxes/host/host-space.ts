import type { Classes } from '../classes/classes.ts'
import { hostFull } from '../contract/refusals.ts'
import type { SandboxRecord } from '../registry/registry.ts'
import type { SandboxLimits } from './limits.ts'

interface SpaceOptions {
  readonly limits: SandboxLimits
  readonly classes: Pick<Classes, 'reserved'>
  /** Returns the number of sandboxes. */
  readonly sandboxCount: () => number
}

/** The sandboxes and bytes that a host has room for, of which classes reserve a part. */
export class HostSpace {
  readonly #options: SpaceOptions
  /** The bytes of all sandboxes on the disk. */
  #bytes = 0
  /** The bytes of the sandboxes of classes. */
  #classBytes = 0

  constructor(options: SpaceOptions) {
    this.#options = options
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Replaces what was counted so far with what is on the disk. */
  recount(counted: readonly (readonly [record: SandboxRecord, bytes: number])[]): void {
    this.#bytes = 0
    this.#classBytes = 0
    for (const [record, bytes] of counted) this.count(record, bytes)
  }

  count({ classId }: SandboxRecord, bytes: number): void {
    this.#bytes += bytes
    if (classId !== undefined) this.#classBytes += bytes
  }

  get #reservedBytes(): number {
    return this.#options.classes.reserved.places * this.#options.limits.bytes
  }

  /** Throws `overloaded` if the host cannot reserve this many places, in place of those that the class has. */
  refusePlaces(places: number, before: number): void {
    const { open, bytes, bytesTotal } = this.#options.limits
    const added = places - before
    this.#refuseSandboxes(added)
    if (places > open) throw hostFull(`${open} open sandboxes, and a class of ${places} needs them at once`)
    const others = this.#bytes - this.#classBytes
    if (others + this.#reservedBytes + added * bytes > bytesTotal)
      throw hostFull(
        `${Math.floor(bytesTotal / 1024 ** 2)} MiB on its disk, of which classes have reserved a part`,
      )
  }

  /** Throws `overloaded` if the host has no place for a sandbox outside classes. */
  refuseSandbox(): void {
    this.#refuseSandboxes(1)
    this.#refuseBeyondTotalBytes()
  }

  /** Throws `overloaded` if the host has no bytes for another snapshot of a sandbox. */
  refuseSnapshot({ classId }: SandboxRecord): void {
    if (classId === undefined || this.#classBytes >= this.#reservedBytes) this.#refuseBeyondTotalBytes()
  }

  #refuseSandboxes(added: number): void {
    const { limits, classes, sandboxCount } = this.#options
    if (sandboxCount() + classes.reserved.free + added > limits.sandboxes)
      throw hostFull(`${limits.sandboxes} sandboxes`)
  }

  #refuseBeyondTotalBytes(): void {
    const { bytesTotal } = this.#options.limits
    const taken = this.#bytes - this.#classBytes + Math.max(this.#classBytes, this.#reservedBytes)
    if (taken >= bytesTotal) throw hostFull(`${Math.floor(bytesTotal / 1024 ** 2)} MiB on its disk`)
  }
}
