import { expect, test } from 'bun:test'
import { type EngineName, testedEngines } from '../support/engines.ts'
import { recordSoak, timeLimitMs, times } from '../support/soak.ts'
import { ADMIN_KEY, openTestStore, type TestStore } from '../support/store.ts'
import { type FuzzOptions, fuzz } from './fuzz/run.ts'

const SEED = 20_261_121
/** The maximum number of requests of a control. */
const SEARCH_REQUESTS_MAX = 20_000
const RUN_MS_MAX = timeLimitMs(240_000)

const requests: Record<EngineName, number> = {
  sqlite: times(10_000, 500_000),
  postgres: times(3_000, 50_000),
}

for (const engine of testedEngines) {
  test(
    `the fuzzer has no finding in ${requests[engine]} requests to a store on ${engine}`,
    async () => {
      await using store = await openTestStore(engine, { cache: 'verify' })
      expect([...(await fuzzAt(store.base, { requests: requests[engine] }))]).toEqual([])
      expect(store.logged.filter(({ level }) => level === 'error')).toEqual([])
      expect(requestsIn(store)).toHaveLength(requests[engine])
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
      runs.push(requestsIn(store))
    }
    expect(runs[0]).toHaveLength(1_000)
    expect(runs[0]).toEqual(runs[1] ?? [])
  },
  RUN_MS_MAX,
)

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

type Forward = (path: string, headers?: Record<string, string>) => Promise<Reply>

/** Returns a wrong response to a request. `forward` returns the correct response of the store. */
type Fault = (sent: Sent, forward: Forward) => Promise<Reply>

/** Returns a fault in the responses to one method on some paths. */
function changed(method: string, paths: RegExp, change: (reply: Reply, sent: Sent) => Reply): Fault {
  return async (sent, forward) => {
    const reply = await forward(sent.path)
    return sent.method === method && paths.test(sent.path) ? change(reply, sent) : reply
  }
}

/** The faults that must be found, each with its finding: the operation, if it concerns only one, and the rule. */
const faults: readonly (readonly [name: string, finding: RegExp, fault: Fault])[] = [
  [
    'a member whose name differs from the description',
    /^getPet .*categoryId/,
    changed('GET', /^\/pets\/\d+$/, reply =>
      withBody(reply, reply.body.replace('"categoryId"', '"category"')),
    ),
  ],
  [
    'a status that is not described',
    /^placeOrder .* 418: the status is not described$/,
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
    ({ path, headers }, forward) =>
      forward(path, headers.has('authorization') ? {} : { authorization: `Bearer ${ADMIN_KEY}` }),
  ],
  [
    'a deletion without an effect',
    /^(get|delete)Category found-after-delete$/,
    async ({ method, path }, forward) =>
      method === 'DELETE' && /^\/categories\/\d+$/.test(path)
        ? { status: 204, headers: new Headers(), body: '' }
        : forward(path),
  ],
  [
    'an id that was converted to a JavaScript number',
    / id-in-message$/,
    ({ path }, forward) => forward(path.replace(/\d{16,}/, digits => BigInt(Number(digits)).toString())),
  ],
  [
    'a failure for a certain input',
    /^createPet server-error$/,
    changed('POST', /^\/pets$/, (reply, { body }) =>
      body.includes('𝕏') ? { ...reply, status: 500 } : reply,
    ),
  ],
  [
    'a precondition that is not evaluated',
    /^updateCategory precondition-ignored$/,
    ({ method, path }, forward) =>
      forward(path, method === 'PATCH' && path.startsWith('/categories/') ? { 'if-match': '*' } : {}),
  ],
  [
    'a missing header field',
    /^listKeys .*the header Cache-Control is missing$/,
    changed('GET', /^\/keys/, reply => {
      reply.headers.delete('cache-control')
      return reply
    }),
  ],
  [
    'a truncated string',
    /^createCategory not-as-sent name$/,
    changed('POST', /^\/categories$/, reply =>
      withBody(reply, reply.body.replace(/"name":"((?:[^"\\]|\\.){100})(?:[^"\\]|\\.)+"/, '"name":"$1"')),
    ),
  ],
]

test(
  'a proxy that changes nothing causes no finding',
  async () => {
    expect(await fuzzThrough(({ path }, forward) => forward(path))).toEqual([])
  },
  RUN_MS_MAX,
)

for (const [name, finding, fault] of faults) {
  test(
    `control: ${name} is detected`,
    async () => {
      const found = await fuzzThrough(fault, one => finding.test(one))
      expect(found.filter(one => finding.test(one))).not.toEqual([])
    },
    RUN_MS_MAX,
  )
}

function withBody(reply: Reply, body: string): Reply {
  return { ...reply, body }
}

function fuzzAt(url: string, options: Partial<FuzzOptions>): Promise<ReadonlyMap<string, string>> {
  return fuzz({ url, key: ADMIN_KEY, requests: 2_000, seed: SEED, ...options })
}

/** Returns the requests of the fuzzer in the log of a store, each with its status. */
function requestsIn({ logged }: TestStore): string[] {
  const requests = logged.map(({ fields }) => fields).filter(({ requestId }) => /^fuzz-/.test(`${requestId}`))
  return requests.map(({ requestId, method, path, status }) => `${requestId} ${method} ${path} ${status}`)
}

/** Fuzzes the store through a proxy that introduces one fault. Returns the findings. */
async function fuzzThrough(fault: Fault, isEnough?: (finding: string) => boolean): Promise<string[]> {
  await using store = await openTestStore('sqlite')
  await using proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async request => {
      const { method, url } = request
      const path = url.slice(new URL(url).origin.length)
      const sent = method === 'GET' || method === 'HEAD' ? null : await request.bytes()
      const forward: Forward = async (to, extra = {}) => {
        const headers = { ...Object.fromEntries(request.headers), ...extra, host: new URL(store.base).host }
        const reply = await fetch(store.base + to, { method, headers, body: sent })
        return { status: reply.status, headers: new Headers(reply.headers), body: await reply.text() }
      }
      const received = { method, path, headers: request.headers, body: String(sent && Buffer.from(sent)) }
      const { status, headers, body } = await fault(received, forward)
      // A response to HEAD has no body, but it has the Content-Length of the response to GET.
      if (method !== 'HEAD') headers.delete('content-length')
      return new Response(body === '' ? null : body, { status, headers })
    },
  })
  // A search ends with its finding. How many requests that takes changes with every new operation.
  const options = isEnough ? { isEnough, requests: SEARCH_REQUESTS_MAX } : {}
  return [...(await fuzzAt(`http://127.0.0.1:${proxy.port}`, options)).keys()]
}
