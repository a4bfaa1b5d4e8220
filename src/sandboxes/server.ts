import type { Server } from 'bun'
import { StoreError } from '../contract/error.ts'
import { sandboxNotFound, shuttingDown } from '../contract/refusals.ts'
import { Admission } from '../http/limits/admission.ts'
import { clientAddress, isFromThisMachine } from '../http/limits/client-address.ts'
import { type Rate, RateLimiter } from '../http/limits/rate-limit.ts'
import { responseLog } from '../http/observe/access-log.ts'
import { mediaTypeOf } from '../http/pages/content.ts'
import { FOR_ANY_ORIGIN } from '../http/pages/documents.ts'
import { HTML } from '../http/pages/frame.ts'
import { bearerToken } from '../http/pipeline/auth.ts'
import { namesPage } from '../http/pipeline/negotiate.ts'
import { makeRequestIds, type RequestContext, targetOf, varyBy } from '../http/request/request-context.ts'
import { textResponse } from '../http/request/text-response.ts'
import { isPreflight } from '../http/router/cors.ts'
import { fixedContent, get, LINKSET, metricsResponse, probe } from '../http/router/fixed-paths.ts'
import {
  closingConnections,
  type Methods,
  makeAnyPathHandler,
  makePathHandler,
  type Paths,
  type RoutesOptions,
} from '../http/router/routes.ts'
import type { OpenapiVersion } from '../openapi/renderings.ts'
import { baseOf, LAST_REQUESTS_MS } from '../serving/server.ts'
import { getError, listErrors } from '../shop/errors/verbs.ts'
import { isKeyText } from '../shop/keys/key-text.ts'
import { writeJson } from '../values/json.ts'
import { errorText } from '../values/log.ts'
import { unheldSleep } from '../values/unheld-sleep.ts'
import { readHostKey } from './classes/host-key.ts'
import { sandboxFailed } from './contract/refusals.ts'
import { type HostOptions, SandboxHost } from './host/host.ts'
import { HostApi } from './host-api/host-api.ts'
import { HostMetrics } from './host-metrics.ts'
import { boardPage } from './pages/board-page.ts'
import { joinPage } from './pages/join-page.ts'
import { landingPage } from './pages/landing-page.ts'
import { hostPageHeaders, pageFiles } from './pages/page-frame.ts'
import { noSandboxPage, printPage } from './pages/print-page.ts'
import { masked } from './requests/masked.ts'

/** The maximum rate of requests to the host itself, per address. Each sandbox has its own limit. */
const HOST_RATE: Rate = { requests: 6000, seconds: 60 }

export interface SandboxServer {
  readonly host: SandboxHost
  readonly base: string
  /** Makes the readiness probe fail, so that load balancers use other hosts. Requests are still served. */
  drain(): void
  stop(): Promise<void>
}

