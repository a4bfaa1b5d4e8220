export const JSON_TYPE = { 'Content-Type': 'application/json' }
export const PET =
  '{"id":9007199254740993,"name":"Rex","categoryId":1,"status":"sold","owner":{"id":9223372036854775807}}'

export interface FakeServer extends Disposable {
  readonly baseUrl: string
  readonly requests: { readonly method: string; readonly url: string; readonly headers: Headers }[]
}

/** Returns a server whose responses come from `respond`. The argument `count` is 1 for the first request. */
export function fakeServer(
  respond: (request: Request, count: number) => Response | Promise<Response>,
): FakeServer {
  const requests: FakeServer['requests'] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    development: false,
    fetch: request => {
      requests.push({ method: request.method, url: request.url, headers: new Headers(request.headers) })
      return respond(request, requests.length)
    },
  })
  return {
    baseUrl: `http://127.0.0.1:${server.port}`,
    requests,
    [Symbol.dispose]: () => void server.stop(true),
  }
}

/** Returns a page of a list. Like every page, it has the link to the first page. */
export function pageOf(items: string, links = ''): Response {
  const link = `<http://x/pets>; rel="first"${links}`
  return new Response(items, { headers: { ...JSON_TYPE, Link: link } })
}

export function refusal(status: number, code: string, headers: Record<string, string> = {}): Response {
  const body = JSON.stringify({ code, message: `It is ${code}.`, status })
  return new Response(body, { status, headers: { ...JSON_TYPE, ...headers } })
}

const HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nLink: </pets>; rel=first\r\nConnection: close\r\n'

/** Returns a server that closes the connection in the middle of each of its first `times` responses. */
export function cuttingServer(
  times: number,
  text: string,
): Disposable & { readonly baseUrl: string; count(): number } {
  let count = 0
  const server = Bun.listen({
    port: 0,
    hostname: '127.0.0.1',
    socket: {
      data: socket => {
        const length = count++ < times ? 5000 : text.length
        socket.end(`${HEAD}Content-Length: ${length}\r\n\r\n${text}`)
      },
    },
  })
  return {
    baseUrl: `http://127.0.0.1:${server.port}`,
    count: () => count,
    [Symbol.dispose]: () => server.stop(true),
  }
}

export async function errorOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    return `it resolved: ${await call}`
  } catch (error) {
    return error
  }
}
