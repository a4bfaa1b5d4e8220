import { describe, expect, test } from 'bun:test'
import type { OnExisting } from '../../src/shop/imports/limits.ts'
import { countOf, systemCommand } from '../../src/shop/registry/commands.ts'
import { storedInstant } from '../../src/values/instant.ts'
import type { Client } from '../support/client.ts'
import { sharedStore, stockOf } from '../support/shop.ts'
import { onEveryEngine, openTestStore } from '../support/store.ts'
import { violatedInvariants } from '../support/violated-invariants.ts'

interface Row {
  readonly name: string
  readonly category: string
  readonly quantity?: bigint
  readonly price?: bigint
  readonly barcode?: string
  readonly reorderAt?: bigint
}

let lastId = 100n

/** Imports rows, and returns the id of the import and what it did. */
async function load(client: Client, onExisting: OnExisting, rows: readonly Row[], categories: string[] = []) {
  const importId = ++lastId
  const pets = rows.map((row, index) => ({ line: BigInt(index + 2), quantity: 1n, hold: false, ...row }))
  const names = categories.map((name, index) => ({ line: BigInt(index + 2), name }))
  await client.stageImport({ importId, body: { categories: names, pets } })
  const body = { begins: true, rows: 500n, onExisting }
  const { data } = await client.loadImportSlice({ importId, body })
  return { importId, ...data }
}

/** Takes an import back in slices, and returns how much, and what stays. */
async function takeBack(client: Client, importId: bigint, options = { dryRun: false, rows: 2n }) {
  const kept: string[] = []
  let takenBack = 0n
  for (let after: { file: 'categories' | 'pets'; rowId: bigint } | undefined; ; ) {
    const body = { ...options, ...(after && { after }) }
    const { data } = await client.takeBackImport({ importId, body })
    takenBack += data.takenBack
    kept.push(...data.kept.map(({ name, reason }) => `${name}: ${reason}`))
    if (!data.next) return { isKnown: data.isKnown, takenBack, kept }
    after = data.next
  }
}

async function petsOf(client: Client, search: string) {
  const { data } = await client.listPets({ search, include: 'stock' })
  return data.items.map(({ name, quantity, price, barcode }) => [name, quantity, price, barcode])
}

