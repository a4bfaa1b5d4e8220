import { expect, test } from 'bun:test'
import { ALWAYS_SENT } from '../../build/client-api.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { contract } from '../../src/shop/registry/operations.ts'
import { parseJson } from '../../src/values/json.ts'
import { makeClient } from '../support/client.ts'
import { useEveryOperation } from '../support/client-session.ts'
import { openDemo } from '../support/demo-store.ts'
import { ADMIN_KEY } from '../support/store.ts'

const operations: readonly Operation[] = Object.values(contract)

/** Returns the name of the schema of a response; undefined if the response has no named schema. */
function schemaOf(method: string, path: string): string | undefined {
  const found = operations.find(
    operation =>
      operation.method === method && RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  if (!found) return undefined
  const { success } = found
  if ('list' in success) return success.list.meta()?.id
  return 'resource' in success ? success.resource.meta()?.id : undefined
}

/** Returns the members that a response lacks, although the types of the client promise them. */
function missingMembers(schema: string, body: string): string[] {
  const value: unknown = parseJson(body)
  const resources: unknown[] = Array.isArray(value) ? value : [value]
  return resources.flatMap(resource =>
    (ALWAYS_SENT[schema] ?? []).filter(member => !Object.hasOwn(Object(resource), member)),
  )
}

test('every response has the members that the types of the client promise', async () => {
  await using store = await openDemo()
  const checked = new Map<string, number>()
  const missing: string[] = []
  const client = makeClient({
    base: store.base,
    key: ADMIN_KEY,
    fetch: async (url, init) => {
      const response = await fetch(url, init)
      const schema = schemaOf(init.method ?? 'GET', new URL(url).pathname)
      if (schema !== undefined && response.ok && ALWAYS_SENT[schema]) {
        checked.set(schema, (checked.get(schema) ?? 0) + 1)
        missing.push(...missingMembers(schema, await response.clone().text()))
      }
      return response
    },
  })
  await useEveryOperation(client)
  expect(missing).toEqual([])
  expect([...checked.keys()].sort()).toEqual(Object.keys(ALWAYS_SENT).sort())
  expect(checked.get('Order')).toBeGreaterThanOrEqual(4)
})

test('control: an order without its quantity is detected', () => {
  expect(missingMembers('Order', '[{"id":1,"petId":3,"complete":false}]')).toEqual(['quantity'])
})
