import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Operation } from '../../src/contract/operation.ts'
import type { Scope } from '../../src/shop/keys/schema.ts'
import { contract, operationIds } from '../../src/shop/registry/operations.ts'
import { type Called, connectAgent, eras } from '../support/agent.ts'
import { ROOT } from '../support/root.ts'
import { openSandboxHost } from '../support/sandbox-host.ts'
import { makePet, sharedStore, stockOf } from '../support/shop.ts'
import { ADMIN_KEY, onEveryEngine, openTestStore, type TestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

/** The most characters that all tools together may take of the context of a model. */
const TOOL_CHARS_MAX = 12 * 1024
const TOOLS_MAX = 16

const guide = readFileSync(join(ROOT, 'docs', 'agents.md'), 'utf8')

const publicTools = ['find_pets', 'find_categories', 'check_stock']

onEveryEngine(engine => {
  const store = sharedStore(engine)

  for (const era of eras) {
    test(`an agent finds a pet, sells it and sees what happened (revisions: ${era})`, async () => {
      const { petId } = await makePet(store().client, { quantity: 2n })
      await using agent = await connectAgent(store().base, { era })
      expect(agent.revision).toBe(era === 'auto' ? '2026-07-28' : '2025-11-25')
      const found = await agent.call('find_pets', { id: [String(petId)] })
      expect(found.content).toMatchObject({ items: [{ id: String(petId), quantity: 2, reserved: 0 }] })
      const sold = await agent.call('place_order', { petId: String(petId), complete: true, reference: 'R-1' })
      expect(sold.content).toMatchObject({ petId: String(petId), petName: 'Anybody', complete: true })
      expect(await stockOf(store().client, petId)).toBe('available 1/0')
      let content: Called['content'] = {}
      await until('the order is in the audit log', async () => {
        content = (await agent.call('what_happened', { petId: String(petId), limit: 2 })).content
        return itemsOf(content)[0]?.type === 'petstore.order.placed'
      })
      expect(itemsOf(content)[0]?.data).toMatchObject({ petName: 'Anybody', reference: 'R-1' })
      expect(content.next).toBeString()
      expect(Object.keys(itemsOf(content)[0] ?? {})).toEqual(['type', 'subject', 'at', 'keyId', 'data'])
    })
  }

  test('every tool of an agent runs its operation', async () => {
    await using agent = await connectAgent(store().base)
    await store().client.createCategory({ body: { name: 'Dogs' } })
    const { content: category } = await agent.call('find_categories', { limit: 1 })
    const [{ id: categoryId } = {}] = itemsOf(category)
    const pet = await agent.call('add_pet', { name: 'Juniper (Whippet)', categoryId })
    const petId = pet.content.id
    expect((await agent.call('change_pet', { petId, name: 'Juno', price: 1250 })).content).toMatchObject({
      name: 'Juno',
      price: 1250,
    })
    expect((await agent.call('count_stock', { petId, quantity: 5 })).content).toMatchObject({ quantity: 5 })
    const adjusted = await agent.call('adjust_stock', { petId, quantityChange: -2, note: 'Gone.' })
    expect(adjusted.content).toMatchObject({ quantity: 3, petName: 'Juno', note: 'Gone.' })
    expect((await agent.call('check_stock', { petId: [petId] })).content).toEqual({
      items: [{ petId, petName: 'Juno', quantity: 3, status: 'available', reserved: 0 }],
    })
    const { content: order } = await agent.call('place_order', { petId, quantity: 2, unitPrice: 1000 })
    expect(order).toMatchObject({ unitPrice: 1000 })
    const orderId = order.id
    expect((await agent.call('get_order', { orderId })).content).toEqual(order)
    expect((await agent.call('find_orders', { petId: [petId] })).content).toEqual({ items: [order] })
    const changed = await agent.call('change_order', { orderId, quantity: 1, complete: true })
    expect(changed.content).toMatchObject({ quantity: 1, complete: true })
    const { content: second } = await agent.call('place_order', { petId })
    const cancelled = await agent.call('cancel_order', { orderId: second.id })
    expect(cancelled.content).toEqual({ done: 'The order was cancelled.' })
    expect((await agent.call('how_is_business')).content).toMatchObject({ openOrders: expect.any(Number) })
  })

  test('a call with the idempotency key of an earlier call changes nothing again', async () => {
    const { petId } = await makePet(store().client, { quantity: 5n })
    await using agent = await connectAgent(store().base)
    const input = { petId: String(petId), idempotencyKey: `agent ${petId}` }
    const first = await agent.call('place_order', input)
    expect(await agent.call('place_order', input)).toEqual(first)
    expect(await stockOf(store().client, petId)).toBe('available 5/1')
    await agent.call('place_order', { petId: String(petId) })
    await agent.call('place_order', { petId: String(petId) })
    expect(await stockOf(store().client, petId)).toBe('available 5/3')
    for (const key of ['a "quoted" \\ key', 'twice'])
      for (const _ of 'ab') await agent.call('place_order', { ...input, idempotencyKey: `${key} ${petId}` })
    expect(await stockOf(store().client, petId)).toBe('pending 5/5')
    for (const key of ['', 'a\r\nX-Till: 7', 'é', '鍵'])
      expect((await agent.call('place_order', { ...input, idempotencyKey: key })).refusal).toStartWith(
        'idempotency_key_invalid: ',
      )
    const reused = await agent.call('place_order', { ...input, quantity: 2 })
    expect(reused.refusal).toStartWith('idempotency_key_reused: ')
  })

  test('an id is exact in both directions, as a text and as a number that a client does not round', async () => {
    const [even, odd] = [9007199254740992n, 9007199254740993n]
    await using own = await openTestStore(engine)
    const at = `'2026-11-21T09:30:00.000Z'`
    for (const id of [even, odd])
      await own.database(`INSERT INTO pet (id, name, name_key, category_id, on_hold, quantity, reserved, status,
        version, created_at, updated_at)
        VALUES (${id}, 'P${id}', 'p', 1, 0, 1, 0, 'available', 1, ${at}, ${at}) RETURNING id`)
    await using agent = await connectAgent(own.base)
    const { content } = await agent.call('find_pets', { id: [String(odd)] })
    expect(itemsOf(content).map(({ id, name }) => [id, name])).toEqual([[String(odd), `P${odd}`]])
    expect((await agent.call('place_order', { petId: String(odd) })).content.petName).toBe(`P${odd}`)
    const asNumber = await message(own, call('place_order', `{"petId":${odd}}`))
    expect(asNumber.text).toContain(`insufficient_stock: Pet ${odd} has`)
  })
})

const store = sharedStore('sqlite')

test('an agent sees the tools that its key allows, and a hidden tool is refused in words', async () => {
  const toolsOf = async (...scopes: Scope[]): Promise<string[]> => {
    await using agent = await connectAgent(store().base, { key: await newKey(...scopes) })
    return await agent.toolNames()
  }
  await using anonymous = await connectAgent(store().base, { key: undefined })
  expect(await anonymous.toolNames()).toEqual(publicTools)
  expect((await anonymous.call('place_order', { petId: '1' })).refusal).toStartWith(
    'authentication_required: ',
  )
  expect(await toolsOf('orders:read')).toEqual([
    ...['find_pets', 'find_categories', 'find_orders', 'get_order', 'check_takings', 'check_stock'],
    'how_is_business',
  ])
  expect(await toolsOf('pets:write')).toEqual([
    ...['find_pets', 'add_pet', 'change_pet', 'find_categories', 'check_stock'],
  ])
  await using reader = await connectAgent(store().base, { key: await newKey('orders:read') })
  expect((await reader.call('cancel_order', { orderId: '1' })).refusal).toMatch(
    /^insufficient_scope: .*orders:write/,
  )
})

test('all tools together are at most 16, and take at most 12 KB of the context of a model', async () => {
  await using agent = await connectAgent(store().base)
  const names = await agent.toolNames()
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeLessThanOrEqual(TOOLS_MAX)
  expect(names.every(name => /^[a-z]+(_[a-z]+)+$/.test(name))).toBe(true)
  expect(await agent.countToolChars()).toBeLessThanOrEqual(TOOL_CHARS_MAX)
})

test('clients know which tools only read, and which ones only add', async () => {
  const { text } = await message(store(), '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
  const tools: { name: string; title: string; annotations: object; inputSchema: object }[] =
    JSON.parse(text).result.tools
  const reads = tools.filter(({ annotations }) => 'readOnlyHint' in annotations).map(({ name }) => name)
  expect(reads.every(name => /^(find|get|check|how|what)_/.test(name))).toBe(true)
  expect(reads).toHaveLength(8)
  const adding = tools.filter(({ annotations }) => Reflect.get(annotations, 'destructiveHint') === false)
  expect(adding.map(({ name }) => name)).toEqual(['add_pet', 'place_order'])
  for (const { name, title, annotations, inputSchema } of tools) {
    expect([name, title.length > 5]).toEqual([name, true])
    expect(annotations).toHaveProperty('openWorldHint', false)
    expect(inputSchema).toHaveProperty('additionalProperties', false)
  }
})

test('a store that serves only stable operations gives agents no tool of another one', async () => {
  await using stable = await openTestStore('sqlite', { stability: 'stable' })
  await using agent = await connectAgent(stable.base)
  const names = await agent.toolNames()
  expect(names).toContain('count_stock')
  expect(names).not.toContain('adjust_stock')
  expect(names).not.toContain('how_is_business')
  await expect(agent.call('adjust_stock', { petId: '1', quantityChange: 1 })).rejects.toThrow(
    'There is no tool',
  )
})

test('a refusal of the shop is a result with its code, its sentence and each invalid field', async () => {
  const { petId } = await makePet(store().client)
  const id = String(petId)
  await using agent = await connectAgent(store().base)
  const refusal = async (tool: string, input: object) => (await agent.call(tool, { ...input })).refusal
  expect(await refusal('place_order', { petId: id, quantity: 2 })).toBe(
    `insufficient_stock: Pet ${id} has 1 of 1 unit for sale; 2 are requested.`,
  )
  expect(await refusal('place_order', { pet_id: id })).toBe(
    'validation_failed: petId is required; pet_id is not a member of this object (did you mean petId?).',
  )
  expect(await refusal('find_pets', { colour: 'red' })).toStartWith('unknown_parameter: ')
  for (const orderId of ['../pets', '1?x=1', 'one', undefined])
    expect(await refusal('get_order', { orderId })).toStartWith('invalid_parameter: orderId must be')
  // A model fills what it does not need with null.
  expect(await refusal('find_pets', { search: 'x', status: null, categoryId: null })).toBeUndefined()
  const many = await refusal('place_order', { quantity: 0, complete: 'yes', shipDate: 'soon', reference: '' })
  expect(many?.split('\n')).toHaveLength(3)
})

test('a call of a tool is one request of its operation, with the key and the request id of the message', async () => {
  await using own = await openTestStore('sqlite', { rateLimit: { requests: 8, seconds: 600 } })
  const { petId } = await makePet(own.client)
  const key = (await own.client.createKey({ body: { name: 'agent', scopes: ['orders:write'] } })).data.key
  const send = () => message(own, call('place_order', `{"petId":"${petId}"}`), { key, id: 'agent.42' })
  const first = await send()
  expect(first.headers.get('ratelimit')).toStartWith('"default";r=7;')
  const lines = own.logged.filter(({ fields }) => fields.requestId === 'agent.42')
  expect(lines.map(({ fields: { method, path, status, keyId } }) => [method, path, status, keyId])).toEqual([
    ['POST', '/store/orders', 201, '2'],
    // The read of the name of the pet.
    ['GET', '/pets', 200, undefined],
    ['POST', '/mcp', 200, '2'],
  ])
  const { data: audit } = await own.client.listAudit({ subject: 'orders/1' })
  expect(audit.items.map(({ requestId, keyId }) => [requestId, keyId])).toEqual([['agent.42', 2n]])
  for (let sent = 1; sent < 8; sent++) expect((await send()).status).toBe(200)
  const refused = await send()
  expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('"code":"rate_limited"')])
  const { key: another } = (await own.client.createKey({ body: { name: 'b', scopes: ['orders:write'] } }))
    .data
  expect((await message(own, call('find_pets', '{}'), { key: another })).status).toBe(200)
})

