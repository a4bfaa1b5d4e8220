import { expect, test } from 'bun:test'
import { contextOf } from '../../../test/support/request-context.ts'
import { Admission } from '../limits/admission.ts'
import type { RequestContext } from '../request/request-context.ts'
import { nextTurn, receiveBody } from './body.ts'

/** Returns the context of a request whose body arrives in chunks, and a function that ends the body. */
function openChunkedRequest(admission = new Admission()): { context: RequestContext; end: () => void } {
  let end = (): void => {}
  const body = new ReadableStream<Uint8Array>({
    start: controller => {
      controller.enqueue(new Uint8Array([123, 125]))
      end = () => controller.close()
    },
  })
  const context = contextOf(new Request('http://store/pets', { method: 'POST', body }))
  context.slot = admission.enter('192.0.2.1')
  return { context, end }
}

test('a command runs at least one turn of the event loop after its late body is complete', async () => {
  const { context, end } = openChunkedRequest()
  const receiving = receiveBody(context)
  await nextTurn()
  await nextTurn()
  end()
  let hasTurned = false
  setImmediate(() => {
    hasTurned = true
  })
  expect(await receiving).toHaveLength(2)
  expect(hasTurned).toBe(true)
})

test('each body in chunks that has not arrived counts with the maximum size of a body', async () => {
  const admission = new Admission()
  const bodies = Array.from({ length: 66 }, () => openChunkedRequest(admission))
  const receiving = bodies.map(({ context }) => receiveBody(context).then(() => 'received', String))
  await nextTurn()
  await nextTurn()
  for (const { end } of bodies) end()
  const refused = (await Promise.all(receiving)).filter(outcome => outcome !== 'received')
  // One caller may send 64 MiB at once, and a body has at most 1 MiB.
  expect(refused).toHaveLength(2)
})
