import { type IncomingMessage, request as openRequest } from 'node:http'

/** A response with its whole body. */
export interface WholeResponse {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Announces a body of 100 bytes, sends its first byte, and waits for the response of the server. */
export async function sendHalfBody(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
): Promise<WholeResponse> {
  const answered = Promise.withResolvers<IncomingMessage>()
  const socket = openRequest(url, { method, headers: { ...headers, 'Content-Length': '100' } })
  socket.on('response', answered.resolve)
  socket.on('error', answered.reject)
  socket.write('{')
  const response = await answered.promise
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(Buffer.from(chunk))
  socket.destroy()
  const fields = new Headers()
  for (const [name, value] of Object.entries(response.headers)) fields.set(name, String(value))
  return { status: response.statusCode ?? 0, headers: fields, body: Buffer.concat(chunks).toString() }
}