test('an argument that has no form in a request is refused in words, and changes nothing', async () => {
  const { petId } = await makePet(store().client, { quantity: 5n })
  const send = async (name: string, input: string) => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${input}}}`
    // An older client that does not say which types it accepts.
    const response = await store().send('POST', '/mcp', { body })
    const { result } = z.object({ result: z.looseObject({}) }).parse(await response.json())
    return JSON.stringify(result)
  }
  for (const [tool, input, refusal] of [
    ['place_order', `{"petId":"${petId}","quantity":1e400}`, 'quantity must be an integer'],
    ['adjust_stock', `{"petId":"${petId}","quantityChange":-1e999}`, 'quantityChange must be an integer'],
    ['find_pets', '{"name":{"x":1}}', 'name must be a text or a number'],
    ['find_orders', '{"petId":[]}', 'petId must have at least one value'],
    ['find_pets', '{"toString":5}', 'no query parameter'],
    ['adjust_stock', `{"petId":"${petId}","quantityChange":1,"constructor":1}`, 'constructor'],
    ['place_order', `{"petId":"${petId}","idempotencyKey":{"a":1}}`, 'idempotencyKey must be a text'],
  ] as const) {
    const result = await send(tool, input)
    expect(result).toContain('"isError":true')
    expect(result).toContain(refusal)
  }
  expect(await stockOf(store().client, petId)).toBe('available 5/0')
})

test('a message whose id would be rounded is refused, and every other id comes back as it was', async () => {
  const ping = async (id: string): Promise<string> =>
    (await store().send('POST', '/mcp', { body: `{"jsonrpc":"2.0","id":${id},"method":"ping"}` })).text()
  expect(await ping('9007199254740993')).toContain('2^53 - 1')
  for (const id of ['9007199254740991', '"9007199254740993"', '0'])
    expect(await ping(id)).toContain(`"id":${id}`)
})

test('what is no message of an agent gets the status that says so', async () => {
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
  const statusOf = async (...input: Parameters<typeof message>) => (await message(...input)).status
  expect(await statusOf(store(), list, { key: `${ADMIN_KEY.slice(0, -1)}x` })).toBe(401)
  expect(await statusOf(store(), list, { headers: { Origin: 'https://evil.example' } })).toBe(403)
  expect(await statusOf(store(), list, { headers: { Origin: new URL(store().base).origin } })).toBe(200)
  expect(await statusOf(store(), list, { headers: { 'Content-Type': 'text/plain' } })).toBe(415)
  expect(await statusOf(store(), `{"a":"${'x'.repeat(1024 * 1024)}"}`)).toBe(413)
  const batch = await message(store(), `[${list}]`)
  expect([batch.status, batch.text]).toEqual([400, expect.stringContaining('"code":-32600')])
  const broken = await message(store(), '{"jsonrpc":')
  expect([broken.status, broken.text]).toEqual([400, expect.stringContaining('"code":-32700')])
  for (const method of ['GET', 'DELETE', 'HEAD']) {
    const { status, headers } = await store().send(method, '/mcp')
    expect([method, status, headers.get('allow')]).toEqual([method, 405, 'OPTIONS, POST'])
  }
  const listening = await message(
    store(),
    '{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"_meta":{"io.modelcontextprotocol/' +
      'protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"notifications":{}}}',
    { headers: { 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' } },
  )
  expect(listening.text).toContain('"error"')
})

test('a page of an allowed origin may send messages', async () => {
  await using open = await openTestStore('sqlite', { corsOrigins: ['https://till.example'] })
  const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
  const allowed = await message(open, list, { headers: { Origin: 'https://till.example' } })
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
    200,
    'https://till.example',
  ])
  expect((await message(open, list, { headers: { Origin: 'https://evil.example' } })).status).toBe(403)
})

test('a store without tools for agents has no /mcp', async () => {
  await using own = await openTestStore('sqlite', { mcp: false })
  const { status, text } = await message(own, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
  expect([status, text]).toEqual([404, expect.stringContaining('"code":"route_not_found"')])
})

test('in a sandbox, a fault rule meets the operation of a tool, and an agent can repeat a lost call', async () => {
  await using host = await openSandboxHost()
  const sandbox = await host.create({ seed: 'demo' })
  const { baseUrl, adminKey } = sandbox.created
  await using agent = await connectAgent(baseUrl, { key: adminKey })
  await sandbox.callHost('PUT', '/faults', {
    rules: [
      { name: 'second', when: { call: 2 }, effect: { type: 'error', code: 'storage_full' } },
      { name: 'lost', operation: 'placeOrder', when: { call: 3 }, effect: { type: 'drop_after_commit' } },
      {
        name: 'broken',
        operation: 'placeOrder',
        when: { call: 5 },
        effect: { type: 'error', code: 'internal_error' },
      },
    ],
  })
  const order = () => agent.call('place_order', { petId: '3' })
  // The message itself and the read of names do not count: the second call of an operation fails.
  expect((await order()).content.petName).toBe('Biscuit (Beagle)')
  expect((await order()).refusal).toStartWith('storage_full: ')
  await sandbox.call('PUT', '/store/inventory/3', { body: { quantity: 9 } })
  const lost = await order()
  expect(lost.refusal).toContain('it is unknown whether the change was made')
  const [, idempotencyKey] = /idempotencyKey "([^"]+)"/.exec(lost.refusal ?? '') ?? []
  const repeated: Called = await agent.call('place_order', { petId: '3', idempotencyKey })
  expect(repeated.content).toMatchObject({ id: '2', petId: '3' })
  expect((await order()).refusal).toMatch(/unknown whether the change was made.*idempotencyKey "/)
  expect((await agent.call('check_stock', { petId: ['3'] })).content).toMatchObject({
    items: [{ reserved: 2 }],
  })
})

test('the guide lists every tool with its sentence and the scope that it needs', () => {
  const rows = operationIds
    .map((id): Operation => contract[id])
    .flatMap(({ agent, scope }) =>
      agent
        ? [`| \`${agent.name}\` | ${agent.about} | ${scope === 'public' ? 'no key' : `\`${scope}\``} |`]
        : [],
    )
  expect([...guide.matchAll(/^\| `.*\|$/gm)].map(([row]) => row)).toEqual(rows)
})

