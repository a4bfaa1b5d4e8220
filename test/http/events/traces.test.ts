import { expect, test } from 'bun:test'
import { verifyAuditChain } from '../../../src/shop/log/verification.ts'
import { openStream } from '../../support/open-stream.ts'
import { headOf } from '../../support/received-events.ts'
import { openReceiver } from '../../support/receiver.ts'
import { onEveryEngine, openTestStore } from '../../support/store.ts'
import { createWebhook, eventIn } from '../../support/webhook-receipts.ts'

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** Fields that name no trace (W3C Trace Context, section 3.2.2), with what is wrong. */
const invalid = {
  'upper case': TRACE.toUpperCase(),
  'a trace of zeros': `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  'a span of zeros': `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,
  'the forbidden version': TRACE.replace(/^00/, 'ff'),
  'more fields than version 00 has': `${TRACE}-more`,
  'a short trace': '00-0af7651916cd43dd-b7ad6b7169203331-01',
  'two traces': `${TRACE}, ${TRACE}`,
  'no trace': '',
}

onEveryEngine(engine => {
  test('the trace of a request is in its event, in the delivery and its header, and in the log', async () => {
    await using store = await openTestStore(engine)
    await using receiver = await openReceiver()
    await createWebhook(store, receiver, ['petstore.category.created'])
    await using stream = await openStream(store.base)
    const create = (name: string, traceparent?: string): Promise<Response> =>
      store.send('POST', '/categories', {
        headers: traceparent === undefined ? {} : { traceparent },
        body: JSON.stringify({ name }),
      })
    await create('Otters', TRACE)
    await create('Badgers')
    const [traced, untraced] = [await stream.event(), await stream.event()].map(block =>
      JSON.parse(block?.data ?? ''),
    )
    expect([traced.traceparent, 'traceparent' in untraced]).toEqual([TRACE, false])
    await headOf(store)
    const { data } = await store.client.listEvents({ type: ['petstore.category.created'] })
    expect(data.items.map(({ traceparent }) => traceparent)).toEqual([TRACE, undefined])
    await receiver.waitForRequests(2)
    const deliveries = receiver.received.map(request => [
      eventIn(request).traceparent,
      request.headers.traceparent,
    ])
    // Deliveries may overtake one another.
    expect(deliveries.toSorted((a, b) => String(b[0]).localeCompare(String(a[0])))).toEqual([
      [undefined, undefined],
      [TRACE, TRACE],
    ])
    const line = store.logged.find(({ fields }) => fields.operationId === 'createCategory')
    expect(line?.fields.traceparent).toBe(TRACE)
  })

  test('the hash chain covers the trace of an event', async () => {
    await using store = await openTestStore(engine)
    const headers = { traceparent: TRACE }
    await store.send('POST', '/categories', { headers, body: '{"name":"Otters"}' })
    const position = await headOf(store)
    const problems = async () =>
      (await store.engine.readShort(reader => verifyAuditChain(reader, undefined))).problems
    expect(await problems()).toEqual([])
    await store.database(`UPDATE event SET traceparent = NULL WHERE position = ${position} RETURNING 1`)
    expect((await problems()).length).toBe(1)
  })
})

test('an invalid traceparent is ignored, and one of a later version becomes one of version 00', async () => {
  await using store = await openTestStore('sqlite')
  const traceOf = async (traceparent: string): Promise<unknown> => {
    const after = await headOf(store)
    const body = JSON.stringify({ name: crypto.randomUUID() })
    expect((await store.send('POST', '/categories', { headers: { traceparent }, body })).status).toBe(201)
    await headOf(store)
    return (await store.client.listEvents({ after })).data.items[0]?.traceparent
  }
  for (const [what, traceparent] of Object.entries(invalid))
    expect([what, await traceOf(traceparent)]).toEqual([what, undefined])
  expect(await traceOf(TRACE.replace(/^00/, 'cc'))).toBe(TRACE)
  expect(await traceOf(`${TRACE.replace(/^00/, '01')}-more`)).toBe(TRACE)
})
