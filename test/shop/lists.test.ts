import { beforeAll, describe, expect, test } from 'bun:test'
import type { Pet } from '../../src/shop/pets/schema.ts'
import { everyItem } from '../support/client.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { codeOf, onEveryEngine, openTestStore, refusalOf } from '../support/store.ts'

onEveryEngine(engine => {
  const store = sharedStore(engine)
  const createdPets: Pet[] = []

  // 60 pets in 3 categories, with repeated names, in every status.
  beforeAll(async () => {
    const { client } = store()
    for (const name of ['Dogs', 'Cats', 'dogfish']) await client.createCategory({ body: { name } })
    const names = ['Ábel', 'abel', 'Bella', 'bello', 'Zoë']
    for (let index = 0; index < 60; index++) {
      const { data } = await client.createPet({
        body: {
          name: `${names[index % 5]}${index % 2}`,
          categoryId: BigInt(1 + (index % 3)),
          status: (['available', 'pending', 'sold'] as const)[index % 4] ?? 'available',
        },
      })
      createdPets.push(data)
    }
  })

  async function ids(
    input: Parameters<ReturnType<typeof store>['client']['listPets']>[0],
  ): Promise<bigint[]> {
    const items: Pet[] = []
    for await (const pet of everyItem(store().client.listPets, input)) items.push(pet)
    return items.map(({ id }) => id)
  }
  const idsWhere = (keep: (pet: Pet) => boolean): bigint[] => createdPets.filter(keep).map(({ id }) => id)

  describe('paged lists', () => {
    for (const sort of ['id', '-id', 'name', '-name'] as const) {
      test(`a list sorted by ${sort} contains every row once, in the same order at different page sizes`, async () => {
        const whole = await ids({ sort, limit: 100 })
        expect(whole.toSorted((a, b) => Number(a - b))).toEqual(idsWhere(() => true))
        for (const limit of [1, 7, 20]) expect(await ids({ sort, limit })).toEqual(whole)
        if (sort.startsWith('-')) {
          const forward = await ids({ sort: sort === '-id' ? 'id' : 'name', limit: 100 })
          expect(whole).toEqual(forward.toReversed())
        }
      })
    }

    test('a list sorted by name ignores case, and sorts rows with the same name by id', async () => {
      const { data } = await store().client.listPets({ sort: 'name', limit: 100, name: 'ABEL' })
      const names = data.items.map(({ name }) => name)
      expect(names).toEqual([...Array(6).fill('abel0'), ...Array(6).fill('abel1')])
      const first = data.items.slice(0, 6).map(({ id }) => id)
      expect(first).toEqual(first.toSorted((a, b) => Number(a - b)))
      const categories = (await store().client.listCategories({ sort: 'name' })).data.items
      expect(categories.map(({ name }) => name)).toEqual(['Cats', 'dogfish', 'Dogs'])
    })

    test('a paged list skips and repeats no row when other rows are added and deleted between pages', async () => {
      await using own = await openTestStore(engine)
      const { client } = own
      const create = async (name: string): Promise<bigint> =>
        (await client.createCategory({ body: { name } })).data.id
      const [one, two, three] = [await create('1'), await create('2'), await create('3')]
      const first = await client.listCategories({ limit: 2, sort: 'id' })
      await client.deleteCategory({ categoryId: one })
      const four = await create('4')
      const rest = await client.listCategories({ limit: 2, sort: 'id', cursor: first.data.next })
      expect([...first.data.items, ...rest.data.items].map(({ id }) => id)).toEqual([one, two, three, four])
      expect(rest.data.next).toBeUndefined()
    })

    test('a paged list links to its first page, with its filters, and to the next page if there is one', async () => {
      const reply = await store().send('GET', '/pets?limit=50&status=available&status=sold')
      const link = reply.headers.get('link') ?? ''
      expect(link).toBe(`<${store().base}/pets?limit=50&status=available&status=sold>; rel="first"`)
      const more = await store().send('GET', '/pets?limit=50')
      const next = /<([^>]+)>; rel="next"/.exec(more.headers.get('link') ?? '')?.[1] ?? ''
      const page: unknown = await (await fetch(next)).json()
      expect(page).toHaveLength(10)
    })

    test('a paged list refuses a cursor of another list, of other filters or of another sort', async () => {
      const { client } = store()
      const cursor = (await client.listPets({ limit: 2 })).data.next
      expect(await codeOf(client.listPets({ limit: 2, cursor, sort: '-id' }))).toBe('400 invalid_cursor')
      expect(await codeOf(client.listPets({ cursor, status: ['sold'] }))).toBe('400 invalid_cursor')
      expect(await codeOf(client.listInventory({ cursor }))).toBe('400 invalid_cursor')
      expect((await client.listPets({ limit: 5, cursor })).data.items).toHaveLength(5)
      const [pet] = (await client.listPets({ limit: 1 })).data.items
      const { data: byName } = await client.listPets({ limit: 1, name: pet?.name.slice(0, 1) ?? '' })
      expect(byName.next).toBeDefined()
      expect(await codeOf(client.listPets({ limit: 1, name: 'z', cursor: byName.next }))).toBe(
        '400 invalid_cursor',
      )
    })
  })

  describe('the parameter include', () => {
    test('include=stock adds the stock of each pet, whatever the filters, the sort and the limit', async () => {
      const { client } = store()
      await client.setInventory({ petId: 1n, body: { quantity: 7n } })
      const stocks = new Map<bigint, unknown>()
      for await (const { petId, quantity, reserved } of everyItem(client.listInventory, { limit: 100 }))
        stocks.set(petId, { quantity, reserved })
      expect(stocks.get(1n)).toEqual({ quantity: 7n, reserved: 0n })
      const inputs: Parameters<typeof client.listPets>[0][] = [
        { limit: 7 },
        { sort: '-name', limit: 100 },
        { name: 'bel', limit: 3 },
        { status: ['sold', 'pending'], categoryId: [1n, 3n], sort: '-id' },
        { id: [5n, 1n, 404n] },
      ]
      for (const input of inputs) {
        const bare = await Array.fromAsync(everyItem(client.listPets, input))
        const stocked = await Array.fromAsync(
          everyItem(client.listPets, { ...input, include: 'stock' as const }),
        )
        expect(stocked).toEqual(bare.map(pet => ({ ...pet, ...Object(stocks.get(pet.id)) })))
        expect(bare.filter(pet => 'quantity' in pet || 'reserved' in pet)).toEqual([])
      }
      await client.setInventory({ petId: 1n, body: { quantity: 1n } })
    })

    test('include=stock is not part of a cursor, so a list can continue with it or without it', async () => {
      const { client } = store()
      const cursor = (await client.listPets({ limit: 2 })).data.next
      const stocked = await client.listPets({ limit: 2, cursor, include: 'stock' })
      expect(stocked.data.items.map(({ id, quantity }) => [id, typeof quantity])).toEqual([
        [3n, 'bigint'],
        [4n, 'bigint'],
      ])
      const bare = await client.listPets({ limit: 2, cursor: stocked.data.next })
      expect(bare.data.items).toEqual(createdPets.slice(4, 6))
      expect(stocked.headers.get('link')).toContain('include=stock')
    })

    test('the parameter include allows only stock, and the refusal of another value names stock', async () => {
      for (const value of ['price', 'Stock', '', 'stock,price']) {
        const reply = await store().send('GET', `/pets?include=${value}`)
        expect([reply.status, await reply.text()]).toEqual([
          400,
          expect.stringContaining(`include must be stock, not \\"${value}\\".`),
        ])
      }
    })
  })

  describe('filters of pets', () => {
    test('pets match a filter with any of its values, and must match all filters', async () => {
      expect(await ids({ status: ['sold', 'pending'], limit: 9 })).toEqual(
        idsWhere(pet => pet.status !== 'available'),
      )
      expect(await ids({ categoryId: [1n, 3n], limit: 9 })).toEqual(idsWhere(pet => pet.categoryId !== 2n))
      expect(await ids({ categoryId: [1n, 1n, 99n], status: ['sold'], limit: 9 })).toEqual(
        idsWhere(pet => pet.categoryId === 1n && pet.status === 'sold'),
      )
      expect(await ids({ id: [5n, 3n, 999n, 3n, 4n] })).toEqual([3n, 4n, 5n])
      expect(await ids({ id: [5n, 3n, 4n], sort: '-id', status: ['available'] })).toEqual(
        idsWhere(pet => [3n, 4n, 5n].includes(pet.id) && pet.status === 'available').toReversed(),
      )
    })

    test('a filter by name matches the beginning of the name, and allows no sort except by name', async () => {
      const named = await ids({ name: 'bell', status: ['available', 'sold'], limit: 4 })
      expect(named.toSorted((a, b) => Number(a - b))).toEqual(
        idsWhere(pet => pet.name.toLowerCase().startsWith('bell') && pet.status !== 'pending'),
      )
      expect(await ids({ name: 'zoë', sort: '-name' })).toHaveLength(12)
      expect(await ids({ name: 'ZOE' })).toEqual([])
      const refused = await refusalOf(store().client.listPets({ name: 'b', sort: 'id' }))
      expect([refused.code, refused.errors[0]?.name]).toEqual(['invalid_parameter', 'sort'])
      const { data } = await store().client.listCategories({ name: 'DOG' })
      expect(data.items.map(({ name }) => name)).toEqual(['dogfish', 'Dogs'])
    })

    test('a filter of pets by id accepts up to a hundred ids in one request', async () => {
      const petIds = Array.from({ length: 100 }, (_, index) => BigInt(index + 1))
      expect((await store().client.listPets({ id: petIds })).data.items).toHaveLength(60)
      expect(await codeOf(store().client.listPets({ id: [...petIds, 101n] }))).toBe('400 invalid_parameter')
    })
  })

  describe('filters of orders and stocks', () => {
    test('orders can be filtered by pet, by completion and by shipDate', async () => {
      const { client } = store()
      const [one, two] = idsWhere(pet => pet.status === 'available')
      for (const petId of [one ?? 0n, two ?? 0n]) {
        await client.setInventory({ petId, body: { quantity: 50n } })
        for (const day of ['02', '01', '03']) {
          await client.placeOrder({
            body: { petId, shipDate: `2027-01-${day}T00:00:00Z`, complete: day === '03' },
          })
        }
        await client.placeOrder({ body: { petId } })
      }
      const list = async (input: Parameters<typeof client.listOrders>[0]): Promise<string> => {
        const found: string[] = []
        for await (const { id } of everyItem(client.listOrders, { ...input, limit: 2 }))
          found.push(String(id))
        return found.join(' ')
      }
      expect(await list({})).toBe('1 2 3 4 5 6 7 8')
      expect(await list({ sort: '-id' })).toBe('8 7 6 5 4 3 2 1')
      expect(await list({ petId: [two ?? 0n] })).toBe('5 6 7 8')
      expect(await list({ petId: [two ?? 0n, one ?? 0n], complete: true })).toBe('3 7')
      expect(await list({ complete: false, sort: '-id' })).toBe('8 6 5 4 2 1')
      expect(await list({ sort: 'shipDate' })).toBe('2 6 1 5 3 7')
      expect(await list({ shipDateAfter: '2027-01-01T00:00:00Z' })).toBe('1 5 3 7')
      expect(
        await list({ shipDateAfter: '2026-01-01T00:00:00Z', shipDateBefore: '2027-01-02T01:00:00+01:00' }),
      ).toBe('2 6')
      expect(
        await list({ shipDateBefore: '2027-01-03T00:00:00Z', complete: false, petId: [one ?? 0n] }),
      ).toBe('2 1')
      const byId = client.listOrders({ shipDateAfter: '2027-01-01T00:00:00Z', sort: 'id' })
      expect(await codeOf(byId)).toBe('400 invalid_parameter')
    })

    test('stocks can be filtered by pet, status and maximum quantity, smallest quantity first', async () => {
      const { client } = store()
      const [held] = idsWhere(pet => pet.status === 'pending')
      await client.setInventory({ petId: held ?? 0n, body: { quantity: 3n } })
      const list = async (input: Parameters<typeof client.listInventory>[0]) => {
        const found: [bigint, bigint, string][] = []
        for await (const item of everyItem(client.listInventory, { ...input, limit: 6 })) {
          found.push([item.petId, item.quantity, item.status])
        }
        return found
      }
      const low = await list({ quantityAtMost: 3n })
      expect(low).toHaveLength(58)
      expect(low).toEqual(low.toSorted((a, b) => Number(a[1] - b[1]) || Number(a[0] - b[0])))
      expect(
        (await list({ quantityAtMost: 0n })).every(
          ([, quantity, status]) => quantity === 0n && status === 'sold',
        ),
      ).toBe(true)
      expect((await list({ status: ['pending'], quantityAtMost: 5n })).at(-1)).toEqual([
        held ?? 0n,
        3n,
        'pending',
      ])
      expect(await list({ petId: [3n, 1n] })).toHaveLength(2)
      expect(await codeOf(client.listInventory({ quantityAtMost: 3n, sort: 'id' }))).toBe(
        '400 invalid_parameter',
      )
    })
  })

  test('a renamed pet or category is found by its new name, and not by its former name', async () => {
    await using own = await openTestStore(engine)
    const { client } = own
    const { petId, categoryId } = await makePet(client)
    await client.updatePet({ petId, body: { name: 'Renamed pet' } })
    await client.updateCategory({ categoryId, body: { name: 'Renamed category' } })
    const found = async (name: string) => [
      ...(await client.listPets({ name })).data.items.map(({ id }) => id),
      ...(await client.listCategories({ name })).data.items.map(({ id }) => id),
    ]
    expect(await found('renamed')).toEqual([petId, categoryId])
    expect(await found('any')).toEqual([])
  })

  test('a filter that names a value twice, or has a hundred values, lists each row once', async () => {
    await using own = await openTestStore(engine)
    const { client } = own
    const { data: category } = await client.createCategory({ body: { name: 'Many' } })
    for (let index = 1; index <= 100; index++) {
      await client.createPet({ body: { name: `Pet ${index}`, categoryId: category.id } })
    }
    const { data: all } = await client.listPets({ limit: 100 })
    const ids = all.items.map(({ id }) => id)
    expect(ids).toHaveLength(100)
    const listed = async (input: Parameters<typeof client.listPets>[0]) =>
      (await client.listPets({ limit: 100, ...input })).data.items.map(({ id }) => id)
    expect(await listed({ id: ids })).toEqual(ids)
    expect(await listed({ status: ['available', 'available'] })).toEqual(ids)
    expect(await listed({ categoryId: [category.id, category.id] })).toEqual(ids)
    const { data: stock } = await client.listInventory({ petId: ids, limit: 100 })
    expect(stock.items.map(({ petId }) => petId)).toEqual(ids)
  })

  test('the summary counts the pets, the orders and their reserved units', async () => {
    const { client } = store()
    const { data } = await client.getStoreSummary({})
    const { available, pending, sold } = data.pets
    expect(available + pending + sold).toBe(60n)
    expect([data.openOrders, data.unitsReserved, data.ordersByDay.length]).toEqual([6n, 6n, 30])
    expect(data.ordersByDay.at(-1)?.orders).toBe(8n)
  })
})