export async function serveSandboxes(
  options: Omit<HostOptions, 'base'> & { readonly baseUrl?: string | undefined },
  listener: Server<undefined>,
): Promise<SandboxServer> {
  const { hostname = '127.0.0.1', port } = listener
  const base = options.baseUrl ?? baseOf(hostname, port)
  const host = new SandboxHost({ ...options, base })
  await host.prepare()
  const hostApi = openHostApi(options, host, base)
  const admission = new Admission()
  let isDraining = false
  const metrics = new HostMetrics({ ...options, host, isDraining: () => isDraining })
  const sendMetrics = async (context: RequestContext): Promise<Response> => {
    if (!isFromThisMachine(context.request, context.findPeer(), base)) hostApi.requireHostKey(context)
    return metricsResponse(context, await metrics.text())
  }
  const paths = [
    ...hostApi.paths(),
    ...pagePaths(base, host, () => isDraining),
    ['/metrics', get(sendMetrics)] as const,
  ]
  const routing = hostRouting(options, base, { admission, metrics, paths: new Map(paths) })
  const respondAsHost = makePathHandler(routing)
  const respondAnywhere = makeAnyPathHandler(routing)
  const refuse = (request: Request, server: Server<undefined>, refusal: StoreError) =>
    respondAnywhere(request, server, ({ headers }) => {
      // If a preflight is refused, the browser never sends the request, and its page cannot read the refusal.
      if (isPreflight(request)) return new Response(null, { status: 204, headers })
      throw refusal
    })
  const respondAsSandbox = async (
    request: Request,
    server: Server<undefined>,
    path: string,
  ): Promise<Response> => {
    const [id = '', ...rest] = path.slice('/s/'.length).split('/')
    try {
      if (!host.find(id)) throw sandboxNotFound()
      return await host.use(id, sandbox => sandbox.respond(request, server, `/${rest.join('/')}`))
    } catch (error) {
      if (error instanceof StoreError && error.code === 'sandbox_not_found' && asksForPage(request))
        return respondAnywhere(request, server, context => sendNoSandbox(context, base))
      if (error instanceof StoreError) return refuse(request, server, error)
      options.log.error({ sandbox: id, error: errorText(error) }, 'a sandbox failed')
      return refuse(request, server, sandboxFailed())
    }
  }
  const fetch = (request: Request, server: Server<undefined>): Response | Promise<Response> => {
    const { path } = targetOf(request.url)
    return path.startsWith('/s/')
      ? respondAsSandbox(request, server, path)
      : respondAsHost(request, server, path)
  }
  listener.reload({ routes: {}, fetch })
  return {
    host,
    base,
    drain: () => {
      isDraining = true
      listener.reload({ routes: {}, fetch: closingConnections(fetch) })
    },
    stop: async () => {
      const refusing = listener.stop()
      hostApi.end()
      await Promise.race([admission.drain(), unheldSleep(LAST_REQUESTS_MS)])
      await host.close()
      await listener.stop(true)
      await refusing
    },
  }
}

function openHostApi(
  { directory, clock, limits }: Pick<HostOptions, 'directory' | 'clock' | 'limits'>,
  host: SandboxHost,
  base: string,
): HostApi {
  return new HostApi({
    host,
    hostKey: readHostKey(directory),
    base,
    clock,
    createdPerHour: limits.createdPerHour,
    // The limit on creations must hold for a page of another origin that is open in a browser on this machine.
    isLocal: ({ request, findPeer }) =>
      isFromThisMachine(request, findPeer(), base) && isFromHostPageOrProgram(request, base),
  })
}

/** Returns whether a browser shows the response to its user: an address that was opened names HTML in Accept. */
function asksForPage({ method, headers }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && namesPage(headers)
}

/** Returns whether a request comes from a page of the host itself, or from a program, which sends no Origin. */
function isFromHostPageOrProgram({ headers }: Request, base: string): boolean {
  const origin = headers.get('origin')
  return origin === null || origin === new URL(base).origin
}

type HostOptionsOfRouting = Pick<HostOptions, 'log' | 'clock' | 'trustedProxies' | 'idleSeconds'>

function hostRouting(
  { log, clock, trustedProxies, idleSeconds }: HostOptionsOfRouting,
  base: string,
  { admission, metrics, paths }: { admission: Admission; metrics: HostMetrics; paths: Paths },
): RoutesOptions {
  const logResponse = responseLog(log)
  return {
    pipeline: {
      base,
      rateLimiter: new RateLimiter(HOST_RATE, () => performance.now()),
    },
    paths,
    admission,
    allowedOrigins: ['*'],
    clock,
    newRequestId: makeRequestIds(),
    addressOf: clientAddress(trustedProxies),
    idleSeconds,
    onResponse: (responded, status, tookMs, error) => {
      metrics.countResponse(responded.errorCode)
      // Somebody may have pasted a key or the code of a class into an address.
      logResponse({ ...responded, path: masked(responded.path) }, status, tookMs, error)
    },
  }
}

/** The descriptions of the host, each with its path without the extension. */
const DESCRIPTIONS = [
  { path: '/openapi-sandboxes', version: '3.0' },
  { path: '/openapi-sandboxes-3.1', version: '3.1' },
  { path: '/openapi-sandboxes-3.2', version: '3.2' },
] as const satisfies readonly { path: string; version: OpenapiVersion }[]

