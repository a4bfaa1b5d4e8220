import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deadPort } from '../support/receiver.ts'
import { ROOT } from '../support/root.ts'
import { ADMIN_KEY, openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import { thirdPartyPage } from './third-party.ts'

/** Starts a program of examples/. It runs until it is disposed, and `printed` returns its output so far. */
function runExample(name: string, env: Readonly<Record<string, string>>) {
  const child = Bun.spawn([process.execPath, join(ROOT, 'examples', name)], {
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
  await until('it listens', () => example.printed().includes('listening'))
  await store.client.sendTestEvent({ webhookId: webhook.id })
  await until('the event is printed', () => example.printed().includes('petstore.webhook.test'))
  const forged = await fetch(url, { method: 'POST', body: '{"type":"petstore.webhook.test"}' })
  expect(forged.status).toBe(401)
})

test('examples/throw-away-store.test.mjs tests a store of its own with Node', async () => {
  const file = join(ROOT, 'examples/throw-away-store.test.mjs')
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

test('THIRD-PARTY.md lists the packages of the lockfile', () => {
  expect(readFileSync(join(ROOT, 'THIRD-PARTY.md'), 'utf8')).toBe(thirdPartyPage())
})
