import type { z } from 'zod'
import { StoreError } from '../../contract/error.ts'
import { readJson } from '../../contract/json-body.ts'
import { locationOf, type Operation } from '../../contract/operation.ts'
import {
  sandboxKeyRequired,
  sandboxNotFound,
  unsupportedMediaType,
  wrongSandboxKey,
} from '../../contract/refusals.ts'
import { type Rate, RateLimiter } from '../../http/limits/rate-limit.ts'
import { bearerToken, FAILED_AUTHENTICATIONS } from '../../http/pipeline/auth.ts'
import { assertNotRefused, nextTurn, receiveBody, refuseBodyByHeaders } from '../../http/pipeline/body.ts'
import { CHUNK_BYTES, largeBody } from '../../http/pipeline/large-body.ts'
import { refuseUnacceptable } from '../../http/pipeline/negotiate.ts'
import { readParameters } from '../../http/pipeline/parameters.ts'
import { refusalResponse } from '../../http/pipeline/problem.ts'
import { validateBody } from '../../http/pipeline/validate.ts'
import type { Handler, RequestContext } from '../../http/request/request-context.ts'
import { textResponse } from '../../http/request/text-response.ts'
import type { Methods, Paths } from '../../http/router/routes.ts'
import { keyHash } from '../../shop/keys/key-text.ts'
import { formatInstantMs } from '../../values/instant.ts'
import { rateGroup } from '../../values/ip-address.ts'
import { writeJson } from '../../values/json.ts'
import { faultTexts } from '../bench/catalogue.ts'
import { controlCalls } from '../classes/conditions.ts'
import {
  codeRequired,
  hostKeyRequired,
  huntInProgress,
  teacherKeyRequired,
  teacherOnly,
  tooManyCreated,
  wrongCode,
  wrongHostKey,
  wrongTeacherKey,
} from '../contract/refusals.ts'
import { type LifecycleClock, snapshotSeed } from '../contract/schema.ts'
import type { SandboxHost } from '../host/host.ts'
import type { OpenSandbox } from '../host/open-sandbox.ts'
import type { SandboxRecord } from '../registry/registry.ts'
import type { LogPage } from '../requests/log.ts'
import { RequestStreams } from '../requests/streams.ts'
import { sendArchive, wholePage } from './archive.ts'
import { type HostOperationId, hostOperations } from './operations.ts'

const REQUESTS_DEFAULT = 100
/** How often those with the code of a class can read its names or join it: a school may have one address. */
const JOINS: Rate = { requests: 1200, seconds: 60 }

interface HostApiOptions {
  readonly host: SandboxHost
  /** The key of the host, which creates classes. */
  readonly hostKey: string
  /** The base address of the host. */
  readonly base: string
  readonly createdPerHour: number
  readonly clock: () => number
  /**
   * Returns whether a request comes directly from this machine, and not from a page of another origin. `createdPerHour`
   * does not apply to such a request.
   */
  readonly isLocal: (context: RequestContext) => boolean
}

/** The last instant of the API. A lifecycle clock that reaches it stops there. */
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z')

interface HostCall<Body, Target> {
  readonly context: RequestContext
  /** The sandbox, or the id of the class, that the path names; undefined if the operation acts on the host. */
  readonly target: Target
  /** The path and query parameters by name. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The validated body; undefined if there is none. */
  readonly body: Body
}

/** The result of an operation: a resource or a list to encode, undefined for status 204, or a complete response. */
type HostResult = object | undefined | Response

type HostHandler<Body, Target> = (call: HostCall<Body, Target>) => Promise<HostResult> | HostResult

/** The type of the validated body of an operation. It includes undefined if the body may be absent. */
type BodyOf<O extends Operation> =
  | (O extends { body: infer B extends z.ZodType } ? z.output<B> : undefined)
  | (O extends { isBodyOptional: true } ? undefined : never)

type TargetOf<O extends Operation> = O extends { actsOn: 'sandbox' }
  ? SandboxRecord
  : O extends { actsOn: 'class' | 'invitation' }
    ? string
    : undefined

type HostHandlers = {
  readonly [Id in HostOperationId]: HostHandler<
    BodyOf<(typeof hostOperations)[Id]>,
    TargetOf<(typeof hostOperations)[Id]>
  >
}

interface HandledOperation {
  readonly id: string
  readonly operation: Operation
  readonly handle: HostHandler<unknown, unknown>
}

/** The operations of the host API, as handlers by path. */
export class HostApi {
  readonly #options: HostApiOptions
  readonly #host: SandboxHost
  readonly #created: RateLimiter
  readonly #wrongKeys = new RateLimiter(FAILED_AUTHENTICATIONS, () => performance.now())
  readonly #joins = new RateLimiter(JOINS, () => performance.now())
  readonly #streams = new RequestStreams()
  readonly #hostKeyHash: string

