import type { Server } from 'bun'
import { StoreError } from '../../contract/error.ts'
import type { Operation } from '../../contract/operation.ts'
import { tooManyInProgress } from '../../contract/refusals.ts'
import { type LightEngine, openLightSqlite } from '../../database/sqlite/light-engine.ts'
import type { TimeSlices } from '../../database/time-slices.ts'
import type { RunInner } from '../../http/agents/tool-call.ts'
import { Admission, type CapacityShare, type SharedCapacity } from '../../http/limits/admission.ts'
import { type Rate, RateLimiter } from '../../http/limits/rate-limit.ts'
import type { Pages } from '../../http/pages/pages.ts'
import { bearerToken, type Callers } from '../../http/pipeline/auth.ts'
import { readParameters } from '../../http/pipeline/parameters.ts'
import { findPath } from '../../http/request/paths.ts'
import { type RequestContext, targetOf } from '../../http/request/request-context.ts'
import { makePathHandler } from '../../http/router/routes.ts'
import { type Service, type ServiceOptions, startService } from '../../serving/service.ts'
import type { Reply } from '../../shop/kernel/idempotency.ts'
import { newKey } from '../../shop/keys/key-text.ts'
import type { Command, CommandResult } from '../../shop/registry/commands.ts'
import { contract, isOperationId, isQueryId, type OperationId } from '../../shop/registry/operations.ts'
import type { Query } from '../../shop/registry/queries.ts'
import { executeCommand, executeQuery } from '../../shop/registry/run.ts'
import { formatInstantMs, storedInstant } from '../../values/instant.ts'
import { type JsonValue, parseJson } from '../../values/json.ts'
import type { Log } from '../../values/log.ts'
import { type Incoming, type Outgoing, post } from '../../webhooks/request.ts'
import { PlantedFaultsOfSandbox } from '../bench/planted.ts'
import type { BenchReply, PlantedCall } from '../bench/planted-fault.ts'
import { DELIVERY, type Happening } from '../classes/conditions.ts'
import { tooManyRequestsOfSandbox } from '../contract/refusals.ts'
import { sendWithFaults } from '../failures/deliveries.ts'
import { FAULT_HEADER, Faults } from '../failures/faults.ts'
import { isAbrupt, isDropped, throttled, withFaults } from '../failures/requests.ts'
import { labPaths } from '../lab/lab.ts'
import { type ClassLesson, lessonRoutes } from '../pages/lesson-page.ts'
import type { SandboxRecord } from '../registry/registry.ts'
import { BodyCapture, captureResponse, WHOLE_BYTES_MAX } from '../requests/body-capture.ts'
import { bodyText, RequestLog } from '../requests/log.ts'
import { masked, maskedHeaders } from '../requests/masked.ts'
import { FairTurns } from './fair-turns.ts'
import { databaseFull, type SandboxLimits, withinLimits } from './limits.ts'

const LAST_REQUESTS_MS = 1000
const NO_BODY = new Uint8Array()

export interface SharedOptions {
  readonly limits: SandboxLimits
  readonly slices: TimeSlices
  readonly capacity: SharedCapacity
  readonly pages: Pages
  readonly secretKey: Uint8Array
  readonly trustedProxies: readonly string[]
  readonly idleSeconds?: number | undefined
  readonly log: Log
  readonly clock: () => number
  readonly delivery: ServiceOptions['delivery']
  readonly allowPrivateWebhooks: boolean
  /** The time zone of every sandbox; UTC by default. */
  readonly timeZone?: string
  /** Why sandboxes send no webhooks; undefined if they do. */
  readonly webhooksRefusal: string | undefined
}

