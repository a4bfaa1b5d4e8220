import type { LoadPlan } from './load-plan.ts'

/** Returns a function that returns the text of the next request. */
export function requestWriter({ port, request }: LoadPlan): () => string {
  const host = `Host: 127.0.0.1:${port}\r\nAccept: application/json\r\nUser-Agent: petstore-bench\r\n`
  if (request.kind === 'get') {
    const nextTarget = targetWriter(request)
    const fields = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const end = ` HTTP/1.1\r\n${host}${fields.join('')}\r\n`
    return () => `GET ${nextTarget()}${end}`
  }
  if (request.kind === 'read-write') return readWriteWriter(request, host)
  const { adminKey, petIdFirst, pets, idempotencyKeyPrefix } = request
  const head =
    `POST /store/orders HTTP/1.1\r\n${host}Authorization: Bearer ${adminKey}\r\n` +
    'Content-Type: application/json\r\n'
  let sent = 0
  return () => {
    const body = `{"petId":${petIdFirst + Math.floor(Math.random() * pets)},"quantity":1}`
    const key =
      idempotencyKeyPrefix === null ? '' : `Idempotency-Key: "${idempotencyKeyPrefix}-${sent++}"\r\n`
    return `${head}${key}Content-Length: ${body.length}\r\n\r\n${body}`
  }
}

type ReadWrite = Extract<LoadPlan['request'], { kind: 'read-write' }>

/** Returns a function that returns the next request. Every `writeEvery`-th request is a write with a new quantity. */
function readWriteWriter(
  { target, writeTarget, adminKey, writeEvery }: ReadWrite,
  host: string,
): () => string {
  const read = `GET ${target} HTTP/1.1\r\n${host}\r\n`
  const writeHead =
    `PUT ${writeTarget} HTTP/1.1\r\n${host}Authorization: Bearer ${adminKey}\r\n` +
    'Content-Type: application/json\r\n'
  let sent = 0
  return () => {
    sent++
    if (sent % writeEvery !== 0) return read
    const body = `{"quantity":${100_000 + (sent % 100_000)}}`
    return `${writeHead}Content-Length: ${body.length}\r\n\r\n${body}`
  }
}

type VariedTarget = Pick<Extract<LoadPlan['request'], { kind: 'get' }>, 'target' | 'random'>

/**
 * Returns a function that returns the next target, with a random number in place of each name in braces. If a target
 * contains a name several times, each occurrence has its own part of the range, so that the numbers differ.
 */
export function targetWriter({ target, random }: VariedTarget): () => string {
  // Every second part is a name.
  const parts = target.split(/\{(\w+)\}/)
  if (parts.length === 1) return () => target
  const writers = parts.map((part, index) => {
    if (index % 2 === 0) return () => part
    const isSame = (other: string, at: number): boolean => at % 2 === 1 && other === part
    return numberWriter(random, part, {
      share: parts.slice(0, index).filter(isSame).length,
      shares: parts.filter(isSame).length,
    })
  })
  return () => {
    let text = ''
    for (const write of writers) text += write()
    return text
  }
}

/** Divides a range into equal shares, and returns a function that returns a random number from one of them. */
function numberWriter(
  random: VariedTarget['random'],
  name: string,
  { share, shares }: { share: number; shares: number },
): () => string | number {
  const range = random[name]
  if (!range) throw new Error(`the plan has no range for {${name}}`)
  if (Array.isArray(range)) return () => range[Math.floor(Math.random() * range.length)] ?? ''
  const { first, count, step, isLogUniform } = range
  if (isLogUniform) return () => first + step * (Math.floor(count ** Math.random()) - 1)
  return () => first + step * Math.floor(((share + Math.random()) * count) / shares)
}
