import { expect, test } from 'bun:test'
import { makePet, sharedStore } from '../support/shop.ts'
import { codeOf, onEveryEngine } from '../support/store.ts'

onEveryEngine(engine => {
  const store = sharedStore(engine)

  async function placeAll(references: readonly (string | undefined)[]): Promise<bigint> {
    const { petId } = await makePet(store().client, { quantity: BigInt(references.length) })
    for (const [index, reference] of references.entries()) {
      const body = { petId, complete: index % 2 === 1, ...(reference !== undefined && { reference }) }
      await store().client.placeOrder({ body })
    }
    return petId
  }

  const found = async (search: string, complete?: boolean) => {
    const { data } = await store().client.listOrders({ search, complete })
    return data.items.map(({ reference }) => reference)
  }

  test('an order is found by the start of any word of its reference, without case and accents', async () => {
    await placeAll(['Frau Öllinger, holt Freitag', 'R-2026-0042', undefined, "Mr O'Brien"])
    for (const text of ['öllinger', 'OELLINGER', 'olling', 'freitag FRAU', 'o\u0308llinger'])
      expect([text, await found(text)]).toEqual([text, ['Frau Öllinger, holt Freitag']])
    expect(await found('r-2026')).toEqual(['R-2026-0042'])
    expect(await found('0042')).toEqual(['R-2026-0042'])
    expect(await found("o'brien")).toEqual(["Mr O'Brien"])
    expect(await found('', true)).toEqual(['R-2026-0042', "Mr O'Brien"])
    for (const text of ['linger', 'frau freitagabend', '-', '42']) expect(await found(text)).toEqual([])
    expect([await found('mr', true), await found('mr', false)]).toEqual([["Mr O'Brien"], []])
  })

  test('newest orders come first, and the pages have each order once, whatever is placed between', async () => {
    await placeAll(['Paged 1', 'Paged 2', 'Other', 'paged 3', 'Paged 4'])
    const references: unknown[] = []
    for (let cursor: string | undefined; ; ) {
      const { data } = await store().client.listOrders({ search: 'PAGED', limit: 1, cursor })
      references.push(...data.items.map(({ reference }) => reference))
      if (data.next === undefined) break
      cursor = data.next
      await placeAll(['Paged later'])
    }
    expect(references).toEqual(['Paged 4', 'paged 3', 'Paged 2', 'Paged 1'])
  })

  test('a page looks at 2,000 orders, so it can be empty although an older order is on the next one', async () => {
    const petId = await placeAll(['Ancient order'])
    await store().database(
      `INSERT INTO orders (id, pet_id, quantity, complete, version, created_at, updated_at, receipt)
       ${engine === 'sqlite' ? 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)' : ''}
       SELECT 1000000 + i, ${petId}, 1, 1, 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 1000000 + i
       FROM ${engine === 'sqlite' ? 'n' : 'generate_series(1, 3000) AS i'} RETURNING 1`,
    )
    const { data: first } = await store().client.listOrders({ search: 'ancient' })
    expect([first.items, typeof first.next]).toEqual([[], 'string'])
    const { data: second } = await store().client.listOrders({ search: 'ancient', cursor: first.next })
    expect(second.items.map(({ reference }) => reference)).toEqual(['Ancient order'])
    expect(await found('ancient', false)).toEqual(['Ancient order'])
    const other = store().client.listOrders({ search: 'other', cursor: first.next })
    expect(await codeOf(other)).toBe('400 invalid_cursor')
  })
})