  constructor(options: HostApiOptions) {
    this.#options = options
    this.#host = options.host
    this.#hostKeyHash = keyHash(options.hostKey)
    const rate = { requests: options.createdPerHour, seconds: 3600 }
    this.#created = new RateLimiter(rate, () => performance.now())
  }

  paths(): Paths {
    const paths = new Map<string, Map<string, Handler>>()
    for (const [id, operation] of Object.entries<Operation>(hostOperations)) {
      const methods = paths.get(operation.path) ?? new Map<string, Handler>()
      // Safe: the keys of the contract are its ids, and `#handle` makes the body and the target of each operation.
      const handle = this.#handlers[id as HostOperationId] as HostHandler<unknown, unknown>
      methods.set(operation.method, {
        handle: context => this.#handle({ id, operation, handle }, context),
        // Wrong codes are counted for the address, and must not use up what it has left for the right one.
        ...(operation.actsOn === 'invitation' && { isCounting: true }),
      })
      paths.set(operation.path, methods)
    }
    return paths satisfies ReadonlyMap<string, Methods>
  }

  end(): void {
    this.#streams.end()
  }

  /** Returns the response to one request. Runs the steps of a store, in the same order. */
  async #handle({ id, operation, handle }: HandledOperation, context: RequestContext): Promise<Response> {
    const { request, headers } = context
    const { body: schema, isBodyOptional, success, location } = operation
    const target = this.#targetOf(operation, context)
    refuseUnacceptable(request.headers, operation)
    const isWithoutBody = request.body === null || request.headers.get('content-length') === '0'
    const readsBody = schema && !(isBodyOptional && isWithoutBody)
    // An optional body without a type may turn out to be empty.
    const isTyped = !isBodyOptional || request.headers.has('content-type')
    if (readsBody && isTyped) refuseBodyByHeaders(request)
    const parameters = readParameters(operation, context)
    const bytes = readsBody ? await receiveBody(context) : new Uint8Array()
    const run = async (): Promise<HostResult> => {
      if (!isTyped && bytes.length > 0) throw unsupportedMediaType(request.method)
      const isAbsent = isBodyOptional && bytes.length === 0
      const body = schema && !isAbsent ? validateBody(schema, readJson(bytes)) : undefined
      // With a body, `receiveBody` has already waited for a turn.
      if (!readsBody) await nextTurn()
      assertNotRefused(request)
      return handle({ context, target, parameters, body })
    }
    const result = await this.#observed(id, context, bytes, run)
    headers['Cache-Control'] = 'no-store'
    if (result instanceof Response) return result
    if (result === undefined) return new Response(null, { status: 204, headers })
    if (location !== undefined) headers.Location = this.#options.base + locationOf(location, result)
    headers['Content-Type'] = 'application/json'
    return textResponse(context, writeJson(result), headers, success.status)
  }

  /**
   * Returns the sandbox or the class that the path names, if the key of the request may use the operation. Throws
   * `invalid_parameter` for a malformed id, and the refusals of keys.
   */
  #targetOf(operation: Operation, context: RequestContext): SandboxRecord | string | undefined {
    const { sandboxId = '', classId = '' } = context.pathParameters
    if (operation.actsOn === 'invitation') {
      readParameters(operation, context)
      const hash = this.#host.classes.codeHashOf(classId)
      this.#refuseOtherKeys(context, hash === undefined ? [] : [hash], codeRequired(), wrongCode())
      const { refusal } = this.#joins.take(classId)
      if (refusal) throw refusal
      return classId
    }
    if (operation.actsOn === 'class') {
      readParameters(operation, context)
      const { keyHash } = this.#host.classes.find(classId)
      this.#refuseOtherKeys(context, [keyHash, this.#hostKeyHash], teacherKeyRequired(), wrongTeacherKey())
      return classId
    }
    if (operation.actsOn === 'host') {
      if (operation.scope !== 'public') this.requireHostKey(context)
      return undefined
    }
    if (!this.#host.find(sandboxId)) readParameters(operation, context)
    return this.#authorized(sandboxId, context, operation.isForTeacher)
  }

  /** Throws unless the request has the key of the host: after too many wrong keys from one address, `rate_limited`. */
  requireHostKey(context: RequestContext): void {
    this.#refuseOtherKeys(context, [this.#hostKeyHash], hostKeyRequired(), wrongHostKey())
  }

  /** Throws unless the request has one of the keys: after too many wrong keys from one address, `rate_limited`. */
  #refuseOtherKeys(
    context: RequestContext,
    hashes: readonly string[],
    required: StoreError,
    wrong: StoreError,
  ): string {
    const header = context.request.headers.get('authorization')
    const token = header === null ? undefined : bearerToken(header)
    if (token === undefined) throw required
    const hash = keyHash(token)
    if (hashes.includes(hash)) return hash
    throw this.#wrongKeys.take(rateGroup(context.address)).refusal ?? wrong
  }

  /** Runs a control call, and lets the checks of a class see it with its result or its refusal. */
  async #observed(
    id: string,
    context: RequestContext,
    body: Uint8Array,
    run: () => Promise<HostResult>,
  ): Promise<HostResult> {
    if (!controlCalls.some(call => call === id)) return run()
    try {
      const result = await run()
      const text = result === undefined ? null : writeJson(result)
      await this.#observe(id, context, body, new Response(text, { status: text === null ? 204 : 200 }))
      return result
    } catch (error) {
      if (error instanceof StoreError)
        await this.#observe(id, context, body, refusalResponse(context, error, this.#options.base))
      throw error
    }
  }

  /** Lets the checks of a class see a control call of a student. The sandbox is not opened for that. */
  async #observe(id: string, context: RequestContext, body: Uint8Array, response: Response): Promise<void> {
    const { request, pathParameters, nowMs } = context
    const { sandboxId = '' } = pathParameters
    if (!hasOwnKey(context, this.#host.find(sandboxId))) return
    const happening = {
      operationId: id,
      method: request.method,
      target: context.path,
      atMs: nowMs,
      requestHeaders: request.headers,
      requestBody: new TextDecoder().decode(body),
      status: response.status,
      responseHeaders: response.headers,
      responseBody: await response.text(),
    }
    await this.#host.classes.observe(sandboxId, happening, undefined)
  }

  /**
   * Returns the sandbox if the request carries its key, or that of the teacher of its class. Throws
   * `sandbox_not_found`, `authentication_required` or `invalid_token`; after too many wrong keys from one address,
   * `rate_limited`; and `insufficient_scope` if only the teacher may do it.
   */
  #authorized(sandboxId: string, context: RequestContext, isForTeacher = false): SandboxRecord {
    const record = this.#host.find(sandboxId)
    if (!record) throw sandboxNotFound()
    const { classId } = record
    const teachers =
      classId === undefined ? [] : [this.#host.classes.find(classId).keyHash, this.#hostKeyHash]
    const keys = [record.keyHash, ...teachers]
    const hash = this.#refuseOtherKeys(context, keys, sandboxKeyRequired(), wrongSandboxKey())
    if (isForTeacher && classId !== undefined && !teachers.includes(hash)) throw teacherOnly()
    return record
  }

  /** Changes the faults of a sandbox, and stores them. If they cannot be stored, they stay as they were. */
  #changeFaults<Result>(
    { id }: SandboxRecord,
    change: (sandbox: Pick<OpenSandbox, 'faults' | 'planted'>) => Result,
  ): Promise<Result> {
    return this.#host.use(id, async sandbox => {
      const { faults, planted } = sandbox
      const before = { faults: faults.save(), planted: planted.save() }
      const result = change(sandbox)
      try {
        this.#host.saveFaults(id)
      } catch (error) {
        faults.restore(before.faults)
        planted.restore(before.planted)
        throw error
      }
      return result
    })
  }

  /** Counts a creation. Throws `rate_limited` if the address has created too many sandboxes. */
  #countCreation(context: RequestContext): void {
    if (this.#options.isLocal(context)) return
    const { refusal } = this.#created.take(rateGroup(context.address))
    if (!refusal) return
    throw tooManyCreated(this.#options.createdPerHour, refusal.details.retryAfterSeconds ?? 1)
  }

  readonly #handlers: HostHandlers = {
    createSandbox: async ({ context, body }) => {
      const input = body ?? {}
      const source = snapshotSeed(input.seed ?? '')
      if (source) this.#authorized(source.sandboxId, context)
      this.#countCreation(context)
      return this.#host.create(input)
    },
    getSandbox: ({ target }) => this.#host.show(target),
    updateSandbox: ({ target, body }) => this.#host.update(target.id, body),
    deleteSandbox: async ({ target }) => this.#host.delete(target.id),
    resetSandbox: ({ target, body }) => this.#host.reset(target.id, body?.snapshot),
    listSnapshots: ({ target }) => this.#host.listSnapshots(target.id),
    getSnapshot: ({ target, parameters }) => this.#host.showSnapshot(target.id, String(parameters.name)),
    putSnapshot: async ({ target, parameters }) =>
      this.#host.takeSnapshot(target.id, String(parameters.name)),
    deleteSnapshot: async ({ target, parameters }) =>
      this.#host.deleteSnapshot(target.id, String(parameters.name)),
    getClock: ({ target }) => this.#clockOf(target.clockAheadMs),
    setClock: ({ target, body }) => {
      const { now } = body
      const aheadMs = now === null ? 0 : Date.parse(now) - this.#options.clock()
      this.#host.setClock(target.id, aheadMs)
      return this.#clockOf(aheadMs)
    },
    getFaults: ({ target }) => this.#host.use(target.id, async ({ faults }) => faults.states()),
    setFaults: ({ target, body }) =>
      this.#changeFaults(target, ({ faults }) => {
        faults.set(body.rules)
        return faults.states()
      }),
    deleteFaults: ({ target }) =>
      this.#changeFaults(target, ({ faults }) => {
        faults.set([])
        return undefined
      }),
    listPlantableFaults: () => faultTexts,
    getPlantedFaults: ({ target }) =>
      this.#host.use(target.id, async ({ planted }) => {
        if (planted.isHunted) throw huntInProgress()
        return { faults: planted.choices() }
      }),
    setPlantedFaults: ({ target, body }) =>
      this.#changeFaults(target, ({ planted }) => {
        planted.set(body.faults)
        return { faults: planted.choices() }
      }),
    startHunt: ({ target, body }) => this.#changeFaults(target, ({ planted }) => planted.startHunt(body)),
    getBenchReport: ({ target }) => this.#host.use(target.id, async ({ planted }) => planted.report()),
    scoreFindings: ({ target, body }) => this.#changeFaults(target, ({ planted }) => planted.report(body)),
    listRequests: ({ context, target, parameters }) => {
      // Safe: the parameters were read as the contract says.
      const { limit = REQUESTS_DEFAULT, before } = parameters as { limit?: number; before?: bigint }
      return this.#host.use(target.id, async ({ requests }) =>
        sendLogPage(context, await requests.page(limit, before === undefined ? undefined : Number(before))),
      )
    },
    getArchive: ({ context, target }) =>
      this.#host.use(target.id, async sandbox => sendArchive(context, sandbox)),
    replaceSandboxKey: ({ target }) => this.#host.replaceKey(target.id),
    getProgress: ({ context, target }) => {
      if (hasOwnKey(context, target)) this.#host.classes.noteUse(target.id)
      return this.#host.classes.progressOf(target.id)
    },
    createClass: ({ body }) => this.#host.ofClasses.createClass(body),
    listClasses: () => this.#host.classes.list(),
    getClass: ({ target }) => this.#host.classes.board(target),
    updateClass: ({ target, body }) => this.#host.ofClasses.updateClass(target, body),
    readInvitation: ({ target }) => this.#host.ofClasses.readInvitation(target),
    joinClass: ({ target, body }) => this.#host.ofClasses.joinClass(target, body),
    openInvitation: ({ target }) => this.#host.ofClasses.openInvitation(target),
    closeInvitation: async ({ target }) => this.#host.ofClasses.closeInvitation(target),
    deleteClass: ({ target }) => this.#host.ofClasses.deleteClass(target),
    addStudents: ({ target, body }) => this.#host.ofClasses.addStudents(target, body.students),
    removeStudent: ({ context, target }) =>
      this.#host.ofClasses.removeStudent(target, context.pathParameters.sandboxId ?? ''),
    deleteRequests: ({ target }) =>
      this.#host.use(target.id, async ({ requests }) => {
        await requests.clear()
        return undefined
      }),
    streamRequests: ({ context, target }) =>
      this.#host.use(target.id, async ({ requests }) => this.#streams.respond(context, target.id, requests)),
  }

  #clockOf(aheadMs: number): LifecycleClock {
    return { now: formatInstantMs(Math.min(this.#options.clock() + aheadMs, LAST_INSTANT_MS)) }
  }
}

/** Returns whether a request has the key of the sandbox, and not that of the teacher. */
function hasOwnKey({ request }: RequestContext, record: SandboxRecord | undefined): boolean {
  return record?.keyHash === keyHash(bearerToken(request.headers.get('authorization') ?? '') ?? '')
}

/** Sends a page of a request log, a large one while it is read. */
async function sendLogPage(context: RequestContext, page: LogPage): Promise<Response> {
  const headers = {
    ...context.headers,
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
  }
  const isHead = context.request.method === 'HEAD'
  if (!isHead && page.bytes > CHUNK_BYTES) return new Response(largeBody(context, page), { headers })
  try {
    if (!isHead) return new Response(await wholePage(page), { headers })
    return new Response(null, { headers: { ...headers, 'Content-Length': String(page.bytes) } })
  } finally {
    await page.close()
  }
}
