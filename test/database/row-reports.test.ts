import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { databaseFile } from '../../src/database/sqlite/database-file.ts'
import { announce, RowReports } from '../../src/database/sqlite/row-reports.ts'
import { makePet } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'

const COMMITS = 100
/** The rows of a batch that wrote one pet. */
const batch = (petId: bigint) => new Map([['pet', new Set([petId])]])

/** The longest time that the event loop waits for a commit. */
const COMMIT_MS = 10_000

test('rows are announced before any connection sees their commit, without a turn of the event loop', async () => {
  let onSent = (): void => {}
  await using store = await openTestStore('sqlite', {
    wrapEngine: engine => ({
      ...engine,
      execute: command => {
        const result = engine.execute(command)
        // The queue of the writer sends the command in an earlier microtask.
        queueMicrotask(() => onSent())
        return result
      },
    }),
  })
  const { petId } = await makePet(store.client, { quantity: 1n })
  using other = new Database(databaseFile(store.place.directory), { readonly: true, safeIntegers: true })
  const quantity = other.query<{ quantity: bigint }, [bigint]>('SELECT quantity FROM pet WHERE id = ?')
  const announced: unknown[] = []
  let announcedAtCommit = 0
  store.engine.watchRows?.(changes => announced.push(changes.get('pet')))
  for (let count = 2n; count < 2n + BigInt(COMMITS); count++) {
    onSent = () => {
      const deadlineMs = performance.now() + COMMIT_MS
      while (quantity.get(petId)?.quantity !== count && performance.now() < deadlineMs);
      store.engine.announceRows?.()
      announcedAtCommit = announced.length
    }
    await store.client.setInventory({ petId, body: { quantity: count } })
    expect([announcedAtCommit, announced.splice(0)]).toEqual([1, [new Set([petId])]])
  }
})

test('a batch is reported when reads show its last event, and one without events before that', () => {
  let shown: bigint | undefined = 1n
  const rows = new RowReports({ position: () => shown })
  const told: string[] = []
  rows.watch((changes, stage) => told.push(`${[...(changes.get('pet') ?? [])]} ${stage}`))
  const write = (petId: bigint, position: bigint | undefined) =>
    announce(rows.announcer, { changes: batch(petId), position })
  const toldAfter = (step: () => void): string[] => {
    step()
    return told.splice(0)
  }
  write(1n, 2n)
  write(2n, undefined)
  expect(toldAfter(rows.announce)).toEqual([])
  shown = 2n
  write(3n, 3n)
  expect(toldAfter(rows.announce)).toEqual(['1 ended', '2 announced'])
  expect(toldAfter(() => rows.end(batch(1n)))).toEqual([])
  expect(toldAfter(() => rows.end(batch(2n)))).toEqual(['2 ended'])
  expect(toldAfter(() => rows.end(batch(3n)))).toEqual(['3 ended'])
  shown = undefined
  write(4n, 4n)
  expect(toldAfter(rows.announce)).toEqual(['4 announced'])
})
