import { expect, test } from 'bun:test'
import { reportText } from '../../fuzz/report.ts'
import { type FuzzOptions, fuzz, type Report } from '../../fuzz/run.ts'
import { type EngineName, testedEngines } from '../support/engines.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { ADMIN_KEY, openTestStore } from '../support/store.ts'

const SEED = 20_261_121
/** The maximum number of requests of a control. */
const SEARCH_REQUESTS_MAX = 20_000
const RUN_MS_MAX = timeLimitMs(120_000)

const requests: Record<EngineName, number> = {
  sqlite: times(10_000, 500_000),
  postgres: times(3_000, 50_000),
}

for (const engine of testedEngines) {
  test(
    `the fuzzer has no finding in ${requests[engine]} requests to a store on ${engine}`,
    async () => {
      await using store = await openTestStore(engine)
      const report = await fuzzAt(store.base, { requests: requests[engine] })
      expect(findingsOf(report), reportText(report)).toEqual([])
      expect(store.logged.filter(({ level }) => level === 'error')).toEqual([])
      expect(responseCount(report)).toBe(requests[engine])
      const summary = `${requests[engine]} requests, seed ${SEED}: 0 findings`
      recordSoak({ guarantee: 6, engine, summary })
    },
    RUN_MS_MAX,
  )
}

test(
  'one client sends the same requests with the same seed, and gets the same statuses',
  async () => {
    const runs: string[][] = []
    for (let run = 0; run < 2; run++) {
      // There are no webhooks: the time of a delivery depends on the machine, and affects the later requests.
      await using store = await openTestStore('sqlite', { allowPrivateWebhooks: false })
      await fuzzAt(store.base, { requests: 1_000, clients: 1 })
      const lines = store.logged
        .map(({ fields }) => fields)
        .filter(({ requestId }) => /^fuzz-/.test(`${requestId}`))
      runs.push(
        lines.map(({ requestId, method, path, status }) => `${requestId} ${method} ${path} ${status}`),
      )
    }
    expect(runs[0]?.length).toBeGreaterThan(900)
    expect(runs[0]).toEqual(runs[1] ?? [])
  },
  RUN_MS_MAX,
)

test('a store on another machine is not fuzzed', async () => {
  for (const url of [
    'http://192.0.2.1:8080',
    'http://shop.example',
    'https://127.0.0.1',
    'http://127.0.0.1.example',
  ]) {
    await expect(fuzzAt(url, {})).rejects.toThrow('is not on this machine')
  }
})

interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

type Forward = (path: string, headers?: Record<string, string>) => Promise<Reply>

/** Returns a wrong response to a request. `forward` returns the correct response of the store. */
type Fault = (request: Request, path: string, forward: Forward) => Promise<Reply>

/**
 * The faults that must be found, each with its finding: the operation, if only one is concerned, and the broken rule.
 */
const faults: readonly (readonly [name: string, finding: RegExp, fault: Fault])[] = [
  [
    'a member whose name differs from the description',
    /^getPet body-schema .categoryId is missing$/,
    changed('GET', /^\/pets\/\d+$/, reply => ({
      ...reply,
      body: reply.body.replace('"categoryId"', '"category"'),
    })),
  ],
  [
    'a status that is not described',
    /^placeOrder undocumented-status 418$/,
    changed('POST', /^\/store\/orders$/, reply => (reply.status === 409 ? { ...reply, status: 418 } : reply)),
  ],
  [
    'invalid data that is accepted',
    /^createCategory accepted-invalid$/,
    changed('POST', /^\/categories$/, reply =>
      reply.status === 422 ? { ...reply, status: 201, body: '{"id":1,"name":"Dogs"}' } : reply,
    ),
  ],
  [
    'an operation that requires no key',
    / auth-bypassed$/,
    (request, path, forward) =>
      forward(path, request.headers.has('authorization') ? {} : { authorization: `Bearer ${ADMIN_KEY}` }),
  ],
  [
    'a deletion without an effect',
    /^(get|delete)Category found-after-delete$/,
    (request, path, forward) =>
      request.method === 'DELETE' && /^\/categories\/\d+$/.test(path)
        ? Promise.resolve({ status: 204, headers: new Headers(), body: '' })
        : forward(path),
  ],
  [
    'an id that was converted to a JavaScript number',
    / id-in-message$/,
    (_, path, forward) => forward(path.replace(/\d{16,}/, digits => BigInt(Number(digits)).toString())),
  ],
  [
    'a failure for a certain input',
    /^createPet server-error$/,
    changed('POST', /^\/pets$/, (reply, sent) => (sent.includes('𝕏') ? { ...reply, status: 500 } : reply)),
  ],
  [
    'a precondition that is not evaluated',
    /^updateCategory precondition-ignored$/,
    (request, path, forward) =>
      forward(path, path.startsWith('/categories/') && request.method === 'PATCH' ? { 'if-match': '*' } : {}),
  ],
  [
    'a missing header field',
    /^listKeys missing-header cache-control$/,
    changed('GET', /^\/keys/, reply => {
      reply.headers.delete('cache-control')
      return reply
    }),
  ],
  [
    'a truncated string',
    /^createCategory not-as-sent name$/,
    changed('POST', /^\/categories$/, reply => ({
      ...reply,
      body: reply.body.replace(/"name":"((?:[^"\\]|\\.){100})(?:[^"\\]|\\.)+"/, '"name":"$1"'),
    })),
  ],
]

