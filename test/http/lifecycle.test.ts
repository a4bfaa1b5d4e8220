import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import type { Operation } from '../../src/contract/operation.ts'
import { contract, operationIds } from '../../src/shop/registry/operations.ts'
import { makePet } from '../support/shop.ts'
import { codeOf, openTestStore } from '../support/store.ts'

const Description = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })

/** The first instant after the sunset of getPet, in milliseconds since 1970. */
const RETIRED_FROM_MS = Date.parse('2028-01-01T00:00:00Z')

test('every response of getPet has the headers of its deprecation, its sunset and its replacement', async () => {
  await using store = await openTestStore('sqlite')
  const { petId } = await makePet(store.client)
  const etag = (await store.send('GET', `/pets/${petId}`)).headers.get('etag') ?? ''
  const responses = [
    { id: petId, status: 200, reply: await store.send('GET', `/pets/${petId}`) },
    {
      id: petId,
      status: 304,
      reply: await store.send('GET', `/pets/${petId}`, { headers: { 'If-None-Match': etag } }),
    },
    { id: 404n, status: 404, reply: await store.send('GET', '/pets/404') },
    { id: petId, status: 200, reply: await store.send('HEAD', `/pets/${petId}`) },
    {
      id: petId,
      status: 401,
      reply: await store.send('GET', `/pets/${petId}`, { headers: { Authorization: 'Bearer x' } }),
    },
    { id: petId, status: 414, reply: await store.send('GET', `/pets/${petId}?${'x'.repeat(8200)}`) },
    {
      id: petId,
      status: 406,
      reply: await store.send('GET', `/pets/${petId}`, { headers: { Accept: 'text/html' } }),
    },
    { id: 404n, status: 404, reply: await store.send('HEAD', '/pets/404') },
  ]
  for (const { id, status, reply } of responses) {
    expect(reply.status).toBe(status)
    expect(reply.headers.get('deprecation')).toBe('@1795132800')
    expect(reply.headers.get('sunset')).toBe('Fri, 31 Dec 2027 23:59:59 GMT')
    const link = reply.headers.get('link') ?? ''
    expect(link).toContain(`<${store.base}/pets?id=${id}>; rel="successor-version"`)
    expect(link).toMatch(/<[^>]+\/docs#[^>]+>; rel="deprecation"; type="text\/html"/)
    expect(link).toMatch(/<[^>]+>; rel="sunset"; type="text\/html"/)
  }
})

test('the replacement of getPet returns the same pet; PATCH and DELETE on a pet are not deprecated', async () => {
  await using store = await openTestStore('sqlite')
  const { petId } = await makePet(store.client)
  const old = await store.send('GET', `/pets/${petId}`)
  const successor = /<([^>]+)>; rel="successor-version"/.exec(old.headers.get('link') ?? '')?.[1] ?? ''
  const list = await fetch(successor)
  expect(await list.text()).toBe(`[${await old.text()}]`)
  expect(list.headers.get('etag')).toBe(old.headers.get('etag'))
  const patched = await store.send('PATCH', `/pets/${petId}`, { body: '{"name":"Other"}' })
  const others = [list, patched, await store.send('DELETE', `/pets/${petId}`)]
  for (const reply of others) {
    expect([reply.ok, reply.headers.get('deprecation'), reply.headers.get('sunset')]).toEqual([
      true,
      null,
      null,
    ])
  }
})

test('the lifecycle clock decides when an operation gets 410, but a changed pet gets the real time', async () => {
  let clock = RETIRED_FROM_MS - 1
  await using store = await openTestStore('sqlite', { lifecycleClock: () => clock })
  const { petId } = await makePet(store.client)
  expect((await store.send('GET', `/pets/${petId}`)).status).toBe(200)
  clock = RETIRED_FROM_MS
  const bodies = new Set<string>()
  for (const path of [`/pets/${petId}`, '/pets/404', '/pets/-1']) {
    const reply = await store.send('GET', path)
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([410, 'no-store'])
    expect(reply.headers.get('sunset')).toBe('Fri, 31 Dec 2027 23:59:59 GMT')
    bodies.add(await reply.text())
  }
  expect(bodies.size).toBe(1)
  expect([...bodies][0]).toContain('"operation_sunset"')
  expect((await store.client.listPets({ id: [petId] })).data.items).toHaveLength(1)
  expect((await store.client.updatePet({ petId, body: { name: 'Still here' } })).status).toBe(200)
  const [row] = await store.database(`SELECT updated_at FROM pet WHERE id = ${petId}`)
  expect(String(row?.updated_at)).toStartWith(new Date().toISOString().slice(0, 10))
})

test('only beta and experimental operations report their stability; experimental ones require a header', async () => {
  await using store = await openTestStore('sqlite')
  const { petId } = await makePet(store.client)
  const beta = await store.client.listMovements({ petId })
  expect(beta.headers.get('petstore-stability')).toBe('beta')
  const bare = await store.send('GET', '/store/summary')
  expect([bare.status, bare.headers.get('petstore-stability')]).toEqual([400, 'experimental'])
  expect(await bare.text()).toContain('"preview_required"')
  const wrong = await store.send('GET', '/store/summary', { headers: { 'Petstore-Preview': 'other' } })
  expect(wrong.status).toBe(400)
  const named = await store.send('GET', '/store/summary', {
    headers: { 'Petstore-Preview': 'other, store-summary' },
  })
  expect([named.status, named.headers.get('petstore-stability')]).toEqual([200, 'experimental'])
  for (const path of ['/categories', `/pets/${petId}`]) {
    const stable = await store.send('GET', path)
    expect([path, stable.status, stable.headers.get('petstore-stability')]).toEqual([path, 200, null])
  }
})

describe('the stability gate', () => {
  const gates = [
    { stability: 'stable', movements: 404, summary: 404, hidden: ['beta', 'experimental'] },
    { stability: 'beta', movements: 200, summary: 404, hidden: ['experimental'] },
    { stability: 'experimental', movements: 200, summary: 200, hidden: [] },
  ] as const
  for (const { stability, movements, summary, hidden } of gates) {
    test(`the gate "${stability}" serves and describes exactly the operations of at least that stability`, async () => {
      await using store = await openTestStore('sqlite', { stability })
      const { petId } = await makePet(store.client)
      const preview = { headers: { 'Petstore-Preview': 'store-summary' } }
      expect((await store.send('GET', `/store/inventory/${petId}/movements`)).status).toBe(movements)
      expect((await store.send('GET', '/store/summary', preview)).status).toBe(summary)
      const described = Description.parse(await (await store.send('GET', '/openapi.json')).json())
      const ids = Object.values(described.paths).flatMap(path =>
        Object.values(path).map(operation => String(Object(operation).operationId)),
      )
      const expected = operationIds.filter(id => {
        const operation: Operation = contract[id]
        return !operation.hidden && !hidden.some(stage => stage === operation.stability)
      })
      expect(ids.toSorted()).toEqual(expected.toSorted())
    })
  }

  test('the stability gate treats an operation below it as an unknown route, not as a forbidden one', async () => {
    await using store = await openTestStore('sqlite', { stability: 'stable' })
    const { petId } = await makePet(store.client)
    expect(await codeOf(store.client.listMovements({ petId }))).toBe('404 route_not_found')
  })
})
