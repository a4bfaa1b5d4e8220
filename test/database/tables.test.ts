import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { testedEngines } from '../support/engines.ts'
import { newDatabase, VERSION_VARIABLE } from '../support/postgres-server.ts'
import { waitForPositions } from '../support/received-events.ts'
import { onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'

/**
 * Returns every column of the tables that both engines have, in one notation: `pet.quantity INTEGER NOT NULL`. Only
 * PostgreSQL has the tables `migration` and `execution`.
 */
async function columnsOf(store: TestStore): Promise<string[]> {
  const rows =
    store.engine.name === 'sqlite'
      ? await store.database(`
          SELECT m.name AS tab, p.name AS col, p.type, p."notnull" AS required, p.pk > 0 AS key FROM sqlite_master m
          JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`)
      : await store.database(`
          SELECT c.table_name AS tab, c.column_name AS col, upper(c.data_type) AS type,
            CASE WHEN c.is_nullable = 'NO' THEN 1 ELSE 0 END AS required,
            CASE WHEN k.column_name IS NULL THEN 0 ELSE 1 END AS key
          FROM information_schema.columns c LEFT JOIN (
            SELECT u.table_name, u.column_name FROM information_schema.key_column_usage u
            JOIN information_schema.table_constraints t USING (constraint_name)
            WHERE t.constraint_type = 'PRIMARY KEY') k USING (table_name, column_name)
          WHERE c.table_schema = 'public' AND c.table_name NOT IN ('migration', 'execution')`)
  return rows
    .map(({ tab, col, type, required, key }) => {
      const kind = String(type).replace('BIGINT', 'INTEGER')
      return `${tab}.${col} ${kind}${Number(required) ? ' NOT NULL' : ''}${Number(key) ? ' KEY' : ''}`
    })
    .sort()
}

test.skipIf(!testedEngines.includes('postgres'))(
  'both engines have the same tables, columns and keys',
  async () => {
    await using sqlite = await openTestStore('sqlite')
    await using postgres = await openTestStore('postgres')
    const columns = await columnsOf(sqlite)
    expect(columns.length).toBeGreaterThan(50)
    expect(await columnsOf(postgres)).toEqual(columns)
  },
)

onEveryEngine(engine => {
  test('the tables refuse rows that the store would never write', async () => {
    await using store = await openTestStore(engine)
    const { client } = store
    await client.createCategory({ body: { name: 'C' } })
    await client.createPet({ body: { name: 'P', categoryId: 1n } })
    const wrong = [
      'UPDATE pet SET reserved = 2',
      'UPDATE pet SET reserved = -1',
      'UPDATE pet SET quantity = 0',
      `UPDATE pet SET status = 'sold'`,
      'UPDATE pet SET on_hold = 1',
      'UPDATE pet SET on_hold = 2',
      `UPDATE pet SET quantity = 1000000001, status = 'available'`,
      'UPDATE category SET pet_count = -1',
      `INSERT INTO movement (pet_id, version, id, quantity_change, reserved_change, quantity, reserved, reason, at)
       VALUES (1, 9, 9, 0, 0, 1, 0, 'count', 'now')`,
    ]
    for (const text of wrong) await expect(store.database(text)).rejects.toThrow(/constraint/i)
  })

  test('the ids of categories are 1, 2, 3, ..., and the id of a deleted category is not used again', async () => {
    await using store = await openTestStore(engine)
    const { client } = store
    const ids: bigint[] = []
    for (let count = 0; count < 3; count++) {
      const { data } = await client.createCategory({ body: { name: 'C' } })
      ids.push(data.id)
      await client.deleteCategory({ categoryId: data.id })
    }
    expect(ids).toEqual([1n, 2n, 3n])
  })

  test('the positions of events have no gaps, and are in the order of the versions of an inventory item', async () => {
    await using store = await openTestStore(engine)
    const { client } = store
    await client.createCategory({ body: { name: 'C' } })
    await client.createPet({ body: { name: 'P', categoryId: 1n } })
    await client.setInventory({ petId: 1n, body: { quantity: 1000n } })
    await Promise.all(Array.from({ length: 50 }, () => client.placeOrder({ body: { petId: 1n } })))
    await waitForPositions(store, 2000)
    const rows = await store.database(
      'SELECT position, subject, subject_version FROM event ORDER BY position',
    )
    expect(rows).toHaveLength(105)
    expect(rows.map(({ position }) => Number(position))).toEqual(rows.map((_, index) => index + 1))
    const versions = rows
      .filter(({ subject }) => subject === 'inventory/1')
      .map(row => Number(row.subject_version))
    expect(versions).toEqual(versions.toSorted((a, b) => a - b))
  })
})

test.skipIf(!testedEngines.includes('postgres'))(
  'the tests run on the configured version of PostgreSQL',
  async () => {
    await using pool = new SQL({ url: await newDatabase(), max: 1 })
    const [row] = await pool.unsafe<{ server_version: string }[]>('SHOW server_version')
    expect(row?.server_version.split('.')[0]).toBe(process.env[VERSION_VARIABLE] ?? '18')
  },
)