interface OpenSandboxOptions extends SharedOptions {
  readonly record: SandboxRecord
  /** The directory of the sandbox, and the file of its store in it. */
  readonly directory: string
  readonly file: string
  readonly base: string
  /** The address of the sandbox in the host API, for its console. */
  readonly hostApi?: string
  /** Whether the file is checked for damage: after a boot of the machine, or after a fatal error. */
  readonly checks: boolean
  /** Returns how far the lifecycle clock is ahead of the real time, in milliseconds. */
  readonly clockAheadMs: () => number
  readonly onFatal: (reason: string) => void
  /** For the sandbox of a class. */
  readonly ofClass?: {
    /** Called with each response before it is sent. */
    readonly observe: (happening: Happening, sandbox: OpenSandbox) => Promise<void>
    readonly lesson: () => ClassLesson
    readonly isTeacher: (key: string) => boolean
  }
  /** Settles when the sandbox is opened again after it was closed to make room, or will not be. */
  readonly reopened?: Promise<void>
  /** Returns the log of the sandbox, which has another one after it was opened again. */
  readonly findLog?: () => RequestLog | undefined
  /** Replaces options of the store, for tests. */
  readonly service?: Partial<ServiceOptions>
}

/** A sandbox whose database is open: it responds to requests. */
export class OpenSandbox {
  readonly faults: Faults
  readonly planted: PlantedFaultsOfSandbox
  readonly requests: RequestLog
  /** When the sandbox was last used, by `performance.now`. */
  usedMs = performance.now()
  readonly engine: LightEngine<Query, Command, Reply, CommandResult>
  #uses = 0
  readonly #closing = Promise.withResolvers<void>()
  readonly #options: OpenSandboxOptions
  readonly #turns: FairTurns
  readonly #share: CapacityShare
  readonly #admission: Admission
  readonly #operations = new WeakMap<Request, OperationId>()
  /** The requests that planted faults repeat. */
  readonly #exact = new WeakSet<Request>()
  /** A key that no client has, with every scope. */
  readonly #innerKey = newKey()
  readonly #service: Service
  readonly #handle: ReturnType<typeof makePathHandler>

  private constructor(
    options: OpenSandboxOptions,
    engine: LightEngine<Query, Command, Reply, CommandResult>,
    turns: FairTurns,
    requests: RequestLog,
  ) {
    this.#turns = turns
    this.#options = options
    this.#share = { name: options.record.id, shared: options.capacity }
    this.#admission = new Admission(this.#share)
    this.engine = engine
    this.requests = requests
    this.faults = new Faults(options.record.faults)
    this.planted = new PlantedFaultsOfSandbox(options.record.planted ?? '', options.clock)
    this.#service = startService(this.#serviceOptions())
    this.#handle = makePathHandler(this.#service.routing)
  }

  /** Opens the database of a sandbox and starts its store. Throws DamagedDatabase and UnsupportedVersion. */
  static async open(options: OpenSandboxOptions): Promise<OpenSandbox> {
    const { directory, file, limits, slices, checks, onFatal } = options
    const requests = await RequestLog.open(directory)
    const turns = new FairTurns()
    const engine = await openLightSqlite<Query, Command, Reply, CommandResult>({
      file,
      executeQuery,
      slices,
      checks,
      onFatal,
      isSynced: options.ofClass !== undefined,
      onRead: ms => turns.charge(ms),
      executeCommand: withinLimits(executeCommand, limits),
      bytesMax: limits.bytes,
      refuseFull: () => databaseFull(limits),
    })
    return new OpenSandbox(options, engine, turns, requests)
  }

  /**
   * Whether a request is in progress. Requests do not count while they wait for their body, for events, or because of a
   * fault rule. A sandbox in use is not closed to make room for another one.
   */
  get isInUse(): boolean {
    return this.#uses > this.#admission.waiting
  }

  /**
   * Whether an event stream is open, or a request waits. Such a sandbox is not closed as idle, but may be closed to
   * make room.
   */
  get hasListeners(): boolean {
    return this.#service.countStreams() + this.#admission.waiting > 0
  }

  /** Marks the sandbox as in use until `endUse` is called. */
  beginUse(): void {
    this.#uses++
    this.usedMs = performance.now()
  }

  endUse(): void {
    this.#uses--
    this.usedMs = performance.now()
  }

