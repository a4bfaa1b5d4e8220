import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSandboxSeed } from '../../src/cli/sandboxes/seeds.ts'
import { lockDirectory } from '../../src/database/sqlite/data-lock.ts'
import type { CreatedSandbox, NewSandbox } from '../../src/sandboxes/contract/schema.ts'
import type { HostOptions, SandboxHost } from '../../src/sandboxes/host/host.ts'
import { defaultLimits, type SandboxLimits } from '../../src/sandboxes/host/limits.ts'
import { serveSandboxes } from '../../src/sandboxes/server.ts'
import { bindPort } from '../../src/serving/server.ts'
import { parseJson } from '../../src/values/json.ts'
import { noteClosedStore, noteOpenedStore } from './left-intervals.ts'

/**
 * A host of sandboxes on a free port, or on the port of the options. Disposing it stops the host and deletes its data.
 */
export interface TestHost extends AsyncDisposable {
  readonly base: string
  readonly host: SandboxHost
  readonly directory: string
  /** The errors that the host logged. */
  readonly errors: readonly object[]
  /** Creates a sandbox over HTTP. Throws unless it gets 201. `key` is that of the sandbox with the snapshot. */
  create(input?: Partial<Record<keyof NewSandbox, unknown>>, key?: string): Promise<TestSandbox>
  /** Stops the host, and keeps its data. */
  stop(): Promise<void>
}

/** A sandbox, and functions that send requests with its key. */
export interface TestSandbox {
  readonly created: CreatedSandbox
  /** Sends a request to its store. The body is sent as JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<CallResult>
  /** Sends a request to the host about the sandbox: `''`, `/reset`, `/faults`, ... */
  callHost(method: string, path: string, body?: unknown): Promise<CallResult>
}

export interface CallOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Whether to send no key. */
  readonly isAnonymous?: boolean
}

export interface CallResult {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; undefined if it is empty or not JSON. */
  readonly data: unknown
}

export type TestHostOptions = Partial<Omit<HostOptions, 'limits'>> & {
  readonly limits?: Partial<SandboxLimits>
  readonly directory?: string
  readonly port?: number
  readonly baseUrl?: string
}

/** Serves a host in this process. By default, webhooks may have private addresses. */
export async function openSandboxHost(options: TestHostOptions = {}): Promise<TestHost> {
  const {
    limits,
    directory = mkdtempSync(join(tmpdir(), 'petstore-sandboxes-')),
    port = 0,
    ...others
  } = options
  const errors: object[] = []
  const lock = lockDirectory(directory)
  const listener = bindPort({ host: '127.0.0.1', port })
  const serving = await serveSandboxes(
    {
      directory,
      loadSeed: loadSandboxSeed,
      clock: Date.now,
      trustedProxies: [],
      allowPrivateWebhooks: true,
      webhooksRefusal: undefined,
      log: {
        access: () => {},
        info: () => {},
        error: (fields, message) => errors.push({ ...fields, message }),
      },
      ...others,
      limits: { ...defaultLimits, ...limits },
    },
    listener,
  )
  noteOpenedStore()
  const { base, host } = serving
  const stop = async (): Promise<void> => {
    await serving.stop()
    lock.release()
  }
  return {
    base,
    host,
    directory,
    errors,
    stop,
    create: (input, key) => createSandbox(base, input, key),
    [Symbol.asyncDispose]: async () => {
      await stop()
      noteClosedStore()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Creates a sandbox on a host. Throws unless the response is 201. */
export async function createSandbox(
  base: string,
  input: Partial<Record<keyof NewSandbox, unknown>> = {},
  key?: string,
): Promise<TestSandbox> {
  const response = await send('POST', `${base}/sandboxes`, { body: input, ...(key && { key }) })
  if (response.status !== 201) throw new Error(`no sandbox was created: ${response.text}`)
  // Safe: the body of a 201 is a created sandbox.
  const created = response.data as CreatedSandbox
  const { id, baseUrl, adminKey } = created
  return {
    created,
    call: (method, path, options) => send(method, baseUrl + path, { key: adminKey, ...options }),
    callHost: (method, path, body) => send(method, `${base}/sandboxes/${id}${path}`, { key: adminKey, body }),
  }
}

async function send(
  method: string,
  url: string,
  { body, headers, key, isAnonymous }: CallOptions & { readonly key?: string },
): Promise<CallResult> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key !== undefined && !isAnonymous && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return {
    status: response.status,
    headers: response.headers,
    text,
    data: isJson && text !== '' ? parseJson(text) : undefined,
  }
}