test('the program of the guide sells a pet through the official client', async () => {
  const { petId } = await makePet(store().client)
  await store().client.updatePet({ petId, body: { name: 'Bramble (Border Terrier)' } })
  const [, program = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? []
  const child = Bun.spawn([process.execPath, '-e', program], {
    // The packages of the tests are in this folder.
    cwd: join(ROOT, 'test'),
    env: { ...process.env, PETSTORE_URL: store().base, PETSTORE_KEY: ADMIN_KEY },
    stdout: 'pipe',
  })
  expect(await new Response(child.stdout).text()).toBe('Bramble (Border Terrier)\n')
  expect(await stockOf(store().client, petId)).toBe('sold 0/0')
})

test('a call of a tool counts once towards the limit of a sandbox', async () => {
  await using host = await openSandboxHost({ limits: { requestsPerMinute: 8 } })
  const { call: send } = await host.create({ seed: 'demo' })
  const body = JSON.parse(call('find_pets', '{}'))
  const headers = { Accept: 'application/json, text/event-stream' }
  const statuses: number[] = []
  for (let sent = 0; sent < 9; sent++) statuses.push((await send('POST', '/mcp', { body, headers })).status)
  expect(statuses).toEqual([...Array(8).fill(200), 429])
})

async function newKey(...scopes: Scope[]): Promise<string> {
  return (await store().client.createKey({ body: { name: 'agent', scopes } })).data.key
}

function itemsOf({ items }: Called['content']): Record<string, unknown>[] {
  return Array.isArray(items) ? items : []
}

function call(name: string, input: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${input}}}`
}

/** Sends a message as it is, with the admin key by default. */
async function message(
  { send }: TestStore,
  body: string,
  { key = ADMIN_KEY, id, headers }: { key?: string; id?: string; headers?: Record<string, string> } = {},
) {
  const response = await send('POST', '/mcp', {
    body,
    headers: {
      Authorization: `Bearer ${key}`,
      Accept: 'application/json, text/event-stream',
      ...(id !== undefined && { 'X-Request-Id': id }),
      ...headers,
    },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
