import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { newKey } from '../../src/shop/keys/key-text.ts'
import { agentOver, eras } from '../support/agent.ts'
import { runWithInput } from '../support/command-line.ts'
import { childEnvironment, command, startProcess } from '../support/process.ts'
import { makePet, sharedStore, stockOf } from '../support/shop.ts'
import { ADMIN_KEY } from '../support/store.ts'

const store = sharedStore('sqlite')

const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

/** Returns the official client over the standard input and output of `petstore mcp`. */
function agentOf(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  era: (typeof eras)[number] = 'auto',
) {
  const [program = '', ...rest] = command(['mcp', ...args]).line
  const environment = Object.entries(childEnvironment(env)).filter(([, value]) => value !== undefined)
  const transport = new StdioClientTransport({
    command: program,
    args: rest,
    env: Object.fromEntries(environment),
    stderr: 'ignore',
  })
  return agentOver(transport, era)
}

for (const era of eras)
  test(`an agent sells a pet through standard input and output (revisions: ${era})`, async () => {
    const { petId } = await makePet(store().client, { quantity: 2n })
    await using agent = await agentOf([], { PETSTORE_URL: store().base, PETSTORE_KEY: ADMIN_KEY }, era)
    expect(agent.revision).toBe(era === 'auto' ? '2026-07-28' : '2025-11-25')
    expect(await agent.toolNames()).toContain('place_order')
    const { content } = await agent.call('place_order', { petId: String(petId), complete: true })
    expect(content).toMatchObject({ petId: String(petId), petName: 'Anybody', complete: true })
    expect(await stockOf(store().client, petId)).toBe('available 1/0')
  })

test('the program of an agent survives while its store is down, and finds the store at its next address', async () => {
  const data = mkdtempSync(join(tmpdir(), 'petstore-mcp-'))
  const start = () => startProcess(['serve', '--port', '0', '--data', data])
  const first = await start()
  await using agent = await agentOf(['--data', data], {})
  expect((await agent.call('find_pets', { name: 'bis' })).content.items).toHaveLength(1)
  await first[Symbol.asyncDispose]()
  await expect(agent.call('find_pets')).rejects.toThrow(`No store runs in ${data}.`)
  await using _second = await start()
  expect((await agent.call('find_pets', { name: 'bis' })).content.items).toHaveLength(1)
  rmSync(data, { recursive: true, force: true })
})

test('only a line feed ends a line, and a message that cannot be sent says why', async () => {
  const call = (id: unknown, name: string, meta = ''): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call",` +
    `"params":{${meta}"name":"${name}","arguments":{"name":"a\u2028b"}}}`
  const newest = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},'
  const lines = [
    call(1, 'find_pets'),
    call(2, '日本', newest),
    call('9007199254740993', 'find_pets'),
    call(4, 'x'.repeat(20_000), newest),
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}',
  ]
  const { output } = await runWithInput(store().base, ['mcp'], lines.join('\r\n'))
  const answers = output
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .toSorted((a, b) => Number(a.id) - Number(b.id))
  expect(answers).toMatchObject([
    { id: null, error: { message: expect.stringContaining('at most 2^53 - 1') } },
    { id: 1, result: { structuredContent: { items: [] } } },
    { id: 2, error: { message: expect.stringContaining('was not sent: the name of a tool') } },
    { id: 4, error: { message: expect.stringContaining('too long for the store') } },
    { id: 7, error: { code: -32600, message: expect.stringContaining('is not one message') } },
  ])
})

test('each line gets one line, whatever it contains, and the end of the input ends the program', async () => {
  const lines = [LIST, 'junk', '', '[1]', '{"jsonrpc":"2.0","method":"notifications/initialized"}']
  const { exitCode, output, errors } = await runWithInput(store().base, ['mcp'], lines.join('\n'))
  expect(exitCode).toBe(0)
  const replies = output
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(replies).toHaveLength(3)
  expect(replies).toContainEqual(expect.objectContaining({ id: 1, result: expect.anything() }))
  const codes = replies.flatMap(({ error }) => (error === undefined ? [] : [error.code]))
  expect(codes).toEqual([-32700, -32600])
  expect(errors.trimEnd().split('\n')).toHaveLength(2)
})

test('a refusal of the store is a sentence for the agent and for the terminal', async () => {
  const refused = async (base: string, args: string[], line = LIST) => {
    const { output, errors } = await runWithInput(base, ['mcp', ...args], line)
    const { id, error } = JSON.parse(output)
    expect(errors).toContain(error.message.split('\n')[0])
    return [id, error.message]
  }
  expect(await refused(store().base, ['--key', `${ADMIN_KEY.slice(0, -1)}x`])).toEqual([
    1,
    '--key must be a complete key, which starts with pst_, or @ and the name of a file with a key.',
  ])
  expect(await refused(store().base, ['--key', newKey()])).toEqual([
    1,
    expect.stringMatching(/^401 invalid_token: .*\nThe key came from --key\.\nRequest id: /),
  ])
  expect(await refused('http://127.0.0.1:1', [])).toEqual([
    1,
    expect.stringContaining('No store responds at http://127.0.0.1:1: the connection was refused.'),
  ])
  const data = mkdtempSync(join(tmpdir(), 'petstore-mcp-'))
  await using off = await startProcess(['serve', '--port', '0'], {
    PETSTORE_MCP: 'off',
    PETSTORE_DATA: data,
  })
  expect(await refused(off.base, [])).toEqual([
    1,
    `The store at ${off.base} has no tools for agents (PETSTORE_MCP=off).`,
  ])
  rmSync(data, { recursive: true, force: true })
  using moved = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.redirect(`${store().base}/mcp`, 307),
  })
  expect(await refused(`http://127.0.0.1:${moved.port}`, [])).toEqual([
    1,
    expect.stringContaining('The server responded with HTTP status 307.'),
  ])
  using other = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('<html>', { status: 200 }),
  })
  expect(await refused(`http://127.0.0.1:${other.port}`, [])).toEqual([
    1,
    expect.stringContaining('The server responded with HTTP status 200.'),
  ])
})