/** Returns the API catalogue of the host (RFC 9727): its descriptions. Each sandbox has a catalogue of its own. */
function hostCatalog(base: string): string {
  const links = DESCRIPTIONS.flatMap(({ path }) => [
    { href: `${base}${path}.json`, type: 'application/json' },
    { href: `${base}${path}.yaml`, type: 'application/yaml' },
  ])
  return writeJson({ linkset: [{ anchor: `${base}/`, 'service-desc': links }] })
}

function publicFile(type: string, make: () => Promise<string> | string): Methods {
  return fixedContent(type, make, FOR_ANY_ORIGIN)
}

function pagePaths(base: string, host: SandboxHost, isDraining: () => boolean): Paths {
  const description = async (version: OpenapiVersion) => {
    const { describeIn } = await import('../openapi/renderings.ts')
    return describeIn(version, (await import('./host-api/description.ts')).hostApi, { base })
  }
  return new Map([
    ['/', fixedContent(HTML, () => landingPage(base), hostPageHeaders)],
    ...pageFiles.map(
      ({ path, text }) => [path, fixedContent(mediaTypeOf(path), () => text, hostPageHeaders)] as const,
    ),
    // These pages are the same for all classes, so they do not show which exist.
    ['/board/{classId}', get(context => sendPage(context, 200, boardPage(base)))],
    ['/join/{classId}', get(context => sendPage(context, 200, joinPage(base)))],
    ['/sandboxes/{sandboxId}/print', get(context => sendPrintPage(context, base, host))],
    ...DESCRIPTIONS.flatMap(({ path, version }): [string, Methods][] => [
      [`${path}.json`, publicFile('application/json', async () => writeJson(await description(version)))],
      [
        `${path}.yaml`,
        publicFile('application/yaml', async () =>
          (await import('../openapi/yaml.ts')).writeYaml(await description(version)),
        ),
      ],
    ]),
    ['/.well-known/api-catalog', publicFile(LINKSET, () => hostCatalog(base))],
    // The `type` of a problem (RFC 9457) is the address `/errors/{code}` of its code.
    ['/errors', get(async ({ headers }) => jsonResponse(headers, writeJson((await listErrors()).items)))],
    [
      '/errors/{code}',
      get(async ({ headers, pathParameters: { code = '' } }) =>
        jsonResponse(headers, writeJson(await getError({}, { code }))),
      ),
    ],
    ['/livez', probe(context => jsonResponse(context.headers, '{"status":"live"}'))],
    [
      '/readyz',
      probe(({ headers }) => {
        if (isDraining()) throw shuttingDown()
        return jsonResponse(headers, writeJson({ status: 'ready', ...host.counts }))
      }),
    ],
  ])
}

/** Sends the print page of a sandbox. The request needs no key, because the id is unguessable. */
function sendPrintPage(context: RequestContext, base: string, host: SandboxHost): Response {
  const record = host.find(context.pathParameters.sandboxId ?? '')
  if (!record) return sendNoSandbox(context, base)
  // The page only shows the key of the request. Whether it is the right one is not checked, so nobody can guess keys.
  const token = bearerToken(context.request.headers.get('authorization') ?? '')
  const key = token !== undefined && isKeyText(token) ? token : undefined
  const isOfClass = record.classId !== undefined
  return sendPage(context, 200, printPage(base, host.show(record), { key, isOfClass }))
}

function sendNoSandbox(context: RequestContext, base: string): Response {
  varyBy(context.headers, 'Accept')
  return sendPage(context, 404, noSandboxPage(base))
}

function sendPage(context: RequestContext, status: number, html: string): Response {
  const fields = { ...context.headers, ...hostPageHeaders, 'Content-Type': HTML, 'Cache-Control': 'no-store' }
  return textResponse(context, html, fields, status)
}

function jsonResponse(headers: Readonly<Record<string, string>>, body: string): Response {
  return new Response(body, {
    headers: { ...headers, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  })
}
