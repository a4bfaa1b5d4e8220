import { describe } from '../contract/openapi.ts'
import type { Operation } from '../contract/operation.ts'
import { StoreError } from '../model/error.ts'
import { writeJson } from '../model/json.ts'
import { holds } from '../shop/keys.ts'
import { authenticate } from './auth.ts'
import type { Exchange } from './exchange.ts'
import type { Metrics } from './metrics.ts'
import type { Pipeline } from './pipeline.ts'
import type { Handler, Paths } from './routes.ts'

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/

/** What the service says of itself, beside the operations of its description. */
export function servicePaths(
  pipeline: Pipeline,
  metrics: Metrics,
  serves: (operation: Operation) => boolean,
): Paths {
  const { base, engine } = pipeline
  const description = writeJson(describe({ base, serves }))
  const links = { description: `${base}/openapi.json`, errors: `${base}/errors`, pets: `${base}/pets` }
  const get = (answer: Handler['answer']): ReadonlyMap<string, Handler> => new Map([['GET', { answer }]])
  return new Map([
    ['/', get(exchange => json(exchange, writeJson({ name: 'petstore', version: '1.0.0', links })))],
    ['/openapi.json', get(exchange => json(exchange, description))],
    ['/livez', get(exchange => json(exchange, '{"status":"live"}'))],
    ['/readyz', get(exchange => ready(exchange, engine.ping))],
    ['/metrics', get(exchange => measured(exchange, pipeline, metrics))],
  ])
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

function json({ headers }: Exchange, body: string): Response {
  return new Response(body, {
    headers: { ...headers, 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' },
  })
}
