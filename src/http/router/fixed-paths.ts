import type { Operation } from '../../contract/operation.ts'
import { metricsNeedAdmin, metricsNeedKey, overloaded, shuttingDown } from '../../contract/refusals.ts'
import { hasScope } from '../../contract/scopes.ts'
import type { RepresentationCache } from '../cache/representation-cache.ts'
import { isFromThisMachine } from '../limits/client-address.ts'
import type { Metrics } from '../observe/metrics.ts'
import { PROMETHEUS_TYPE } from '../observe/prometheus.ts'
import type { StoreStates } from '../observe/store-state.ts'
import { backupRoutes, type ConsoleBackups } from '../pages/console-backups.ts'
import { consoleRoutes } from '../pages/console-page.ts'
import { prepareContent, prepareOnce, sendContent } from '../pages/content.ts'
import { apiCatalog, homeHeaders, homeHtml, homeJson, llmsText, securityText } from '../pages/discovery.ts'
import { docsRoutes } from '../pages/docs-page.ts'
import { documentFiles, documentRoutes, FOR_ANY_ORIGIN, schemaFiles } from '../pages/documents.ts'
import { HTML } from '../pages/frame.ts'
import type { Pages } from '../pages/pages.ts'
import { authenticate } from '../pipeline/auth.ts'
import { namesPage } from '../pipeline/negotiate.ts'
import { enforceRateLimit, type Pipeline } from '../pipeline/pipeline.ts'
import type { Handler } from '../request/request-context.ts'
import { type RequestContext, varyBy } from '../request/request-context.ts'
import { textResponse } from '../request/text-response.ts'
import type { Methods, Paths } from './routes.ts'

const PLAIN_TEXT = 'text/plain; charset=utf-8'
export const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

interface FixedPathsOptions {
  /** The address of a sandbox in the host API. */
  readonly hostApi?: string | undefined
  /** The contact in security.txt, which does not exist without one. */
  readonly securityContact?: string | undefined
  /** The name of the shop on its receipts. */
  readonly shopName?: string | undefined
  readonly clock: () => number
  /** The backups that the console makes; undefined if it makes none. */
  readonly backups?: ConsoleBackups | undefined
}

/**
 * Returns the paths that are not operations of the contract: pages, descriptions, probes, metrics, and what only the
 * console uses.
 */
export function fixedPaths(
  pipeline: Pipeline,
  metrics: Metrics,
  serves: (operation: Operation) => boolean,
  pages: Pages,
  { hostApi, securityContact, shopName, clock, backups }: FixedPathsOptions,
  cache: RepresentationCache | undefined,
  states: StoreStates,
): Paths {
  const { base } = pipeline
  const texts = pages.descriptions
  const catalog = '/.well-known/api-catalog'
  return new Map([
    ['/', get(context => sendHome(context, base))],
    // RFC 9727, section 2 requires this link on HEAD.
    [
      catalog,
      fixedContent(LINKSET, async () => apiCatalog(base, documentFiles(), await schemaFiles(texts, serves)), {
        ...FOR_ANY_ORIGIN,
        Link: `<${base}${catalog}>; rel="api-catalog"`,
      }),
    ],
    ['/llms.txt', fixedContent('text/markdown; charset=utf-8', () => llmsText(base, serves))],
    ...[
      ...documentRoutes(base, texts, serves),
      ...docsRoutes(base, pages.docsScript),
      ...pages.guides,
      ...consoleRoutes(base, pages.console, {
        hostApi,
        shopName,
        timeZone: pipeline.timeZone,
        currency: pipeline.currency,
      }),
    ].map(([path, handle]): [string, Methods] => [path, get(handle)]),
    ...(securityContact === undefined
      ? []
      : [
          [
            '/.well-known/security.txt',
            get(context => sendText(context, securityText(base, securityContact, clock()), PLAIN_TEXT)),
          ] as const,
        ]),
    ...(backups ? backupRoutes(backups, pipeline) : []),
    ['/livez', probe(context => sendText(context, '{"status":"live"}', 'application/json'))],
    ['/readyz', probe(context => sendReadiness(context, states))],
    [
      '/metrics',
      new Map([
        [
          'GET',
          { isCounting: true, handle: context => sendMetrics(context, pipeline, states, metrics, cache) },
        ],
      ]),
    ],
  ])
}

export function get(handle: Handler['handle']): Methods {
  return new Map([['GET', { handle }]])
}

export function probe(handle: Handler['handle']): Methods {
  return new Map([['GET', { handle, isProbe: true }]])
}

/** Returns the methods of a path whose content is made once, for its first request. */
export function fixedContent(
  type: string,
  make: () => Promise<string> | string,
  fields?: Readonly<Record<string, string>>,
): Methods {
  const content = prepareOnce(async () => prepareContent(type, await make()))
  return get(async context => sendContent(context, await content(), fields))
}

/** Returns links to every entry point, as a page for browsers and as JSON for all other clients. */
function sendHome(context: RequestContext, base: string): Response {
  varyBy(context.headers, 'Accept')
  if (!namesPage(context.request.headers)) return sendText(context, homeJson(base), 'application/json')
  Object.assign(context.headers, homeHeaders)
  return sendText(context, homeHtml(base), HTML)
}

async function sendReadiness(context: RequestContext, { notReady }: StoreStates): Promise<Response> {
  const reason = await notReady()
  if (reason === 'draining') throw shuttingDown()
  if (reason === 'schema') throw overloaded('The tables of the database are those of another version.', 5)
  if (reason === 'database') throw overloaded('The database does not respond.', 5)
  return sendText(context, '{"status":"ready"}', 'application/json')
}

/**
 * Returns the metrics. A program on this machine needs no key; a client elsewhere or behind a proxy needs an admin key.
 */
async function sendMetrics(
  context: RequestContext,
  pipeline: Pipeline,
  states: StoreStates,
  metrics: Metrics,
  cache: RepresentationCache | undefined,
): Promise<Response> {
  const { base, callers, failedAuthentications, streams } = pipeline
  // Clients of the same address, such as behind a proxy, must not use up the limit of the program that watches.
  if (!isFromThisMachine(context.request, context.findPeer(), base)) {
    enforceRateLimit(pipeline, context)
    const caller = await authenticate(context, callers, failedAuthentications)
    if (caller.keyId === null) {
      throw metricsNeedKey()
    }
    if (!hasScope(caller, 'admin')) {
      throw metricsNeedAdmin()
    }
  }
  return metricsResponse(context, await metrics.text(await states.read(), streams.count, cache))
}

export function metricsResponse({ headers }: RequestContext, text: string): Response {
  return new Response(text, {
    headers: { ...headers, 'Content-Type': PROMETHEUS_TYPE, 'Cache-Control': 'no-store' },
  })
}

function sendText(context: RequestContext, body: string, type: string): Response {
  const fields = { ...context.headers, 'Content-Type': type, 'Cache-Control': 'no-cache' }
  return textResponse(context, body, fields)
}
