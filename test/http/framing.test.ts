import { describe, expect, test } from 'bun:test'
import { serveWithoutTheEnd } from '../controls/body-without-its-end.ts'
import { type HostileResponse, sendBytes } from '../support/hostile-request.ts'
import { makePet, sharedStore } from '../support/shop.ts'
import { ADMIN_KEY, onEveryEngine } from '../support/store.ts'

const CLOSE = 'Connection: close\r\n'
const KEY = `Authorization: Bearer ${ADMIN_KEY}\r\n`
const JSON_TYPE = 'Content-Type: application/json\r\n'

/** Returns a POST with a chunked body. `end` is the text after its last chunk. */
function chunked(name: string, end: string): string {
  const body = JSON.stringify({ name })
  const fields = `Host: store\r\n${KEY}${JSON_TYPE}${CLOSE}Transfer-Encoding: chunked\r\n`
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n`
  return `POST /categories HTTP/1.1\r\n${fields}\r\n${chunks}${end}\r\n`
}

onEveryEngine(engine => {
  const store = sharedStore(engine)
  const send = (text: string): Promise<HostileResponse> =>
    sendBytes(Number(new URL(store().base).port), Buffer.from(text, 'latin1'))
  const countOf = async (name: string): Promise<number> =>
    (await store().client.listCategories({ limit: 100 })).data.items.filter(one => one.name === name).length

  describe('requests', () => {
    test('each query parameter of an HTTP/1.0 request without Host is checked', async () => {
      const { petId } = await makePet(store().client)
      const found = await send(`GET /pets?id=${petId} HTTP/1.0\r\n\r\n`)
      expect([found.status, JSON.parse(found.text).length]).toEqual([200, 1])
      expect((await send('GET /pets?limit=0 HTTP/1.0\r\n\r\n')).status).toBe(400)
      expect((await send('GET /pets?colour=red HTTP/1.0\r\n\r\n')).status).toBe(400)
      expect((await send('GET /pets?name=a://b HTTP/1.0\r\n\r\n')).status).toBe(200)
    })

    test('a request with an empty Host is refused', async () => {
      for (const host of ['Host:', 'Host: ']) {
        const response = await send(`GET /pets HTTP/1.1\r\n${host}\r\n${CLOSE}\r\n`)
        expect([response.status, JSON.parse(response.text).errors]).toEqual([
          400,
          [expect.objectContaining({ in: 'header', name: 'Host', code: 'invalid_format' })],
        ])
      }
    })

    test('a request without Host that repeats an idempotency key for another order is refused', async () => {
      const first = await makePet(store().client, { quantity: 2n, reserved: 1n })
      const second = await makePet(store().client, { quantity: 2n, reserved: 1n })
      const cancel = ({ orderId }: { orderId: bigint }) =>
        send(
          `DELETE /store/orders/${orderId} HTTP/1.0\r\n${KEY}Idempotency-Key: "no-host-${first.orderId}"\r\n\r\n`,
        )
      expect((await cancel(first)).status).toBe(204)
      expect((await cancel(second)).status).toBe(422)
      expect((await store().client.getOrder(second)).status).toBe(200)
    })

    test('a request has the same meaning if letters of its path are percent-encoded', async () => {
      const { petId } = await makePet(store().client)
      const plain = await fetch(`${store().base}/pets/${petId}`)
      const encoded = await fetch(`${store().base}/p%65ts/${petId}`)
      expect([encoded.status, await encoded.text()]).toEqual([200, await plain.text()])
      expect((await fetch(`${store().base}/p%65ts/${petId}`, { method: 'POST' })).status).toBe(405)
    })

    test('a request to an unknown path gets 404, with the path that was probably meant', async () => {
      const response = await fetch(`${store().base}/orders`)
      expect(await response.json()).toMatchObject({
        status: 404,
        message: 'No operation has the path /orders. Did you mean /store/orders?',
      })
    })
  })

  describe('request bodies', () => {
    test('a request body in chunks that end with a trailer field is refused and has no effect', async () => {
      const statuses: number[] = []
      for (let round = 0; round < 20; round++) {
        statuses.push((await send(chunked('Trailed', 'X-Checksum: abc\r\n'))).status)
      }
      expect(new Set(statuses)).toEqual(new Set([400]))
      expect(await countOf('Trailed')).toBe(0)
    })

    test('a request body that is followed by bytes that are not a request is refused, and has no effect', async () => {
      const body = JSON.stringify({ name: 'Surplus' })
      const fields = `Host: store\r\n${KEY}${JSON_TYPE}Content-Length: ${body.length}\r\n\r\n`
      const { petId, orderId } = await makePet(store().client, { quantity: 2n, reserved: 1n })
      const statuses: number[] = []
      for (const surplus of ['\r\n', '\n', ' ', '}', 'GARBAGE\r\n\r\n']) {
        statuses.push((await send(`POST /categories HTTP/1.1\r\n${fields}${body}${surplus}`)).status)
        const cancel = `DELETE /store/orders/${orderId} HTTP/1.1\r\nHost: store\r\n${KEY}\r\n${surplus}`
        statuses.push((await send(cancel)).status)
      }
      expect(new Set(statuses)).toEqual(new Set([400]))
      expect(await countOf('Surplus')).toBe(0)
      expect((await store().client.getInventoryItem({ petId })).data.reserved).toBe(1n)
    })

    test('a request body in chunks without a trailer field has its effect', async () => {
      expect((await send(chunked('Chunked', ''))).status).toBe(201)
      expect(await countOf('Chunked')).toBe(1)
    })
  })
})

test('control: a server that acts on the last chunk executes a request that the runtime then refuses', async () => {
  let effects = 0
  const server = serveWithoutTheEnd(() => effects++)
  const response = await sendBytes(server.port ?? 0, Buffer.from(chunked('Trailed', 'X-Checksum: abc\r\n')))
  await server.stop(true)
  expect([response.status, effects]).toEqual([400, 1])
})
