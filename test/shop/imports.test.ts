import { describe, expect, test } from 'bun:test'
import { countOf, systemCommand } from '../../src/shop/registry/commands.ts'
import { PetStatus } from '../../src/shop/stock/schema.ts'
import { storedInstant } from '../../src/values/instant.ts'
import { importCategories } from '../support/busy-shop.ts'
import { makePet, sharedStore, stockOf } from '../support/shop.ts'
import { onEveryEngine, openTestStore } from '../support/store.ts'

const LOAD = { begins: true, rows: 500n }

onEveryEngine(engine => {
  describe('imports', () => {
    const store = sharedStore(engine)

    test('an import of more than a thousand rows loads each of them', async () => {
      await importCategories(store().client, 1003, '', 'Thousand')
      const [row] = await store().database(`SELECT count(*) AS n FROM category WHERE name LIKE 'Thousand %'`)
      expect(Number(row?.n)).toBe(1003)
    })

    test('a pet whose category has two names that differ in case is a problem', async () => {
      const { client } = store()
      for (const name of ['Mice', 'MICE']) await client.createCategory({ body: { name } })
      const pets = [{ line: 2n, name: 'Pip', category: 'mice', quantity: 1n, hold: false }]
      await client.stageImport({ importId: 5n, body: { categories: [], pets } })
      const { data } = await client.loadImportSlice({ importId: 5n, body: LOAD })
      const { petsCreated, problems } = data
      expect([petsCreated, problems.map(({ file, line }) => `${file} ${line}`)]).toEqual([0n, ['pets 2']])
    })

    test('an import that skips existing pets skips a pet whose name has another Unicode form', async () => {
      const { client } = store()
      const { data: category } = await client.createCategory({ body: { name: 'Forms' } })
      await client.createPet({ body: { name: 'Zoë'.normalize('NFC'), categoryId: category.id } })
      const pet = { line: 2n, name: 'Zoë'.normalize('NFD'), category: 'Forms', quantity: 1n, hold: false }
      await client.stageImport({ importId: 4n, body: { categories: [], pets: [pet] } })
      const { data } = await client.loadImportSlice({ importId: 4n, body: { ...LOAD, onExisting: 'skip' } })
      expect([data.petsCreated, data.petsSkipped]).toEqual([0n, 1n])
    })

    test('an import that skips existing pets skips a pet in every status, in each Unicode form', async () => {
      const { client } = store()
      const { data: category } = await client.createCategory({ body: { name: 'Statuses' } })
      for (const status of PetStatus.options)
        await client.createPet({ body: { name: `Zoë ${status}`, categoryId: category.id, status } })
      const pets = (['NFC', 'NFD'] as const).flatMap((form, at) =>
        PetStatus.options.map((status, index) => ({
          line: BigInt(2 + at * PetStatus.options.length + index),
          name: `Zoë ${status}`.normalize(form),
          category: 'Statuses',
          quantity: 1n,
          hold: false,
        })),
      )
      await client.stageImport({ importId: 8n, body: { categories: [], pets } })
      const { data } = await client.loadImportSlice({ importId: 8n, body: { ...LOAD, onExisting: 'skip' } })
      expect([data.petsCreated, data.petsSkipped]).toEqual([0n, BigInt(pets.length)])
    })

    test('a category is found by its exact name among any number of others that differ in case', async () => {
      const { client } = store()
      const letters = [...'abcde']
      for (let bits = 0; bits < 2 ** letters.length; bits++) {
        const name = letters
          .map((one, index) => ((bits >> index) % 2 === 1 ? one.toUpperCase() : one))
          .join('')
        await client.createCategory({ body: { name } })
      }
      const names = ['abcde', 'ABCDE']
      const pets = names.map((category, index) => ({
        line: BigInt(2 + index),
        name: 'Pip',
        category,
        quantity: 1n,
        hold: false,
      }))
      const categories = names.map((name, index) => ({ line: BigInt(2 + index), name }))
      await client.stageImport({ importId: 10n, body: { categories, pets } })
      const { data } = await client.loadImportSlice({ importId: 10n, body: LOAD })
      expect(data).toMatchObject({
        categoriesCreated: 0n,
        categoriesFound: 2n,
        petsCreated: 2n,
        problems: [],
      })
    })

    test('rows whose response was lost are staged once, although they are sent again', async () => {
      const { client } = store()
      const { data: category } = await client.createCategory({ body: { name: 'Sent again' } })
      const pet = { line: 2n, name: 'Once', category: category.name, quantity: 1n, hold: false }
      const body = { categories: [], pets: [pet] }
      const options = { idempotencyKey: 'staged-once' }
      for (let time = 0; time < 2; time++) await client.stageImport({ importId: 11n, body }, options)
      const { data } = await client.loadImportSlice({ importId: 11n, body: LOAD })
      expect(data.petsCreated).toBe(1n)
    })

    test('a pet that is imported on hold without stock is available after its first restock', async () => {
      const { client } = store()
      const { categoryId } = await makePet(client)
      const { data: category } = await client.getCategory({ categoryId })
      const pet = { line: 2n, name: 'Held', category: category.name, quantity: 0n, hold: true }
      await client.stageImport({ importId: 3n, body: { categories: [], pets: [pet] } })
      await client.loadImportSlice({ importId: 3n, body: LOAD })
      const [{ id: petId } = { id: 0n }] = (await client.listPets({ name: 'Held' })).data.items
      expect(await stockOf(client, petId)).toBe('sold 0/0')
      await client.setInventory({ petId, body: { quantity: 2n } })
      expect(await stockOf(client, petId)).toBe('available 2/0')
    })
  })

  test('a sweep finds the rows of an interrupted import, although an earlier one is in progress', async () => {
    await using store = await openTestStore(engine)
    const stage = (importId: bigint) =>
      store.client.stageImport({ importId, body: { categories: [{ line: 2n, name: 'Any' }], pets: [] } })
    for (const importId of [5n, 6n]) await stage(importId)
    await store.database(`UPDATE staged_row SET at = '2020-01-01T00:00:00.000Z' WHERE import_id = 6`)
    const sweep = async () =>
      countOf(
        await store.engine.execute(systemCommand('sweepStagedRows', {}, storedInstant(Date.now()), 'test')),
      )
    expect(await sweep()).toBe(1)
    expect(await sweep()).toBe(0)
    expect(await store.database('SELECT import_id FROM staged_row')).toEqual([{ import_id: 5n }])
  })

  test('the rows of an interrupted import are kept for a day, and then deleted', async () => {
    await using store = await openTestStore(engine)
    const body = { categories: [{ line: 2n, name: 'Any' }], pets: [] }
    await store.client.stageImport({ importId: 5n, body })
    const sweepAfter = async (hours: number) => {
      const at = storedInstant(Date.now() + hours * 3_600_000)
      return countOf(await store.engine.execute(systemCommand('sweepStagedRows', {}, at, 'test')))
    }
    expect([await sweepAfter(1), await sweepAfter(23.9), await sweepAfter(24.1)]).toEqual([0, 0, 1])
  })

  test('a sweep of an interrupted import deletes its first row last, because that row marks the others', async () => {
    await using store = await openTestStore(engine)
    for (const from of [2, 502, 1002]) {
      const categories = Array.from({ length: 500 }, (_, index) => ({
        line: BigInt(from + index),
        name: `${from + index}`,
      }))
      await store.client.stageImport({ importId: 7n, body: { categories, pets: [] } })
    }
    await store.client.discardImport({ importId: 7n })
    const sweep = async () =>
      countOf(
        await store.engine.execute(systemCommand('sweepStagedRows', {}, storedInstant(Date.now()), 'test')),
      )
    expect([await sweep(), await sweep(), await sweep()]).toEqual([1000, 500, 0])
  })
})
