import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { Operation } from '../../src/contract/operation.ts'
import { keyText } from '../../src/shop/keys/key-text.ts'
import { Scope } from '../../src/shop/keys/schema.ts'
import { systemCommand } from '../../src/shop/registry/commands.ts'
import { contract, operationIds } from '../../src/shop/registry/operations.ts'
import { makeClient } from '../support/client.ts'
import type { EngineName } from '../support/engines.ts'
import { sharedStore } from '../support/shop.ts'
import {
  ADMIN_KEY,
  codeOf,
  onEveryEngine,
  openTestStore,
  refusalOf,
  type TestStore,
} from '../support/store.ts'

/** Calls an operation without a body, for ids that do not exist. The tests check only for the statuses 401 and 403. */
async function probe(
  store: TestStore,
  operation: Operation,
  authorization: string | undefined,
): Promise<Response> {
  const path = operation.path.replaceAll(/\{\w+\}/g, '404404')
  return fetch(store.base + path, {
    method: operation.method,
    ...(authorization !== undefined && { headers: { Authorization: authorization } }),
  })
}

/** Calls each operation with each kind of key. Expects 401 and 403 exactly where the contract requires another key. */
async function expectKeyMatrix(engine: EngineName, asSandbox: boolean): Promise<void> {
  let now = Date.parse('2026-11-21T00:00:00Z')
  await using matrix = await openTestStore(engine, { clock: () => now, timer: () => now, asSandbox })
  const { client } = matrix
  const expiring = { name: 'expired', scopes: ['admin' as const], expiresAt: '2026-11-21T00:00:01Z' }
  const { key: expired } = (await client.createKey({ body: expiring })).data
  const keys = new Map<Scope, string>()
  for (const scope of Scope.options) {
    const { data } = await client.createKey({ body: { name: scope, scopes: [scope] } })
    keys.set(scope, data.key)
  }
  const revoked = await client.createKey({ body: { name: 'revoked', scopes: ['admin'] } })
  await client.revokeKey({ keyId: revoked.data.id })
  let probes = 0
  for (const id of operationIds) {
    const operation: Operation = contract[id]
    const isPublic = operation.scope === 'public'
    const anonymous = await probe(matrix, operation, undefined)
    expect(`${id} ${anonymous.status === 401}`).toBe(`${id} ${!isPublic}`)
    if (!isPublic) expect(anonymous.headers.get('www-authenticate')).toBe('Bearer realm="petstore"')
    // More than a minute later, a new window of failed authentications begins, and the key with an expiry has expired.
    now += 61_000
    for (const bad of [expired, revoked.data.key, 'nonsense']) {
      const reply = await probe(matrix, operation, `Bearer ${bad}`)
      expect(`${id} ${reply.status}`).toBe(`${id} 401`)
    }
    for (const [scope, key] of keys) {
      const reply = await probe(matrix, operation, `Bearer ${key}`)
      const includes = scope === 'admin' || (scope === 'keys:manage' && operation.scope === 'audit:read')
      const isForAll = isPublic || operation.scope === 'any-key'
      const isAllowed = isForAll || scope === operation.scope || includes
      expect(`${id} with ${scope}: ${reply.status === 403 ? 'forbidden' : 'allowed'}`).toBe(
        `${id} with ${scope}: ${isAllowed ? 'allowed' : 'forbidden'}`,
      )
      expect(reply.status).not.toBe(401)
      if (!isAllowed) {
        const challenge = `Bearer realm="petstore", error="insufficient_scope", scope="${operation.scope}"`
        expect(reply.headers.get('www-authenticate')).toBe(challenge)
      }
      probes++
    }
  }
  expect(probes).toBe(operationIds.length * Scope.options.length)
}

test('in a sandbox, each operation accepts exactly the kinds of keys that the contract specifies', () =>
  expectKeyMatrix('sqlite', true))

