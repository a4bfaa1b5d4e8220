import { describe } from '../contract/openapi.ts'
import { writeYaml } from '../contract/openapi-yaml.ts'
import type { Operation } from '../contract/operation.ts'
import { StoreError } from '../model/error.ts'
import { writeJson } from '../model/json.ts'
import { holds } from '../shop/keys.ts'
import { authenticate } from './auth.ts'
import { apiCatalog, homeHtml, homeJson, llmsText } from './discovery.ts'
import { docsPaths } from './docs-page.ts'
import type { Exchange } from './exchange.ts'
import type { Metrics } from './metrics.ts'
import type { Pipeline } from './pipeline.ts'
import type { Handler, Paths } from './routes.ts'

const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/

/** What the service says of itself, beside the operations of its description. */
export function servicePaths(
  pipeline: Pipeline,
  metrics: Metrics,
  serves: (operation: Operation) => boolean,
): Paths {
  const { base, engine } = pipeline
  const asJson = once(() => writeJson(describe({ base, serves })))
  const asYaml = once(() => writeYaml(describe({ base, serves })))
  const get = (answer: Handler['answer']): ReadonlyMap<string, Handler> => new Map([['GET', { answer }]])
  return new Map([
    ['/', get(exchange => home(exchange, base))],
    ['/openapi.json', get(exchange => json(exchange, asJson()))],
    ['/openapi.yaml', get(exchange => text(exchange, asYaml(), 'application/yaml'))],
    ['/.well-known/api-catalog', get(exchange => text(exchange, apiCatalog(base), LINKSET))],
    ['/llms.txt', get(exchange => text(exchange, llmsText(base, serves), 'text/markdown; charset=utf-8'))],
    ...docsPaths().map(([path, answer]): [string, ReadonlyMap<string, Handler>] => [path, get(answer)]),
    ['/livez', get(exchange => json(exchange, '{"status":"live"}'))],
    ['/readyz', get(exchange => ready(exchange, engine.ping))],
    ['/metrics', get(exchange => measured(exchange, pipeline, metrics))],
  ])
}

/** Links to everything: a page for browsers, JSON for everybody else. */
function home(exchange: Exchange, base: string): Response {
  const wantsPage = (exchange.request.headers.get('accept') ?? '').includes('text/html')
  const response = wantsPage
    ? text(exchange, homeHtml(), 'text/html; charset=utf-8')
    : text(exchange, homeJson(base), 'application/json')
  response.headers.set('Vary', 'Accept')
  return response
}

async function ready(exchange: Exchange, ping: () => Promise<void>): Promise<Response> {
  try {
    await ping()
  } catch {
    throw new StoreError('overloaded', 'The database does not answer.', { retryAfterSeconds: 5 })
  }
  return json(exchange, '{"status":"ready"}')
}

/** For callers on this machine; others need an admin key. */
async function measured(
  exchange: Exchange,
  { engine, guesses }: Pipeline,
  metrics: Metrics,
): Promise<Response> {
  if (!LOOPBACK.test(exchange.address)) {
    const caller = await authenticate(exchange, engine.readRow, guesses)
    if (caller.keyId === null) {
      throw new StoreError('authentication_required', 'From another machine the metrics need an admin key.')
    }
    if (!holds(caller, 'admin')) {
      throw new StoreError('insufficient_scope', 'The metrics need the scope admin.', { scope: 'admin' })
    }
  }
  return new Response(await metrics.text(), {
    headers: { ...exchange.headers, 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' },
  })
}

function json(exchange: Exchange, body: string): Response {
  return text(exchange, body, 'application/json')
}

function text({ headers }: Exchange, body: string, type: string): Response {
  return new Response(body, { headers: { ...headers, 'Content-Type': type, 'Cache-Control': 'no-cache' } })
}

/** Makes a text when it is first asked for. */
function once(make: () => string): () => string {
  let made: string | undefined
  return () => {
    made ??= make()
    return made
  }
}
