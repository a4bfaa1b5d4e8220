import { expect, test } from 'bun:test'
import { HostLimit } from '../../webhooks/host-limit.ts'
import type { Incoming, Outgoing } from '../../webhooks/request.ts'
import { sendWithFaults } from './deliveries.ts'
import { Faults } from './faults.ts'
import type { FaultEffect } from './rules.ts'

const received: Incoming = { status: 204, reply: '' }
const open = new Promise<void>(() => {})

/** Returns a function that sends a delivery with this body under a rule without a condition, and the sent bodies. */
function sender(
  effect: FaultEffect,
  { hostLimit, closing = open }: { hostLimit?: HostLimit; closing?: Promise<void> },
) {
  const faults = new Faults('')
  faults.set([{ name: 'rule', effect }])
  const sent: string[] = []
  const send = sendWithFaults(faults, { hostLimit, closing }, async ({ body }) => {
    sent.push(body)
    return received
  })
  const destination: Outgoing['destination'] = {
    url: new URL('http://127.0.0.1/'),
    addresses: ['127.0.0.1'],
  }
  return { sent, deliver: (body: string) => send({ destination, headers: {}, body, timeoutMs: 1000 }) }
}

test('with webhook_out_of_order, each pair of deliveries changes places without a long wait', async () => {
  const { sent, deliver } = sender({ type: 'webhook_out_of_order' }, {})
  const startedMs = performance.now()
  for (const pair of [
    ['1', '2'],
    ['3', '4'],
  ])
    await Promise.all(pair.map(deliver))
  expect(sent).toEqual(['2', '1', '4', '3'])
  expect(performance.now() - startedMs).toBeLessThan(2500)
})

test('a delivery is sent twice only within the limit of its receiver', async () => {
  const { sent, deliver } = sender(
    { type: 'webhook_twice' },
    { hostLimit: new HostLimit({ attemptsMax: 1 }) },
  )
  await deliver('a')
  await deliver('b')
  expect(sent).toEqual(['a', 'a', 'b'])
})

test('a late delivery fails when its sandbox is closed, so that it is retried', async () => {
  const closing = Promise.withResolvers<void>()
  const { sent, deliver } = sender({ type: 'webhook_late', delayMs: 60_000n }, { closing: closing.promise })
  const delivery = deliver('a').catch(String)
  closing.resolve()
  expect(await delivery).toContain('The sandbox was closed before the delivery was sent.')
  expect(sent).toEqual([])
})
