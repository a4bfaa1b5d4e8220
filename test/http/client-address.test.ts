import { expect, test } from 'bun:test'
import { bindPort } from '../../src/serving/server.ts'
import { makePet } from '../support/shop.ts'
import { openTestStore } from '../support/store.ts'

test('a store on 127.0.0.1 looks up the peer of a request only with trusted proxies, and for the metrics', async () => {
  const counts = async (trustedProxies: readonly string[]): Promise<number[]> => {
    const listener = bindPort({ host: '127.0.0.1', port: 0 })
    const requestIP = listener.requestIP.bind(listener)
    let lookups = 0
    listener.requestIP = request => {
      lookups++
      return requestIP(request)
    }
    await using store = await openTestStore('sqlite', { listener, trustedProxies })
    await makePet(store.client)
    const lookupsOf = async (path: string): Promise<number> => {
      lookups = 0
      for (let read = 0; read < 3; read++) expect((await fetch(store.base + path)).status).toBe(200)
      return lookups
    }
    return [await lookupsOf('/pets/1'), await lookupsOf('/metrics')]
  }
  expect(await counts([])).toEqual([0, 3])
  expect(await counts(['192.0.2.1'])).toEqual([3, 6])
})
