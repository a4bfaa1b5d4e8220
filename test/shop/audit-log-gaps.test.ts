import { expect, test } from 'bun:test'
import { type ChainEntry, chainEntryAfterGap } from '../../src/database/numbering/chain.ts'
import { nextTurn } from '../../src/http/pipeline/body.ts'
import { findChainEnds } from '../../src/shop/log/bounds.ts'
import { exportAuditLog, verifyAuditChain } from '../../src/shop/log/verification.ts'
import { systemCommand } from '../../src/shop/registry/commands.ts'
import { storedInstant } from '../../src/values/instant.ts'
import { importCategories } from '../support/busy-shop.ts'
import { everyItem } from '../support/client.ts'
import { headOf } from '../support/received-events.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

const SKIPPED = 1_000_000n

/** Ends the audit log with a gap, as a restore does, and returns the entry before the gap. */
async function addGap(store: TestStore): Promise<ChainEntry> {
  await headOf(store)
  const { head } = await store.engine.readShort(findChainEnds)
  const gap = { after: head.position, to: head.position + SKIPPED, at: storedInstant(Date.now()) }
  const end = chainEntryAfterGap(head, gap)
  await store.database(
    `INSERT INTO chain_gap (after_position, to_position, at) VALUES (${gap.after}, ${gap.to}, '${gap.at}')`,
  )
  await store.database(
    `UPDATE chain_end SET position = ${end.position}, hash = '${end.hash}' WHERE name = 'head'`,
  )
  return head
}

async function faultsOf(store: TestStore, anchor?: ChainEntry): Promise<readonly string[]> {
  // The reads of one turn of the event loop share a snapshot, which may be older than the last change of a test.
  await nextTurn()
  return (await store.engine.readShort(reader => verifyAuditChain(reader, anchor))).problems
}

/** Deletes all events, as retention does in several commands. */
async function deleteEvents(store: TestStore): Promise<void> {
  const later = storedInstant(Date.now() + 60_000)
  const sweepEvents = () =>
    store.engine.execute(systemCommand('sweepEvents', { before: later }, later, 'test'))
  await until('all events are deleted', async () => {
    await sweepEvents()
    await nextTurn()
    const { floor, head } = await store.engine.readShort(findChainEnds)
    return floor.position === head.position
  })
}

onEveryEngine(engine => {
  test('an audit log with a gap is intact, also once all entries before the gap have been deleted', async () => {
    await using store = await openTestStore(engine)
    await store.client.createCategory({ body: { name: 'Kept' } })
    const beforeGap = await addGap(store)
    expect(await faultsOf(store)).toEqual([])
    expect(await faultsOf(store, beforeGap)).toEqual([])
    const later = storedInstant(Date.now() + 60_000)
    await store.engine.execute(systemCommand('sweepEvents', { before: later }, later, 'test'))
    const { floor } = await store.engine.readShort(findChainEnds)
    expect([floor.position, floor.hash]).toEqual([beforeGap.position, beforeGap.hash])
    expect(await faultsOf(store)).toEqual([])
    // The last deleted entry is known, so it can still be an anchor. An earlier one cannot.
    expect(await faultsOf(store, floor)).toEqual([])
    expect(await faultsOf(store, { ...floor, position: floor.position - 1n })).toHaveLength(1)
    await store.database(`UPDATE chain_end SET hash = 'another' WHERE name = 'head'`)
    expect(await faultsOf(store)).toEqual(['The head of the chain does not match the last entry.'])
  })

  test('an export of the audit log fails if retention deletes entries that it has not read', async () => {
    await using store = await openTestStore(engine)
    await importCategories(store.client, 1100)
    await headOf(store)
    const exporting = store.engine.readShort(async reader => {
      let lines = 0
      for await (const _ of exportAuditLog(reader)) if (++lines === 1) await deleteEvents(store)
      return lines
    })
    await expect(exporting).rejects.toThrow('were deleted during the export, because they expired')
  })

  test('a page of the audit log crosses a gap, and pages of any size contain every entry', async () => {
    await using store = await openTestStore(engine)
    for (const name of ['1', '2', '3', '4']) await store.client.createCategory({ body: { name } })
    const { position: last } = await addGap(store)
    const first = await store.client.listAudit({})
    expect(first.data.items[0]?.position).toBe(last)
    const all = Array.from({ length: Number(last) }, (_, index) => last - BigInt(index))
    for (const limit of [1, 2, 3]) {
      const positions: bigint[] = []
      for await (const { position } of everyItem(store.client.listAudit, { limit })) positions.push(position)
      expect(positions).toEqual(all)
    }
  })
})
