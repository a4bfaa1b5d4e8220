import { expect, test } from 'bun:test'
import { run } from '../support/process.ts'
import { deadPort, endless, openReceiver, reply, silence } from '../support/receiver.ts'
import { sharedStore } from '../support/shop.ts'

const store = sharedStore('sqlite')

test('for a store that is ready, petstore health exits with 0 and prints one line', async () => {
  const { base } = store()
  const { exitCode, output, errors } = await run(['health', '--url', base])
  expect([exitCode, errors, output.trim().split('\n').length]).toEqual([0, '', 1])
  expect(output).toStartWith(`The store at ${base} is ready (`)
  const byVariable = await run(['health'], { PETSTORE_URL: base })
  expect(byVariable.exitCode).toBe(0)
  const byPort = await run(['health'], { PETSTORE_PORT: new URL(base).port, PETSTORE_DATA: '/no/such/data' })
  expect(byPort.exitCode).toBe(0)
})

test('petstore health reports "not ready" for a store that accepts connections but does not respond', async () => {
  await using frozen = await openReceiver(() => silence)
  const startedMs = performance.now()
  const { exitCode, output, errors } = await run(['health', '--url', frozen.base, '--timeout', '0.5'])
  expect([exitCode, output, errors.trim()]).toEqual([
    1,
    '',
    `The store at ${frozen.base} is not ready: it did not respond within 0.5 s.`,
  ])
  expect(performance.now() - startedMs).toBeLessThan(15_000)
})

test.each([
  ['503', reply(503, {}, '{"code":"overloaded"}'), 503],
  ['a redirect', reply(302, { Location: '/livez' }), 302],
  ['503 and an endless body', endless('HTTP/1.1 503 Service Unavailable\r\n\r\n'), 503],
])('petstore health reports "not ready" for a store that responds with %s', async (_, responder, status) => {
  await using server = await openReceiver(() => responder)
  const { exitCode, errors } = await run(['health', '--url', server.base])
  expect([exitCode, errors.trim()]).toEqual([
    1,
    `The store at ${server.base} is not ready: it responded with HTTP status ${status}.`,
  ])
})

test('petstore health reports an address without a store as not ready', async () => {
  const url = `http://127.0.0.1:${await deadPort()}`
  const { exitCode, errors } = await run(['health', '--url', url])
  expect([exitCode, errors.trim()]).toEqual([
    1,
    `The store at ${url} is not ready: the connection was refused.`,
  ])
})