onEveryEngine(engine => {
  describe('imports that update pets', () => {
    const store = sharedStore(engine)

    test('a price list changes what its columns have, and a delivery adds its units', async () => {
      const { client } = store()
      const first = { quantity: 4n, price: 500n, barcode: '11', reorderAt: 2n }
      await load(client, 'load', [{ name: 'Ball', category: 'Toys', ...first }], ['Toys'])
      const [{ id: petId } = { id: 0n }] = (await client.listPets({ search: 'Ball' })).data.items
      const kept = await load(client, 'update', [
        { name: 'Ball', category: 'Toys', quantity: 90n, price: 600n },
      ])
      expect([kept.petsUpdated, await petsOf(client, 'Ball')]).toEqual([1n, [['Ball', 4n, 600n, '11']]])
      // The barcode finds the pet, although the file has another name and another category.
      const added = await load(
        client,
        'add',
        [{ name: 'Big ball', category: 'Sport', quantity: 6n, barcode: '11' }],
        ['Sport'],
      )
      expect([added.petsUpdated, await petsOf(client, 'Ball')]).toEqual([1n, [['Ball', 10n, 600n, '11']]])
      const set = await load(client, 'set', [
        { name: 'Ball', category: 'Sport', quantity: 3n, reorderAt: 5n },
      ])
      expect([set.petsUpdated, (await client.getInventoryItem({ petId })).data]).toMatchObject([
        1n,
        { quantity: 3n, reorderAt: 5n },
      ])
      const same = await load(client, 'set', [{ name: 'Ball', category: 'Sport', quantity: 3n }])
      expect([same.petsUpdated, same.petsSkipped]).toEqual([0n, 1n])
      const movements = (await client.listMovements({ petId })).data.items
      expect(movements.map(({ quantityChange, reason, note }) => [quantityChange, reason, note])).toEqual([
        [4n, 'opening', undefined],
        [6n, 'adjustment', `import ${added.importId}`],
        [-7n, 'count', `import ${set.importId}`],
      ])
    })

    test('a row that cannot update is left out: below what is reserved, or of two pets of one name', async () => {
      const { client } = store()
      const rows = [
        { name: 'Cage', category: 'Homes', quantity: 5n },
        { name: 'Twin', category: 'Homes' },
        { name: 'Twin', category: 'Homes' },
      ]
      await load(client, 'load', rows, ['Homes'])
      const [{ id: petId } = { id: 0n }] = (await client.listPets({ search: 'Cage' })).data.items
      await client.placeOrder({ body: { petId, quantity: 3n } })
      const { petsUpdated, problems } = await load(client, 'set', [
        { name: 'Cage', category: 'Homes', quantity: 2n, price: 100n },
        { name: 'Twin', category: 'Homes', price: 100n },
      ])
      expect([petsUpdated, problems.map(({ line, message }) => `${line} ${message}`)]).toEqual([
        0n,
        [
          '2 "Cage" would have 2 in stock, but open orders reserve 3',
          expect.stringContaining('3 several pets of the category'),
        ],
      ])
      expect(await petsOf(client, 'Cage')).toEqual([['Cage', 5n, undefined, undefined]])
    })

    test('an import in slices updates as its first slice says, also when the rest is resumed', async () => {
      const { client } = store()
      const rows = ['A', 'B', 'C'].map(name => ({ name: `Slice ${name}`, category: 'Slices', quantity: 1n }))
      await load(client, 'load', rows, ['Slices'])
      const pets = rows.map((row, index) => ({ ...row, line: BigInt(index + 2), quantity: 7n, hold: false }))
      await client.stageImport({ importId: 60n, body: { categories: [], pets } })
      const slice = (begins: boolean, more = {}) =>
        client.loadImportSlice({ importId: 60n, body: { rows: 2n, begins, ...more } })
      const first = (await slice(true, { onExisting: 'set' })).data
      const past = async () => (await client.listImports({})).data.items.find(({ id }) => id === 60n)
      expect(await past()).toMatchObject({ petsUpdated: 2n, rowsLeft: 1n, hasChanges: true })
      const last = (await slice(false)).data
      expect([first.petsUpdated, last.petsUpdated, last.isLast]).toEqual([2n, 1n, true])
      const names = await petsOf(client, 'Slice')
      expect(names.map(([, quantity]) => quantity)).toEqual([7n, 7n, 7n])
      expect(await takeBack(client, 60n)).toEqual({ isKnown: true, takenBack: 3n, kept: [] })
      expect((await petsOf(client, 'Slice')).map(([, quantity]) => quantity)).toEqual([1n, 1n, 1n])
      expect(await past()).toMatchObject({ takenBack: 3n, rowsLeft: 0n, hasChanges: false })
    })

    test('the rest of an import that was cut is not loaded after it was taken back', async () => {
      const { client } = store()
      const pets = ['A', 'B'].map((name, index) => {
        return { name: `Cut ${name}`, category: 'Slices', line: BigInt(index + 2), quantity: 1n, hold: false }
      })
      await client.stageImport({ importId: 61n, body: { categories: [], pets } })
      await client.loadImportSlice({ importId: 61n, body: { rows: 1n, begins: true } })
      expect(await takeBack(client, 61n)).toEqual({ isKnown: true, takenBack: 1n, kept: [] })
      const rest = await client.loadImportSlice({ importId: 61n, body: { rows: 1n, begins: false } })
      expect([rest.data.isKnown, await petsOf(client, 'Cut')]).toEqual([false, []])
    })
  })

  describe('an import is taken back', () => {
    const store = sharedStore(engine)

    test('what it created is deleted, and what it updated is as before; what was changed since stays', async () => {
      const { client } = store()
      const old = { name: 'Bowl', category: 'Old', quantity: 4n, price: 500n, barcode: '77', reorderAt: 1n }
      await load(client, 'load', [old], ['Old'])
      const { importId, petsCreated } = await load(
        client,
        'add',
        [
          { name: 'Leash', category: 'New' },
          { name: 'Sold since', category: 'New', quantity: 3n },
          { name: 'Bowl', category: 'Old', quantity: 6n, price: 900n, barcode: '88', reorderAt: 9n },
          { name: 'Comb', category: 'Empty' },
          { name: 'Bowl', category: 'Old', quantity: 10n },
        ],
        ['New', 'Empty'],
      )
      expect(petsCreated).toBe(3n)
      expect(await petsOf(client, 'Bowl')).toEqual([['Bowl', 20n, 900n, '88']])
      const [{ id: sold } = { id: 0n }] = (await client.listPets({ search: 'Sold' })).data.items
      await client.placeOrder({ body: { petId: sold, complete: true } })
      const dry = await takeBack(client, importId, { dryRun: true, rows: 500n })
      expect(dry).toEqual({ isKnown: true, takenBack: 5n, kept: ['Sold since: changed'] })
      expect(await petsOf(client, 'Bowl')).toEqual([['Bowl', 20n, 900n, '88']])
      const done = await takeBack(client, importId)
      expect(done).toEqual({ isKnown: true, takenBack: 4n, kept: ['Sold since: changed', 'New: in_use'] })
      expect(await petsOf(client, 'Bowl')).toEqual([['Bowl', 4n, 500n, '77']])
      const [{ id: bowl } = { id: 0n }] = (await client.listPets({ search: 'Bowl' })).data.items
      expect((await client.getInventoryItem({ petId: bowl })).data.reorderAt).toBe(1n)
      expect(await stockOf(client, sold)).toBe('available 2/0')
      const categories = (await client.listCategories({})).data.items.map(({ name }) => name)
      expect(categories).toEqual(['Old', 'New'])
      const [past] = (await client.listImports({})).data.items
      expect(past).toMatchObject({ id: importId, petsCreated: 3n, petsUpdated: 2n, takenBack: 4n })
      // The rest can be taken back later, and what is gone is no problem.
      await client.deletePet({ petId: sold })
      expect(await takeBack(client, importId)).toEqual({ isKnown: true, takenBack: 2n, kept: [] })
      expect(await takeBack(client, importId)).toEqual({ isKnown: true, takenBack: 0n, kept: [] })
      expect(await violatedInvariants(store())).toEqual([])
    })

    test('imports of the same pets are taken back one after the other, the last one first', async () => {
      const { client } = store()
      const row = { name: 'Net', category: 'Twice' }
      const first = await load(client, 'load', [{ ...row, quantity: 2n, price: 100n }], ['Twice'])
      const second = await load(client, 'set', [{ ...row, quantity: 5n, price: 200n }])
      const third = await load(client, 'add', [{ ...row, quantity: 1n }])
      expect((await takeBack(client, second.importId)).kept).toEqual(['Net: changed'])
      const left: string[] = []
      for (const { importId } of [third, second, first]) {
        expect((await takeBack(client, importId)).kept).toEqual([])
        left.push((await petsOf(client, 'Net')).map(([, quantity, price]) => `${quantity} ${price}`).join())
      }
      expect(left).toEqual(['5 200', '2 100', ''])
    })

    test('a pet on hold whose units an import took away is on hold again', async () => {
      const { client } = store()
      await load(client, 'load', [{ name: 'Held', category: 'Holds', quantity: 3n }], ['Holds'])
      const [{ id: petId } = { id: 0n }] = (await client.listPets({ search: 'Held' })).data.items
      await client.updatePet({ petId, body: { status: 'pending' } })
      const { importId } = await load(client, 'set', [{ name: 'Held', category: 'Holds', quantity: 0n }])
      expect(await stockOf(client, petId)).toBe('sold 0/0')
      await takeBack(client, importId)
      expect(await stockOf(client, petId)).toBe('pending 3/0')
    })

    test('a pet stays whose barcode or category has gone to something else', async () => {
      const { client } = store()
      const rows = [
        { name: 'Lamp', category: 'Lights', barcode: '501' },
        { name: 'Torch', category: 'Gone', barcode: '502' },
      ]
      await load(client, 'load', rows, ['Lights', 'Gone', 'Kept'])
      const moved = [
        { name: 'Lamp', category: 'Lights', barcode: '503' },
        { name: 'Torch', category: 'Kept', barcode: '502' },
      ]
      const { importId } = await load(client, 'update', moved)
      const categories = (await client.listCategories({})).data.items
      const idOf = (name: string) => categories.find(category => category.name === name)?.id ?? 0n
      await client.deleteCategory({ categoryId: idOf('Gone') })
      await client.createPet({ body: { name: 'Thief', categoryId: idOf('Lights'), barcode: '501' } })
      expect(await takeBack(client, importId)).toEqual({
        isKnown: true,
        takenBack: 0n,
        kept: ['Torch: category_deleted', 'Lamp: barcode_taken'],
      })
    })

    test('while pets are sold, none of them is lost or deleted with its order', async () => {
      const { client } = store()
      const rows = Array.from({ length: 40 }, (_, index) => ({ name: `Race ${index}`, category: 'Races' }))
      const { importId } = await load(client, 'load', rows, ['Races'])
      const pets = (await client.listPets({ search: 'Race', limit: 100 })).data.items
      const orders = pets.map(({ id: petId }) =>
        client.placeOrder({ body: { petId } }).then(
          () => 'sold',
          () => 'refused',
        ),
      )
      const [taken, ...placed] = await Promise.all([takeBack(client, importId), ...orders])
      const sold = placed.filter(code => code === 'sold').length
      const left = (await client.listPets({ search: 'Race', limit: 100 })).data.items.length
      expect([left, taken.kept.filter(text => text.startsWith('Race ')).length]).toEqual([sold, sold])
      expect(await violatedInvariants(store())).toEqual([])
    })
  })

  test('an import can be taken back for 30 days; then its changes are deleted, a thousand at a time', async () => {
    await using store = await openTestStore(engine)
    const { client } = store
    const { importId } = await load(client, 'load', [{ name: 'Old', category: 'Old' }], ['Old'])
    const sweepAfter = async (days: number) => {
      const at = storedInstant(Date.now() + days * 24 * 3_600_000)
      return countOf(await store.engine.execute(systemCommand('sweepStagedRows', {}, at, 'test')))
    }
    expect(await sweepAfter(29.9)).toBe(0)
    expect((await takeBack(client, importId, { dryRun: true, rows: 9n })).isKnown).toBe(true)
    expect([await sweepAfter(30.1), await sweepAfter(30.1), await sweepAfter(30.1)]).toEqual([2, 1, 0])
    expect(await takeBack(client, importId)).toEqual({ isKnown: false, takenBack: 0n, kept: [] })
    expect((await client.listPets({})).data.items).toHaveLength(1)
  })

  test('an import and its taking back see every sale of the same moment', async () => {
    await using own = await openTestStore(engine)
    const { client } = own
    const broken: string[] = []
    for (let round = 0; round < 30; round++) {
      const name = `Busy ${round}`
      const { importId: first } = await load(
        client,
        'load',
        [{ name, category: 'Dogs', quantity: 50n }],
        ['Dogs'],
      )
      expect(first).toBeGreaterThan(0n)
      const [{ id: petId } = { id: 0n }] = (await client.listPets({ search: name })).data.items
      const sell = () => client.placeOrder({ body: { petId, complete: true } })
      const sales = (): Promise<unknown>[] => Array.from({ length: 6 }, sell)
      const [{ importId }] = await Promise.all([
        load(client, 'set', [{ name, category: 'Dogs', quantity: 20n }]),
        ...sales(),
      ])
      await Promise.all([takeBack(client, importId), ...sales()])
      const movements = await own.database(
        `SELECT reason, quantity FROM movement WHERE pet_id = ${petId} ORDER BY version`,
      )
      const reasons = movements.map(({ reason }) => reason)
      const counted = movements.find(({ reason }) => reason === 'count')
      if (counted?.quantity !== 20n) broken.push(`${name} was set to ${counted?.quantity}`)
      const back = reasons.indexOf('adjustment')
      if (back >= 0 && reasons[back - 1] !== 'count') broken.push(`${name} was taken back after a sale`)
    }
    expect(broken).toEqual([])
    expect(await violatedInvariants(own)).toEqual([])
  })

  test('a pet that two slices of an import change, and that was sold between them, stays', async () => {
    await using own = await openTestStore(engine)
    const { client } = own
    const petOf = (name: string, line: bigint) => ({
      line,
      name,
      category: 'Dogs',
      quantity: 5n,
      hold: false,
    })
    await load(client, 'load', [{ name: 'Old', category: 'Dogs', quantity: 10n }], ['Dogs'])
    const importId = ++lastId
    const pets = [petOf('Old', 2n), petOf('New', 3n), petOf('Old', 4n), petOf('New', 5n)]
    await client.stageImport({ importId, body: { categories: [], pets } })
    const slice = (begins: boolean) =>
      client.loadImportSlice({ importId, body: { begins, rows: 2n, onExisting: 'add' } })
    await slice(true)
    const { data } = await client.listPets({ sort: 'id' })
    for (const { id } of data.items) await client.placeOrder({ body: { petId: id, complete: true } })
    await slice(false)
    await slice(false)
    expect(await takeBack(client, importId)).toMatchObject({
      takenBack: 0n,
      kept: ['New: changed', 'Old: changed'],
    })
    expect((await petsOf(client, 'Old'))[0]?.[1]).toBe(19n)
  })

  test('two processes that load one import load each row once', async () => {
    await using own = await openTestStore(engine)
    const { client } = own
    await load(client, 'load', [], ['Dogs'])
    for (let round = 0; round < 10; round++) {
      const importId = ++lastId
      const pets = Array.from({ length: 30 }, (_, index) => ({
        line: BigInt(index + 2),
        name: `Twice ${round}`,
        category: 'Dogs',
        quantity: 1n,
        hold: false,
      }))
      await client.stageImport({ importId, body: { categories: [], pets } })
      const loadAll = async (): Promise<void> => {
        for (;;) {
          const { data } = await client.loadImportSlice({ importId, body: { begins: false, rows: 10n } })
          if (data.isLast) return
        }
      }
      await client.loadImportSlice({ importId, body: { begins: true, rows: 1n } })
      await Promise.all([loadAll(), loadAll(), loadAll()])
      const [row] = await own.database(`SELECT count(*) AS pets FROM pet WHERE name = 'Twice ${round}'`)
      expect([round, row?.pets]).toEqual([round, 30n])
    }
  })

  test('a price list that changes nothing records no sale of the same moment', async () => {
    await using own = await openTestStore(engine)
    const { client } = own
    const row = { name: 'Busy', category: 'Dogs', quantity: 1000n, price: 100n }
    await load(client, 'load', [row], ['Dogs'])
    const [{ id: petId } = { id: 0n }] = (await client.listPets({ search: 'Busy' })).data.items
    let updated = 0n
    for (let round = 0; round < 60; round++) {
      const sales = Array.from({ length: 3 }, () => client.placeOrder({ body: { petId, complete: true } }))
      const [{ petsUpdated }] = await Promise.all([load(client, 'update', [row]), ...sales])
      updated += petsUpdated
    }
    expect(updated).toBe(0n)
  })
})
