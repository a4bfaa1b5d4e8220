import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FAILED_AUTHENTICATIONS } from '../../src/http/pipeline/auth.ts'
import { keyHash, newCode } from '../../src/shop/keys/key-text.ts'
import { countOf, systemCommand } from '../../src/shop/registry/commands.ts'
import { storedInstant } from '../../src/values/instant.ts'
import { codeOf, onEveryEngine, openTestStore, refusalOf, type TestStore } from '../support/store.ts'

const MINUTE_MS = 60_000

/** Creates a key, and returns it with a code for it. */
async function handedOver({ client }: TestStore): Promise<{ id: bigint; key: string; code: string }> {
  const { id, key } = (await client.createKey({ body: { name: 'phone', scopes: ['orders:write'] } })).data
  const { data } = await client.handOverKey({ body: { key } })
  return { id, key, code: data.code }
}

/** Returns all that the store has on its disk, and the rows of its codes. */
async function storedText(store: TestStore): Promise<string> {
  const rows = await store.database('SELECT * FROM handover')
  const { directory } = store.place
  const files = readdirSync(directory, { withFileTypes: true }).filter(entry => entry.isFile())
  const texts = files.map(({ name }) => readFileSync(join(directory, name), 'latin1'))
  return [...rows.map(row => Object.values(row).join(' ')), ...texts].join('\n')
}

onEveryEngine(engine => {
  test('of many claims of a code at the same moment, in two processes on PostgreSQL, one gets the key', async () => {
    await using first = await openTestStore(engine)
    const { databaseUrl } = first.place
    await using second = databaseUrl === undefined ? undefined : await openTestStore(engine, { databaseUrl })
    for (let round = 0; round < 5; round++) {
      const { key, code } = await handedOver(first)
      const clients = [first.anonymous, (second ?? first).anonymous]
      const claims = Array.from({ length: 8 }, (_, index) => clients[index % 2]?.claimKey({ body: { code } }))
      const results = await Promise.allSettled(claims)
      const got = results.flatMap(result => (result.status === 'fulfilled' ? [result.value?.data.key] : []))
      expect(got).toEqual([key])
    }
  })

  test('a code ends with its use or after ten minutes, and the refusal is that of an unknown one', async () => {
    let now = Date.parse('2026-11-21T00:00:00Z')
    await using store = await openTestStore(engine, { clock: () => now })
    const { anonymous } = store
    const [used, late, expired] = [await handedOver(store), await handedOver(store), await handedOver(store)]
    const claimed = await anonymous.claimKey({ body: { code: used.code } })
    expect([claimed.data.key, claimed.headers.get('cache-control')]).toEqual([used.key, 'no-store'])
    now += 10 * MINUTE_MS - 1
    expect((await anonymous.claimKey({ body: { code: late.code } })).data.key).toBe(late.key)
    now += 1
    const refusals = []
    for (const code of [used.code, expired.code, newCode()]) {
      const { status, code: reason, message } = await refusalOf(anonymous.claimKey({ body: { code } }))
      refusals.push({ status, reason, message })
    }
    expect(refusals[0]).toMatchObject({ status: 404, reason: 'key_not_found' })
    expect(new Set(refusals.map(refusal => JSON.stringify(refusal))).size).toBe(1)
    const sweep = async () =>
      countOf(await store.engine.execute(systemCommand('sweepHandovers', {}, storedInstant(now), 'test')))
    expect([await sweep(), await sweep()]).toEqual([1, 0])
  })

  test('another code for the same key ends the first one, and a code for another key does not', async () => {
    await using store = await openTestStore(engine)
    const { client, anonymous } = store
    const first = await handedOver(store)
    const other = await handedOver(store)
    const { data: second } = await client.handOverKey({ body: { key: first.key } })
    expect(await codeOf(anonymous.claimKey({ body: { code: first.code } }))).toBe('404 key_not_found')
    expect((await anonymous.claimKey({ body: { code: second.code } })).data.key).toBe(first.key)
    expect((await anonymous.claimKey({ body: { code: other.code } })).data.key).toBe(other.key)
  })

  test('neither the database nor the log ever contains the key or the code that hands it over', async () => {
    await using store = await openTestStore(engine)
    const { key, code } = await handedOver(store)
    const texts = [await storedText(store)]
    // The pending row is found by the hash of the code, so the search below looks at the right place.
    expect(texts[0]).toContain(keyHash(code))
    await store.anonymous.claimKey({ body: { code } })
    texts.push(await storedText(store), JSON.stringify(store.logged))
    for (const text of texts)
      for (const secret of [key, code, code.slice('psc_'.length)]) expect(text).not.toContain(secret)
    expect(await store.database('SELECT * FROM handover')).toEqual([])
  })

  test('a code of a key that was revoked or has expired since is refused', async () => {
    let now = Date.parse('2026-11-21T00:00:00Z')
    await using store = await openTestStore(engine, { clock: () => now })
    const { id, key, code } = await handedOver(store)
    await store.client.revokeKey({ keyId: id })
    expect(await codeOf(store.anonymous.claimKey({ body: { code } }))).toBe('404 key_not_found')
    expect(await codeOf(store.client.handOverKey({ body: { key } }))).toBe('404 key_not_found')
    const expiresAt = '2026-11-21T00:05:00Z'
    const short = await store.client.createKey({
      body: { name: 'short', scopes: ['orders:read'], expiresAt },
    })
    const { data } = await store.client.handOverKey({ body: { key: short.data.key } })
    now += 5 * MINUTE_MS
    expect(await codeOf(store.anonymous.claimKey({ body: { code: data.code } }))).toBe('404 key_not_found')
  })

  test('wrong codes are counted with the wrong keys of an address, and a right code is not', async () => {
    const now = performance.now()
    await using store = await openTestStore(engine, { timer: () => now })
    const claim = (code: string) => store.anonymous.claimKey({ body: { code } })
    const tried: string[] = []
    for (let count = 0; count < FAILED_AUTHENTICATIONS.requests; count++)
      tried.push(await codeOf(claim(newCode())))
    expect(new Set(tried)).toEqual(new Set(['404 key_not_found']))
    expect(await codeOf(claim(newCode()))).toBe('429 rate_limited')
    const wrongKey = await store.send('GET', '/keys/current', {
      headers: { Authorization: 'Bearer nonsense' },
    })
    expect(wrongKey.status).toBe(429)
    const { key, code } = await handedOver(store)
    expect((await claim(code)).data.key).toBe(key)
  })
})