onEveryEngine(engine => {
  const store = sharedStore(engine)

  test('each operation accepts exactly the kinds of keys that the contract specifies', () =>
    expectKeyMatrix(engine, false))

  describe('keys', () => {
    test('a key is shown once, then listed without its secret, and only its hash is stored', async () => {
      const { client } = store()
      const created = await client.createKey({
        body: { name: 'till 1', scopes: ['orders:read', 'orders:read'] },
      })
      expect(created.data.key).toMatch(/^pst_[0-9A-Za-z]{49}$/)
      expect(created.data).toMatchObject({
        name: 'till 1',
        scopes: ['orders:read'],
        hint: created.data.key.slice(-4),
      })
      expect(created.headers.get('cache-control')).toBe('no-store')
      const listed = await store().send('GET', '/keys?limit=100')
      expect(await listed.text()).not.toContain(created.data.key)
      const [row = {}] = await store().database(`SELECT * FROM api_key WHERE id = ${created.data.id}`)
      expect(row.hash).toBe(createHash('sha256').update(created.data.key).digest('hex'))
      expect(Object.values(row).map(String)).not.toContainEqual(
        expect.stringContaining(created.data.key.slice('pst_'.length)),
      )
    })

    test('a key is refused from the first request after its revocation, and cannot be revoked again', async () => {
      const { client, base } = store()
      const { data } = await client.createKey({ body: { name: 'short', scopes: ['orders:read'] } })
      const clerk = makeClient({ base, key: data.key })
      expect((await clerk.listOrders({})).status).toBe(200)
      expect((await client.revokeKey({ keyId: data.id })).status).toBe(204)
      expect(await codeOf(clerk.listOrders({}))).toBe('401 invalid_token')
      expect(await codeOf(client.revokeKey({ keyId: data.id }))).toBe('404 key_not_found')
    })

    test('a key grants only scopes that it has itself', async () => {
      const manager = await store().clientWith('keys:manage', 'orders:read')
      const granted = await manager.createKey({ body: { name: 'x', scopes: ['orders:read'] } })
      expect(granted.status).toBe(201)
      expect(await codeOf(manager.createKey({ body: { name: 'x', scopes: ['orders:write'] } }))).toBe(
        '403 insufficient_scope',
      )
      expect(await codeOf(manager.createKey({ body: { name: 'x', scopes: ['admin'] } }))).toBe(
        '403 insufficient_scope',
      )
    })

    test('a key that expires cannot create a key that expires later', async () => {
      const { client, base } = store()
      const body = (expiresAt?: string | null) => ({
        name: 'x',
        scopes: ['keys:manage' as const],
        ...(expiresAt !== undefined && { expiresAt }),
      })
      const expiresAt = '2100-01-01T00:00:00Z'
      const { data } = await client.createKey({ body: body(expiresAt) })
      const expiring = makeClient({ base, key: data.key })
      for (const requested of ['2100-01-01T00:00:00.001Z', '9999-12-31T00:00:00Z']) {
        const refused = await refusalOf(expiring.createKey({ body: body(requested) }))
        expect([refused.status, refused.code]).toEqual([422, 'validation_failed'])
        expect(refused.errors).toMatchObject([{ pointer: '/expiresAt', code: 'out_of_range' }])
      }
      for (const requested of [undefined, null, expiresAt, '2099-01-01T00:00:00Z']) {
        const created = await expiring.createKey({ body: body(requested) })
        expect(Date.parse(created.data.expiresAt ?? '')).toBe(Date.parse(requested ?? expiresAt))
      }
      const lasting = await client.createKey({ body: body() })
      expect(lasting.data.expiresAt).toBeUndefined()
    })

    test('a list of keys has the revoked ones only if it is asked for them', async () => {
      const { client } = store()
      const { data } = await client.createKey({ body: { name: 'lost phone', scopes: ['orders:read'] } })
      await client.revokeKey({ keyId: data.id })
      const namesIn = async (include?: 'revoked') => {
        const { data: page } = await client.listKeys({ include, limit: 100 })
        return page.items.filter(({ name }) => name === 'lost phone').map(({ revokedAt }) => typeof revokedAt)
      }
      expect([await namesIn(), await namesIn('revoked')]).toEqual([[], ['string']])
    })

    test('a key reads its own record with any scope, and never its secret', async () => {
      const { client, base } = store()
      const [listed] = (await client.listKeys({ limit: 1 })).data.items
      expect([(await client.getCurrentKey({})).data]).toEqual(listed ? [listed] : [])
      expect(listed?.scopes).toEqual(['admin'])
      for (const scope of Scope.options) {
        const expiresAt = '2100-01-01T00:00:00Z'
        const { data } = await client.createKey({
          body: { name: `only ${scope}`, scopes: [scope], expiresAt },
        })
        const { key, ...shown } = data
        const reply = await store().send('GET', '/keys/current', {
          headers: { Authorization: `Bearer ${key}` },
        })
        expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
        expect(await reply.text()).not.toContain(key)
        expect((await makeClient({ base, key }).getCurrentKey({})).data).toEqual(shown)
        await client.revokeKey({ keyId: data.id })
        expect(await codeOf(makeClient({ base, key }).getCurrentKey({}))).toBe('401 invalid_token')
      }
      const anonymous = await fetch(`${base}/keys/current`)
      expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer realm="petstore"',
      ])
      expect(await anonymous.json()).toEqual({
        code: 'authentication_required',
        message: 'This operation requires a key, as Authorization: Bearer pst_...',
        status: 401,
      })
    })

    test('a key reads its own record only if the conditions of the request are met', async () => {
      const read = (headers: Record<string, string>) => store().send('GET', '/keys/current', { headers })
      const etag = (await read({})).headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[\w-]{22}"$/)
      const statuses = [
        { 'If-None-Match': etag },
        { 'If-None-Match': '"other"' },
        { 'If-Match': etag },
        { 'If-Match': '"other"' },
      ].map(async headers => (await read(headers)).status)
      expect(await Promise.all(statuses)).toEqual([304, 200, 200, 412])
      expect((await store().send('GET', '/keys/current?colour=red')).status).toBe(400)
    })

    test('the path /keys/current has its own methods, and does not change the methods of /keys/{keyId}', async () => {
      const { client } = store()
      const { data } = await client.createKey({ body: { name: 'x', scopes: ['orders:read'] } })
      const replies = await Promise.all(
        (
          [
            ['HEAD', '/keys/current'],
            ['HEAD', '/keys/%63urrent'],
            ['OPTIONS', '/keys/current'],
            ['DELETE', '/keys/current'],
            ['DELETE', '/keys/%63urrent'],
            ['PATCH', '/keys/current'],
            ['OPTIONS', `/keys/${data.id}`],
            ['DELETE', '/keys/currents'],
            ['GET', '/keys/Current'],
            ['GET', '/keys/current/'],
          ] as const
        ).map(async ([method, path]) => {
          const { status, headers } = await store().send(method, path)
          return [method, path, status, headers.get('allow')]
        }),
      )
      const allow = 'GET, HEAD, OPTIONS'
      expect(replies).toEqual([
        ['HEAD', '/keys/current', 200, null],
        ['HEAD', '/keys/%63urrent', 200, null],
        ['OPTIONS', '/keys/current', 204, allow],
        ['DELETE', '/keys/current', 405, allow],
        ['DELETE', '/keys/%63urrent', 405, allow],
        ['PATCH', '/keys/current', 405, allow],
        ['OPTIONS', `/keys/${data.id}`, 204, 'DELETE, OPTIONS'],
        ['DELETE', '/keys/currents', 400, null],
        ['GET', '/keys/Current', 405, 'DELETE, OPTIONS'],
        ['GET', '/keys/current/', 404, null],
      ])
      expect((await client.revokeKey({ keyId: data.id })).status).toBe(204)
    })

    test('a key is revoked only if its ETag matches If-Match', async () => {
      const { client } = store()
      const body = { name: 'x', scopes: ['orders:read' as const] }
      const { data: one } = await client.createKey({ body })
      const refused = await refusalOf(client.revokeKey({ keyId: one.id }, { ifMatch: '"other"' }))
      expect([refused.status, refused.code]).toEqual([412, 'precondition_failed'])
      const ifMatch = refused.headers.get('etag') ?? ''
      expect((await client.revokeKey({ keyId: one.id }, { ifMatch })).status).toBe(204)
      expect(await codeOf(client.revokeKey({ keyId: one.id }, { ifMatch: '*' }))).toBe('404 key_not_found')
      const { data: two } = await client.createKey({ body })
      expect((await client.revokeKey({ keyId: two.id }, { ifMatch: '*' })).status).toBe(204)
    })

    test('the last admin key without an expiry cannot be revoked, whatever other keys there are', async () => {
      await using own = await openTestStore(engine)
      const { client } = own
      const { data: last } = await client.getCurrentKey({})
      const expiring = { name: 'visitor', scopes: ['admin' as const], expiresAt: '2100-01-01T00:00:00Z' }
      const visitor = (await client.createKey({ body: expiring })).data
      await client.createKey({ body: { name: 'manager', scopes: ['keys:manage'] } })
      const visiting = makeClient({ base: own.base, key: visitor.key })
      for (const caller of [client, visiting]) {
        const refused = await refusalOf(caller.revokeKey({ keyId: last.id }))
        expect([refused.status, refused.code, refused.message]).toEqual([
          409,
          'last_admin_key',
          `Key ${last.id} is the last admin key without an expiry. ` +
            'Create another one first, or replace it with "petstore keys reset-admin --revoke-others".',
        ])
      }
      expect((await client.revokeKey({ keyId: visitor.id })).status).toBe(204)
      const next = (await client.createKey({ body: { name: 'next', scopes: ['admin'] } })).data
      expect((await client.revokeKey({ keyId: last.id })).status).toBe(204)
      const owner = makeClient({ base: own.base, key: next.key })
      expect(await codeOf(owner.revokeKey({ keyId: next.id }))).toBe('409 last_admin_key')
    })

    test('a key whose expiry is in the past cannot be created', async () => {
      const body = { name: 'x', scopes: ['orders:read' as const], expiresAt: '2020-01-01T00:00:00Z' }
      expect(await codeOf(store().client.createKey({ body }))).toBe('422 validation_failed')
    })

    test('a key cannot revoke a key that has a scope which it does not have itself', async () => {
      const manager = await store().clientWith('keys:manage', 'orders:read')
      const body = { name: 'x', scopes: ['orders:read' as const, 'orders:write' as const] }
      const { data } = await store().client.createKey({ body })
      expect(await codeOf(manager.revokeKey({ keyId: data.id }))).toBe('403 insufficient_scope')
      expect((await store().client.revokeKey({ keyId: data.id })).status).toBe(204)
    })
  })

  test('a key cannot be created that expires at the instant of its creation', async () => {
    const now = '2026-11-21T00:00:00Z'
    await using timed = await openTestStore(engine, { clock: () => Date.parse(now) })
    const body = { name: 'x', scopes: ['orders:read' as const], expiresAt: now }
    expect(await codeOf(timed.client.createKey({ body }))).toBe('422 validation_failed')
  })

  test('a key is refused from the instant of its expiry', async () => {
    let now = Date.parse('2026-11-21T00:00:00Z')
    await using timed = await openTestStore(engine, { clock: () => now })
    const body = { name: 'day', scopes: ['orders:read' as const], expiresAt: '2026-11-22T00:00:00Z' }
    const { data } = await timed.client.createKey({ body })
    const clerk = makeClient({ base: timed.base, key: data.key })
    now = Date.parse('2026-11-21T23:59:59.999Z')
    expect((await clerk.listOrders({})).status).toBe(200)
    now = Date.parse('2026-11-22T00:00:00Z')
    expect(await codeOf(clerk.listOrders({}))).toBe('401 invalid_token')
  })
})

test('the admin key of the environment is listed with its origin, its scope and its hint', async () => {
  await using store = await openTestStore('sqlite')
  const { data } = await store.client.listKeys({})
  expect(data.items).toMatchObject([
    { name: 'admin (environment)', scopes: ['admin'], hint: ADMIN_KEY.slice(-4) },
  ])
})

test('a new admin key of the environment does not revoke the key of the first start', async () => {
  await using store = await openTestStore('sqlite')
  const install = (token: string, madeBy: 'first start' | 'environment') => {
    const command = systemCommand('installAdminKey', { token, madeBy }, '2026-11-21T00:00:00.000Z', 'test')
    return store.engine.execute(command)
  }
  const [first, next] = [keyText(new Uint8Array(32).fill(1)), keyText(new Uint8Array(32).fill(2))]
  await install(first, 'first start')
  await store.clientWith('orders:read')
  await install(next, 'environment')
  const { data } = await makeClient({ base: store.base, key: next }).listKeys({})
  expect(data.items.map(({ name }) => name)).toEqual([
    'admin (first start)',
    'orders:read',
    'admin (environment)',
  ])
})
