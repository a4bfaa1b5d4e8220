import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deadPort, openReceiver, type Received } from '../support/receiver.ts'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY, openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

/** Starts a program of examples/. It runs until the result is disposed. `printed` returns its output so far. */
function runExample(name: string, env: Readonly<Record<string, string>>, runtime = process.execPath) {
  const child = Bun.spawn([runtime, join(ROOT, 'examples', name)], {
    env: { ...process.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let printed = ''
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) printed += decoder.decode(chunk, { stream: true })
  })()
  return {
    printed: () => printed,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await Promise.all([child.exited, reading])
    },
  }
}

test('examples/follow-events.ts prints the events of a store, old and new', async () => {
  await using store = await openTestStore('sqlite')
  await store.client.createCategory({ body: { name: 'Before' } })
  await using example = runExample('follow-events.ts', { BASE: store.base, KEY: ADMIN_KEY })
  await until('the old event is printed', () => example.printed().includes('petstore.category.created'))
  const { data } = await store.client.createCategory({ body: { name: 'After' } })
  await until('the new event is printed', () => example.printed().includes(`categories/${data.id}`))
  expect(example.printed().trim().split('\n')).toHaveLength(2)
})

test('examples/webhook-receiver.ts verifies and prints the events that the store sends', async () => {
  await using store = await openTestStore('sqlite')
  const port = await deadPort()
  const url = `http://127.0.0.1:${port}/`
  const { data: webhook } = await store.client.createWebhook({ body: { url } })
  await using example = runExample('webhook-receiver.ts', { SECRET: webhook.secret, PORT: String(port) })
  await until('the example listens', () => example.printed().includes('listening'))
  await store.client.sendTestEvent({ webhookId: webhook.id })
  await until('the event is printed', () => example.printed().includes('petstore.webhook.test'))
  const forged = await fetch(url, { method: 'POST', body: '{"type":"petstore.webhook.test"}' })
  expect(forged.status).toBe(401)
})

test('examples/low-stock-mailer.mjs sends one mail each time a pet runs low, and none for past events', async () => {
  await using store = await openTestStore('sqlite')
  const { data: category } = await store.client.createCategory({ body: { name: 'Dogs' } })
  const { data: pet } = await store.client.createPet({ body: { name: 'Rex', categoryId: category.id } })
  const directory = mkdtempSync(join(tmpdir(), 'petstore-mailer-'))
  const env = { BASE: store.base, KEY: ADMIN_KEY, STATE: join(directory, 'state.json') }
  const setQuantity = async (quantity: bigint): Promise<unknown> =>
    store.client.setInventory({ petId: pet.id, body: { quantity } })
  const mails = (text: string): string[] => text.split('\n').filter(line => line.startsWith('MAIL'))
  const mail = (left: number): string => `MAIL: inventory/${pet.id} has ${left} left`
  // Before the first start, the pet had one unit, then five, then none, then five.
  for (const quantity of [5n, 0n, 5n]) await setQuantity(quantity)
  {
    await using mailer = runExample('low-stock-mailer.mjs', env, 'node')
    await until(
      'the mailer has read the past events',
      () => existsSync(env.STATE) && readState(env.STATE).isPast === false,
    )
    expect(mails(mailer.printed())).toEqual([])
    await setQuantity(1n)
    await until('the mail is sent', () => mails(mailer.printed()).length > 0)
    expect(mails(mailer.printed())).toEqual([mail(1)])
    await store.client.setInventory({ petId: pet.id, body: { quantity: 9n, reorderAt: 9n } })
    const { data: events } = await store.client.listEvents({ limit: 100 })
    const last = events.items.at(-1)?.sequence
    await until('the mailer has read the last event', () =>
      readState(env.STATE).next.endsWith(`after=${BigInt(last ?? 0)}`),
    )
    expect(mails(mailer.printed())).toEqual([mail(1)])
  }
  await using again = runExample('low-stock-mailer.mjs', env, 'node')
  await setQuantity(10n)
  await until('the mailer has read that the stock is high', () => readState(env.STATE).low.length === 0)
  await setQuantity(8n)
  await until('a mail is sent', () => mails(again.printed()).length > 0)
  expect(mails(again.printed())).toEqual([mail(8)])
  rmSync(directory, { recursive: true, force: true })
})

function readState(file: string): { next: string; low: string[]; isPast: boolean } {
  return JSON.parse(readFileSync(file, 'utf8'))
}

test('examples/till.mjs sells once although a response is lost, and reports sold-out pets and bad input', async () => {
  await using store = await openTestStore('sqlite')
  const { data: category } = await store.client.createCategory({ body: { name: 'Dogs' } })
  const { data: pet } = await store.client.createPet({ body: { name: 'Rex', categoryId: category.id } })
  let hasLostOne = false
  const forward = async (socket: Socket, { path, headers, body }: Received): Promise<void> => {
    const { host: _, ...sent } = headers
    const response = await fetch(store.base + path, { method: 'POST', headers: sent, body })
    const text = await response.text()
    if (hasLostOne)
      socket.end(`HTTP/1.1 ${response.status} X\r\nContent-Length: ${text.length}\r\n\r\n${text}`)
    else socket.destroy()
    hasLostOne = true
  }
  await using proxy = await openReceiver(() => (socket, request) => void forward(socket, request))
  const child = Bun.spawn(['node', join(ROOT, 'examples/till.mjs')], {
    env: { ...process.env, BASE: proxy.base, KEY: ADMIN_KEY },
    stdin: new Blob([`${pet.id}\n${pet.id} 1\ntwo\n`]),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const output = await new Response(child.stdout).text()
  expect(output.split('\n').slice(1)).toEqual([
    expect.stringMatching(/^Sold\. Receipt T1-/),
    'Not sold: Pet 1 has 0 of 0 units for sale; 1 is requested.',
    'Type the number of a pet.',
    '',
  ])
  expect((await store.client.listOrders({})).data.items.length).toBe(1)
})

test('the test in examples/throw-away-store.mjs starts a store and passes under Node', async () => {
  const file = join(ROOT, 'examples/throw-away-store.mjs')
  const child = Bun.spawn(['node', '--test', '--test-reporter=tap', file], {
    env: {
      ...process.env,
      PETSTORE: `${process.execPath} ${join(ROOT, 'src/main.ts')}`,
      PETSTORE_ADMIN_KEY: '',
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const [output, exitCode] = await Promise.all([new Response(child.stdout).text(), child.exited])
  expect([exitCode, output]).toEqual([0, expect.stringContaining('# pass 1\n# fail 0')])
})
