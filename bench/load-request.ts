import type { LoadPlan } from './load-plan.ts'

/** Returns a function that returns the bytes of the next request. */
export function requestWriter({ port, request }: LoadPlan): () => string {
  const host = `Host: 127.0.0.1:${port}\r\nAccept: application/json\r\nUser-Agent: petstore-bench\r\n`
  if (request.kind === 'get') {
    const text = `GET ${request.target} HTTP/1.1\r\n${host}\r\n`
    return () => text
  }
  const { adminKey, petIdFirst, pets, keyPrefix } = request
  const head =
    `POST /store/orders HTTP/1.1\r\n${host}Authorization: Bearer ${adminKey}\r\n` +
    'Content-Type: application/json\r\n'
  let sent = 0
  return () => {
    const body = `{"petId":${petIdFirst + Math.floor(Math.random() * pets)},"quantity":1}`
    const key = keyPrefix === null ? '' : `Idempotency-Key: "${keyPrefix}-${sent++}"\r\n`
    return `${head}${key}Content-Length: ${body.length}\r\n\r\n${body}`
  }
}
