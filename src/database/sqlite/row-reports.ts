import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { BatchStage, RowChanges, RowListener } from '../row-changes.ts'
import type { SharedReadTransaction } from './shared-read-transaction.ts'

/** The writer's end of the announcements. */
export interface Announcer {
  readonly port: MessagePort
  /** One number in shared memory: 1 if the port may have an announcement that was not received. */
  readonly flag: Int32Array
}

/** A batch that is about to be committed. */
interface AnnouncedBatch {
  readonly changes: RowChanges
  /** The position of its last event; undefined if it has none. */
  readonly position: bigint | undefined
}

/** Announces a batch. Call it before the commit. */
export function announce({ port, flag }: Announcer, batch: AnnouncedBatch): void {
  port.postMessage(batch)
  // This comes last, so that the announcement is there when the flag is set.
  Atomics.store(flag, 0, 1)
}

/**
 * Passes the rows that the writer writes to listeners. Other connections show a commit before the event loop gets to
 * the message with its outcomes. An announcement needs no event loop: after a read that may have shown a commit, it can
 * be received at once.
 */
export class RowReports {
  readonly announcer: Announcer
  readonly #port: MessagePort
  readonly #rowReader: Pick<SharedReadTransaction, 'position'>
  readonly #listeners = new Set<RowListener>()
  /** The batches that were received and not passed on, in the order of their commits. */
  readonly #received: AnnouncedBatch[] = []
  /** The batches that were passed on and whose outcomes have not come; undefined for one that has ended. */
  readonly #passed: (RowChanges | undefined)[] = []

  constructor(rowReader: Pick<SharedReadTransaction, 'position'>) {
    this.#rowReader = rowReader
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.announcer = { port: port2, flag: new Int32Array(new SharedArrayBuffer(4)) }
  }

  readonly watch = (listener: RowListener): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Passes on the batches that the reads of this thread may show. Without any batch, it takes some nanoseconds. */
  readonly announce = (): void => {
    if (!this.#receive()) return
    const shown = this.#rowReader.position()
    for (let next = this.#received[0]; next; next = this.#received[0]) {
      const { changes, position } = next
      // This batch is not committed, and neither is a later one.
      if (shown !== undefined && position !== undefined && position > shown) return
      this.#received.shift()
      const isShown = shown !== undefined && position !== undefined
      this.#passed.push(isShown ? undefined : changes)
      this.#tell(changes, isShown ? 'ended' : 'announced')
    }
  }

  /** Passes on that a batch has ended, after the shared read transaction has ended. */
  end({ size }: RowChanges): void {
    if (size === 0) return
    this.#receive()
    const changes = this.#passed.length > 0 ? this.#passed.shift() : this.#received.shift()?.changes
    if (changes) this.#tell(changes, 'ended')
  }

  #tell(changes: RowChanges, stage: BatchStage): void {
    for (const listener of this.#listeners) listener(changes, stage)
  }

  /** Returns whether any batch was received and not passed on. */
  #receive(): boolean {
    const { flag } = this.announcer
    if (Atomics.load(flag, 0) === 1) {
      // An announcement that comes now sets the flag again.
      Atomics.store(flag, 0, 0)
      for (let next = receiveMessageOnPort(this.#port); next; next = receiveMessageOnPort(this.#port)) {
        this.#received.push(next.message)
      }
    }
    return this.#received.length > 0
  }
}
