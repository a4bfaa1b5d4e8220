import { expect, test } from 'bun:test'
import { type ExportedResource, exportRows } from '../../src/shop/exports.ts'
import { importCategories } from '../support/busy-shop.ts'
import { makePet } from '../support/shop.ts'
import { onEveryEngine, openTestStore } from '../support/store.ts'

onEveryEngine(engine => {
  test('an export of more than a thousand rows has each of them, and values as the API writes them', async () => {
    await using store = await openTestStore(engine)
    const rowsOf = async (resource: ExportedResource) =>
      store.engine.readShort(reader => Array.fromAsync(exportRows(reader, resource, store.base)))
    const { petId } = await makePet(store.client, { quantity: 3n, onHold: true })
    await importCategories(store.client, 1100)
    // Movements that change nothing together: only the number of rows counts here.
    await store.database(`
      INSERT INTO movement (pet_id, version, id, quantity_change, reserved_change, quantity, reserved, reason, at)
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 1100)
      SELECT ${petId}, 1000 + n, 100000 + n, 1, 0, 1, 0, 'count', '2026-11-21T00:00:00.000Z' FROM number`)
    const idsOf = async (resource: ExportedResource) => (await rowsOf(resource)).map(({ id }) => id)
    expect((await idsOf('categories')).slice(-1100)).toEqual(
      Array.from({ length: 1100 }, (_, index) => BigInt(index + 2)),
    )
    expect((await idsOf('movements')).slice(-1100)).toEqual(
      Array.from({ length: 1100 }, (_, index) => BigInt(100_001 + index)),
    )
    expect((await rowsOf('pets'))[0]).toMatchObject({
      id: petId,
      hold: true,
      quantity: 3n,
      status: 'pending',
    })
    expect((await rowsOf('keys'))[0]).toMatchObject({ scopes: ['admin'], revokedAt: null })
  })
})
