import type { ReservedSQL } from 'bun'
import { noNumberLeft } from '../../contract/refusals.ts'
import type { Noun, Tx } from '../engine.ts'
import type { NewEvent, TotalChanges } from '../new-event.ts'
import { batchOf, EVENTS_PER_BATCH_MAX, insertBatch } from '../numbering/numbering.ts'
import { TotalSums } from '../numbering/totals.ts'
import type { IdBlocks } from './id-blocks.ts'
import type { Sequencer } from './sequencer.ts'
import { PostgresWriter } from './writer.ts'

/** The transaction of one command, or of several commands that commit together. */
export class PostgresTx extends PostgresWriter implements Tx {
  readonly #ids: IdBlocks
  readonly #sequencer: Pick<Sequencer, 'isExhausted'>
  #events: NewEvent[] = []
  readonly #totals = new TotalSums()

  constructor(connection: ReservedSQL, ids: IdBlocks, sequencer: Pick<Sequencer, 'isExhausted'>) {
    super(connection)
    this.#ids = ids
    this.#sequencer = sequencer
  }

  nextId(noun: Noun): bigint | Promise<bigint> {
    return this.#ids.next(noun)
  }

  /** Returns undefined, because commits are not in order here. The sequencer numbers the event after its commit. */
  appendEvent(event: NewEvent, totals: TotalChanges | undefined): undefined {
    if (this.#sequencer.isExhausted()) throw noNumberLeft('position for another event')
    this.#events.push(event)
    if (totals) this.#totals.add(totals)
    // The row of the subject is locked by now, so the batch gets a later id than those of earlier versions.
    if (this.#events.length === EVENTS_PER_BATCH_MAX) this.#writeEvents()
  }

  override async written(): Promise<void> {
    if (this.#events.length > 0) this.#writeEvents()
    await super.written()
  }

  #writeEvents(): void {
    this.write(insertBatch, batchOf(this.#events, this.#totals))
    this.#events = []
  }
}