test(
  'a proxy that changes nothing causes no finding',
  async () => {
    const report = await fuzzThrough((_, path, forward) => forward(path))
    expect(findingsOf(report), reportText(report)).toEqual([])
  },
  RUN_MS_MAX,
)

for (const [name, finding, fault] of faults) {
  test(
    `control: ${name} is detected`,
    async () => {
      const report = await fuzzThrough(fault, found => finding.test(found))
      expect(findingsOf(report).filter(found => finding.test(found))).not.toEqual([])
    },
    RUN_MS_MAX,
  )
}

function fuzzAt(url: string, options: Partial<FuzzOptions>): Promise<Report> {
  return fuzz({ url, key: ADMIN_KEY, requests: 2_000, seed: SEED, ...options })
}

function findingsOf({ findings }: Report): string[] {
  return findings.map(({ label, check }) => `${label} ${check}`)
}

function responseCount({ counts }: Report): number {
  return sum([...counts.values()].map(([none = 0, ...classes]) => sum(classes) - none))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Returns a fault in the responses to one method on some paths. `change` also gets the body of the request. */
function changed(method: string, paths: RegExp, change: (reply: Reply, sent: string) => Reply): Fault {
  return async (request, path, forward) => {
    const sent = request.method === method && paths.test(path) ? await request.clone().text() : undefined
    const reply = await forward(path)
    return sent === undefined ? reply : change(reply, sent)
  }
}

/** Fuzzes the store through a proxy on loopback that introduces one fault. */
async function fuzzThrough(fault: Fault, isEnough?: (finding: string) => boolean): Promise<Report> {
  await using store = await openTestStore('sqlite')
  await using proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      const path = request.url.slice(new URL(request.url).origin.length)
      const { status, headers, body } = await fault(request, path, (to, extra = {}) =>
        forwardRequest(request, store.base + to, extra),
      )
      // A response to HEAD has no body, but it has the Content-Length of the response to GET.
      if (request.method !== 'HEAD') headers.delete('content-length')
      return new Response(body === '' ? null : body, { status, headers })
    },
  })
  // A search ends with its finding. How many requests that takes changes with every new operation.
  const options = isEnough ? { isEnough, requests: SEARCH_REQUESTS_MAX } : {}
  return await fuzzAt(`http://127.0.0.1:${proxy.port}`, options)
}

async function forwardRequest(
  request: Request,
  url: string,
  extra: Readonly<Record<string, string>>,
): Promise<Reply> {
  const headers = new Headers(request.headers)
  // The description is compressed if the client accepts that, and this proxy can only change text that it can read.
  for (const name of ['host', 'connection', 'content-length', 'accept-encoding']) headers.delete(name)
  headers.set('accept-encoding', 'identity')
  for (const [name, value] of Object.entries(extra)) headers.set(name, value)
  const body = request.method === 'GET' || request.method === 'HEAD' ? null : await request.bytes()
  const reply = await fetch(url, {
    method: request.method,
    headers,
    body,
    redirect: 'manual',
    decompress: false,
  })
  return { status: reply.status, headers: new Headers(reply.headers), body: await reply.text() }
}
