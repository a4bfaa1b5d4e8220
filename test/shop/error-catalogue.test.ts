import { expect, test } from 'bun:test'
import { errorTable } from '../../src/contract/error.ts'
import { sharedStore } from '../support/shop.ts'
import { codeOf, onEveryEngine } from '../support/store.ts'

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test('the error catalogue lists every code, and each code can be read', async () => {
    const { data } = await store().anonymous.listErrors({})
    expect(data.items.map(({ code }) => code)).toEqual(Object.keys(errorTable))
    for (const item of data.items) {
      expect((await store().anonymous.getError({ code: item.code })).data).toEqual(item)
    }
    const entry = await store().anonymous.getError({ code: 'insufficient_stock' })
    expect(entry.data).toEqual({ ...errorTable.insufficient_stock, code: 'insufficient_stock', status: 409n })
    expect(await codeOf(store().anonymous.getError({ code: 'nonsense' }))).toBe('404 error_not_found')
  })
})