  /**
   * Responds to a request, and logs the request and its response. `path` is below the base address of the sandbox.
   * Throws `overloaded` if too many requests to the sandbox wait.
   */
  async respond(request: Request, server: Server<undefined>, path: string): Promise<Response> {
    if (this.#turns.isFull) throw tooManyInProgress()
    await this.#turns.begin()
    // What a teacher reads in the store is not what the student has done.
    if (this.#isTeacher(bearerToken(request.headers.get('authorization') ?? '')))
      return this.#handle(request, server, path)
    const startedMs = performance.now()
    const at = formatInstantMs(this.#options.clock())
    const body =
      request.body === null
        ? undefined
        : new BodyCapture(request.clone().body ?? request.body, this.#capturedBytes)
    const handled = await this.#handleWithPlanted(request, server, path, body)
    const isStream = handled.headers.get('content-type') === 'text/event-stream'
    const isPassedOn = isAbrupt(handled) || isStream || request.method === 'HEAD'
    const { response, start: responseStart } = isPassedOn
      ? { response: handled, start: NO_BODY }
      : await captureResponse(handled)
    const fault = response.headers.get(FAULT_HEADER)
    const requestBytes = body && (await body.bytes())
    await this.#observe({ request, path, body: requestBytes }, response, responseStart)
    const operationId = this.#operations.get(request)
    if (operationId !== undefined) this.planted.countResponse(operationId, response.status)
    const { query } = targetOf(request.url)
    const log = this.#options.findLog?.() ?? this.requests
    log.add({
      at,
      method: request.method,
      path: masked(query === '' ? path : `${path}?${query}`),
      requestHeaders: maskedHeaders(request.headers),
      ...(requestBytes && requestBytes.length > 0 && { requestBody: bodyText(requestBytes) }),
      ...(!isDropped(response) && {
        status: BigInt(response.status),
        responseHeaders: maskedHeaders(response.headers),
        ...(responseStart.length > 0 && { responseBody: bodyText(responseStart) }),
      }),
      ms: Math.round((performance.now() - startedMs) * 100) / 100,
      ...(operationId !== undefined && { operationId }),
      ...(fault !== null && { fault }),
    })
    return throttled(request, response)
  }

  /** Lets the checks of a class see a request to the store, and its response. */
  async #observe(
    { request, path, body }: { request: Request; path: string; body: Uint8Array | undefined },
    response: Response,
    responseStart: Uint8Array,
  ): Promise<void> {
    const { query } = targetOf(request.url)
    const happening: Happening = {
      operationId: this.#operations.get(request),
      method: request.method,
      target: query === '' ? path : `${path}?${query}`,
      requestHeaders: request.headers,
      requestBody: wholeText(body),
      status: isDropped(response) ? undefined : response.status,
      responseHeaders: response.headers,
      responseBody: wholeText(responseStart),
      atMs: this.#options.clock(),
    }
    await this.#options.ofClass?.observe(happening, this)
  }

  /** Returns a function that runs the request of a tool at `/mcp`, and lets the checks of a class see it. */
  #observed(run: RunInner): RunInner {
    if (!this.#options.ofClass) return run
    return async (outer, request, match) => {
      const body = new Uint8Array(await request.clone().arrayBuffer())
      const handled = await run(outer, request, match)
      const { response, start } = isAbrupt(handled)
        ? { response: handled, start: NO_BODY }
        : await captureResponse(handled)
      // What the teacher does in the store of a student is no work on the lesson, as in `respond`.
      if (!this.#isTeacher(bearerToken(request.headers.get('authorization') ?? '')))
        await this.#observe({ request, path: match.path, body }, response, start)
      return response
    }
  }

  /** Sends a delivery, and lets the checks of a class see it with its outcome. */
  async #post(outgoing: Outgoing): Promise<Incoming> {
    const { url } = outgoing.destination
    const observe = (incoming?: Incoming): Promise<void> | undefined =>
      this.#options.ofClass?.observe(
        {
          operationId: DELIVERY,
          method: 'POST',
          target: url.pathname + url.search,
          requestHeaders: new Headers(outgoing.headers),
          requestBody: outgoing.body,
          status: incoming?.status,
          responseHeaders: new Headers(),
          responseBody: incoming?.reply ?? '',
          atMs: this.#options.clock(),
        },
        this,
      )
    try {
      const incoming = await post(outgoing)
      await observe(incoming)
      return incoming
    } catch (error) {
      await observe()
      throw error
    }
  }

  /** A check is evaluated on whole bodies, and a planted fault may repeat a request. */
  get #capturedBytes(): number | undefined {
    if (!this.planted.isEmpty) return Number.POSITIVE_INFINITY
    return this.#options.ofClass && WHOLE_BYTES_MAX
  }

  /** Returns the response of the store, as the planted faults make it. */
  async #handleWithPlanted(
    request: Request,
    server: Server<undefined>,
    path: string,
    body: BodyCapture | undefined,
  ): Promise<Response> {
    const operationId = this.planted.operationOf(request.method, path)
    if (operationId === undefined) return this.#handle(request, server, path)
    const before = this.planted.needsBefore(operationId) ? await this.readState(path) : undefined
    const response = await this.#handle(request, server, path)
    if (isAbrupt(response)) return response
    if (response.headers.get('content-type') === 'text/event-stream')
      return this.planted.changeStream(response, operationId)
    const sent = new TextDecoder().decode(await body?.bytes())
    const reply = await replyOf(response)
    const url = new URL(request.url, this.#options.base)
    const again: PlantedCall['again'] = async ({ without, query, isAdmin }) => {
      const headers = new Headers(request.headers)
      headers.delete(FAULT_HEADER)
      if (without !== undefined) headers.delete(without)
      if (isAdmin) headers.set('Authorization', `Bearer ${this.#innerKey}`)
      if (query) url.search = query.toString()
      const repeat = new Request(url.href, {
        method: request.method,
        headers,
        ...(sent !== '' && { body: sent }),
      })
      this.#exact.add(repeat)
      return replyOf(await this.#handle(repeat, server, path))
    }
    const wrong = await this.planted.changeReply(reply, {
      operationId,
      method: request.method,
      path,
      query: url.searchParams,
      headers: request.headers,
      body: sent,
      nowMs: this.#options.clock(),
      before,
      again,
    })
    return responseOf(wrong, request.method)
  }

  /** Adds the key of the requests that a planted fault lets in, and that of the teacher. */
  #withInnerKey(callers: Callers): Callers {
    const admin = { keyId: 1n, scopes: ['admin'] }
    return {
      ...callers,
      known: token =>
        callers.known(token) ?? (token === this.#innerKey || this.#isTeacher(token) ? admin : undefined),
    }
  }

  #isTeacher(key: string | undefined): boolean {
    return key !== undefined && this.#options.ofClass?.isTeacher(key) === true
  }

  /**
   * Returns the body of a GET of the store, without faults and without an entry in the log; undefined if there is no
   * such operation, or if it fails.
   */
  async readState(target: string): Promise<JsonValue | undefined> {
    const { body = null } = (await this.#read(target)) ?? {}
    return body === null ? undefined : parseJson(body)
  }

  /** Returns all items of a list of the store, like `readState`. */
  async readAll(path: string): Promise<JsonValue[]> {
    const items: JsonValue[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const query = new URLSearchParams({ limit: '100', ...(cursor !== '' && { cursor }) })
      const reply: Reply | undefined = await this.#read(`${path}?${query}`)
      const page = parseJson(reply?.body ?? '[]')
      if (Array.isArray(page)) items.push(...page)
      cursor = reply?.next
    }
    return items
  }

  async #read(target: string): Promise<Reply | undefined> {
    const [path = '', query = ''] = target.split('?')
    const reads = Object.entries<Operation>(contract).filter(([, { method }]) => method === 'GET')
    const templates = reads.map(([, operation]) => operation.path)
    const match = findPath(templates, path)
    const [id = '', operation] = reads.find(([, { path }]) => path === match?.template) ?? []
    if (!match || !operation || !isOperationId(id) || !isQueryId(id)) return undefined
    try {
      const input = readParameters(operation, { path, query, pathParameters: match.parameters })
      return await this.engine.readLong({
        id,
        input,
        now: storedInstant(this.#options.clock()),
        base: this.#options.base,
        keyId: null,
        timeZone: this.#options.timeZone,
      })
    } catch (error) {
      if (error instanceof StoreError) return undefined
      throw error
    }
  }

  /** Ends streams and deliveries, waits up to a second for the requests in progress, and closes the database. */
  async close(): Promise<void> {
    this.#closing.resolve()
    // Requests that wait need nothing of the store, and may wait for long.
    await this.#service.stop(this.isInUse ? LAST_REQUESTS_MS : 0)
    await this.requests.close()
    await this.engine.close()
  }

  /** Returns what sends deliveries: as the rules say, of what the planted faults make of them. */
  #sendWithFaults(): typeof post {
    const ends = { hostLimit: this.#options.delivery?.hostLimit, closing: this.#closing.promise }
    const planted = sendWithFaults(this.planted, ends, outgoing =>
      this.#post(this.planted.changeSent(outgoing)),
    )
    return sendWithFaults(this.faults, ends, planted)
  }

  #serviceOptions(): ServiceOptions {
    const options = this.#options
    const { limits, record, clock, log } = options
    const rate: Rate = { requests: limits.requestsPerMinute, seconds: 60 }
    const total = new RateLimiter(rate, () => performance.now())
    const note = ({ request, route }: RequestContext): void => {
      if (route) this.#operations.set(request, route.id)
    }
    const enter = (context: RequestContext): void => {
      note(context)
      const { refusal } = total.take(record.id)
      if (!refusal) return
      throw tooManyRequestsOfSandbox(limits.requestsPerMinute, refusal.details)
    }
    return {
      engine: this.engine,
      slices: options.slices,
      share: this.#share,
      admission: this.#admission,
      ...(options.reopened && { reopened: options.reopened }),
      base: options.base,
      ...(options.hostApi !== undefined && { hostApi: options.hostApi }),
      stability: 'experimental',
      rateLimit: rate,
      // Any page may call a sandbox: this is safe, because browsers add no key to a request by themselves.
      corsOrigins: ['*'],
      trustedProxies: options.trustedProxies,
      idleSeconds: options.idleSeconds,
      secretKey: options.secretKey,
      allowPrivateWebhooks: options.allowPrivateWebhooks,
      timeZone: options.timeZone,
      // The limit on the number of events bounds what is kept.
      eventRetention: 'forever',
      log: {
        access: entry => log.access(`${entry.slice(0, -1)},"sandbox":"${record.id}"}`),
        info: (fields, message) => log.info({ ...fields, sandbox: record.id }, message),
        error: (fields, message) => log.error({ ...fields, sandbox: record.id }, message),
      },
      clock,
      lifecycleClock: () => clock() + options.clockAheadMs(),
      // The engine has no reader worker, and its reads cost little more than those of the cache.
      cache: 'off',
      streams: { streamsMax: limits.streams, streamsPerCallerMax: limits.streams },
      pages: {
        ...options.pages,
        guides: [...options.pages.guides, ...lessonRoutes(options.base, options.ofClass?.lesson)],
      },
      mcp: true,
      morePaths: labPaths(options.base),
      wrapHandler: (handler, isInner) =>
        withFaults(handler, {
          faults: this.faults,
          isExact: request => this.#exact.has(request),
          // The request that calls a tool has been counted.
          enter: isInner ? note : enter,
          sleep: wait => Promise.race([wait(), this.#closing.promise]),
        }),
      wrapTools: run => this.#observed(run),
      wrapCallers: callers => this.#withInnerKey(callers),
      contentTag: contentTagOf(record),
      ...options.service,
      delivery: {
        ...options.delivery,
        ...options.service?.delivery,
        send: this.#sendWithFaults(),
      },
      ...(options.webhooksRefusal !== undefined && { webhooksRefusal: options.webhooksRefusal }),
    }
  }
}

async function replyOf(response: Response): Promise<BenchReply> {
  const { status, headers } = response
  return { status, headers, text: await response.text() }
}

function responseOf({ status, headers, text }: BenchReply, method: string): Response {
  const fields = new Headers(headers)
  // The length of a response to HEAD is that of the body of GET.
  if (method !== 'HEAD') fields.delete('Content-Length')
  return new Response(text === '' ? null : text, { status, headers: fields })
}

/** Returns a body as text; empty if it is too large for a check. */
function wholeText(bytes: Uint8Array | undefined): string {
  return bytes && bytes.length <= WHOLE_BYTES_MAX ? new TextDecoder().decode(bytes) : ''
}

const CONTENT_TAG_MAX = 9_000_000n

/** Returns the tag of the content of a sandbox since its last reset. Cursors contain it. */
function contentTagOf({ id, generation }: SandboxRecord): bigint {
  return (BigInt(Bun.hash(`${id}/${generation}`)) % CONTENT_TAG_MAX) + 1n
}
