import { StoreError } from '../../contract/error.ts'
import type { SandboxRecord } from '../registry/registry.ts'
import type { OpenSandbox } from './open-sandbox.ts'

/** A sandbox of the host: its record, and its store while the store is open. */
export interface SandboxEntry {
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

export function newEntry(record: SandboxRecord): SandboxEntry {
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
export function leastRecentlyUsed(sandboxes: Iterable<SandboxEntry>): SandboxEntry | undefined {
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

/** Ignores that a sandbox or a class was deleted while something waited for its turn. */
export function ignoreDeleted(error: unknown): void {
  const codes = ['sandbox_not_found', 'class_not_found']
  if (!(error instanceof StoreError && codes.includes(error.code))) throw error
}
