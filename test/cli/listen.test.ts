import { describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { webhookSecret } from '../../src/shop/webhooks/schema.ts'
import { command, run } from '../support/process.ts'
import { openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'
import { createWebhook, emitEvents, waitForDeliveries } from '../support/webhook-receipts.ts'

const SECRET = webhookSecret()

/** A process of `petstore listen`. */
interface Listening extends AsyncDisposable {
  readonly base: string
  /** Returns standard output so far. */
  readonly printed: () => string
}

/** Starts `petstore listen` with these arguments, and resolves when it listens. */
async function listen(...args: string[]): Promise<Listening> {
  const child = Bun.spawn(command(['listen', '--port', '0', ...args]).line, {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let printed = ''
  const readOutput = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) printed += decoder.decode(chunk, { stream: true })
  }
  readOutput()
  let errorOutput = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stderr) {
    errorOutput += decoder.decode(chunk, { stream: true })
    const [, base] = /Listening on (http:\S+)\/ /.exec(errorOutput) ?? []
    if (base === undefined) continue
    return {
      base,
      printed: () => printed,
      [Symbol.asyncDispose]: async () => {
        child.kill('SIGKILL')
        await child.exited
      },
    }
  }
  throw new Error(`petstore listen ended: ${errorOutput}`)
}

/** Sends a body that is signed with a secret, as the store would, and returns the status. */
async function send(base: string, body: string, secret: string): Promise<number> {
  const sentAt = new Date()
  const signature = new Webhook(secret).sign('7', sentAt, body)
  const response = await fetch(base, {
    method: 'POST',
    headers: {
      'webhook-id': '7',
      'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
      'webhook-signature': signature,
    },
    body,
  })
  await response.text()
  return response.status
}

test('petstore listen prints each delivery of a store, verified with the secret of its webhook', async () => {
  await using store = await openTestStore('sqlite')
  // A webhook needs the address of a listener before it has a secret, so the first listener starts without the secret.
  await using first = await listen()
  const webhook = await createWebhook(store, first)
  await emitEvents(store, 'Fish')
  await until('it is printed', () => first.printed().includes('Fish'))
  const [head, id, data] = first.printed().split('\n')
  expect(head).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}petstore\.category\.created {2}categories\/\d+ {2}-> 204$/)
  expect(id?.trim()).toMatch(/^webhook-id \d+, not verified \(no --secret\)$/)
  expect(data?.trim()).toMatch(/^\{"id":\d+,"name":"Fish"\}$/)
  await waitForDeliveries(store, webhook, 'delivered')
  await using second = await listen('--secret', webhook.secret)
  await store.client.updateWebhook({ ...webhook, body: { url: second.base } })
  await emitEvents(store, 'Birds')
  await until('it is printed', () => second.printed().includes('Birds'))
  expect(second.printed()).toContain(', signature verified\n')
})

test('petstore listen refuses a delivery without a signature, or signed with another secret', async () => {
  await using listening = await listen('--secret', webhookSecret())
  expect(await send(listening.base, '{"type":"a","subject":"b","data":{}}', SECRET)).toBe(400)
  await until('it is printed', () =>
    listening.printed().includes('NOT VERIFIED: No matching signature found'),
  )
  expect((await fetch(listening.base, { method: 'POST', body: 'no event' })).status).toBe(400)
  await until('it is printed', () => listening.printed().includes('NOT VERIFIED: Missing required headers'))
  expect(listening.printed()).toContain('"no event"')
})

test('petstore listen responds with the configured status, after the configured delay', async () => {
  await using listening = await listen('--status', '500', '--delay', '200ms')
  const startedMs = performance.now()
  expect(await send(listening.base, '{"type":"a","subject":"b","data":{}}', SECRET)).toBe(500)
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(195)
  await until('it is printed', () => listening.printed().includes('a  b  -> 500'))
})

test('no content of a delivery can control the terminal', async () => {
  await using listening = await listen()
  const tricks = ['\u001b[2J', '\u0007', '\u009b31m', '\u202e', '\r', '\u007f', '\u2028']
  for (const [index, trick] of tricks.entries()) {
    const event = JSON.stringify({ type: `t${trick}`, subject: `s${trick}`, data: { [trick]: trick } })
    await send(listening.base, event, SECRET)
    await send(`${listening.base}/p${encodeURIComponent(trick)}`, `no event ${index} ${trick}`, SECRET)
    await until('it is printed', () => listening.printed().includes(`no event ${index}`))
  }
  expect(
    listening
      .printed()
      .match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu)
      ?.filter(found => found !== '\n'),
  ).toEqual([])
  expect(listening.printed().split('\n')).toHaveLength(tricks.length * 6 + 1)
})

describe('petstore listen reports in one line why it cannot start:', () => {
  const failing = [
    { args: ['--secret', 'oops'], says: '--secret is not a webhook secret: it must start with whsec_.' },
    { args: ['--secret', 'whsec_???'], says: '--secret is not a webhook secret: ' },
    { args: ['--status', '99'], says: 'It must be a status from 200 to 599.' },
    { args: ['--status', '200.5'], says: 'It must be a status from 200 to 599.' },
    { args: ['--delay', 'soon'], says: 'It must be a time such as 2s or 500ms.' },
    { args: ['--port', '70000'], says: 'It must be a number from 0 to 65535.' },
    { args: ['--host', '203.0.113.1'], says: 'Cannot listen on 203.0.113.1:' },
  ]
  for (const { args, says } of failing) {
    test(`petstore listen ${args.join(' ')} is refused in one line`, async () => {
      const ended = await run(['listen', '--port', '0', ...args])
      expect(ended.exitCode).toBeGreaterThan(0)
      expect(ended.errors).toContain(says)
      expect(ended.errors).not.toContain('    at ')
      expect(ended.errors.trim().split('\n')).toHaveLength(1)
    })
  }

  test('petstore listen reports in one line that its port is in use', async () => {
    await using listening = await listen()
    const { port } = new URL(listening.base)
    const ended = await run(['listen', '--port', port])
    expect(ended.errors.trim()).toBe(
      `Cannot listen on 127.0.0.1:${port}: it is in use: choose another --port.`,
    )
    expect(ended.exitCode).toBe(1)
  })
})
