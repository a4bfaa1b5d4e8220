/// <reference lib="esnext.disposable" preserve="true" />
import type { Int64Input } from './api-types.ts'
import { type Client, type ClientOptions, createClient, createHostClient } from './client.ts'
import { ApiError } from './errors.ts'
import type {
  FaultRule,
  FaultRuleState,
  HostOperations,
  LoggedRequest,
  Sandbox,
  SeedName,
  Snapshot,
} from './sandbox-api.ts'

export interface SandboxOptions extends Omit<ClientOptions, 'baseUrl' | 'key'> {
  /**
   * The base address of the host, such as `http://127.0.0.1:8081`. Default: the environment variable
   * `PETSTORE_SANDBOXES`.
   */
  readonly host?: string | URL | undefined
  /**
   * The content of the store: `demo` (the default), `empty`, `large`, or a snapshot of another sandbox as
   * `{sandboxId}/{name}`, which requires `seedKey`.
   */
  readonly seed?: SeedName | `${string}/${string}` | undefined
  /** The key of the sandbox whose snapshot is the seed. */
  readonly seedKey?: string | undefined
  /** A text for people, such as the name of a test. */
  readonly label?: string | undefined
  /** The time until the sandbox expires, in seconds, from 60 to 604,800; a day by default. */
  readonly lifetimeSeconds?: Int64Input | undefined
}

/** A part of the request log. */
export interface RequestsPage {
  /** The maximum number of requests, from 1 to 1,000; 100 by default. */
  readonly limit?: number | undefined
  /** Only requests before the one with this number. */
  readonly before?: bigint | number | undefined
}

/**
 * A private store: a client of it with its admin key, and the operations that control it. At the end of a block with
 * `await using`, it is deleted.
 */
export interface SandboxClient extends Client, AsyncDisposable {
  readonly id: string
  /** The base address of the store, for other clients and processes. */
  readonly baseUrl: string
  /** The admin key of the store. No other store accepts it. */
  readonly adminKey: string
  /** When the sandbox expires. The host deletes it at least five minutes later. */
  readonly expiresAt: string
  /**
   * Restores the content of the seed, or of a snapshot of this sandbox. Ids that the store has assigned since that
   * state are assigned again, except the ids of events. The key, the clock, the fault rules and the request log remain.
   */
  reset(snapshot?: string): Promise<Sandbox>
  /** Stores the current content under a name of lower-case letters, digits and hyphens. */
  snapshot(name: string): Promise<Snapshot>
  /** Restores the content of a snapshot: the same as `reset` with its name. */
  restore(name: string): Promise<Sandbox>
  /** Replaces all fault rules, and returns them. Their counts begin at 0. An empty list removes all rules. */
  faults(rules: readonly FaultRule[]): Promise<FaultRuleState[]>
  /** Returns the fault rules, and how often each was applied. */
  faultStates(): Promise<FaultRuleState[]>
  /** Returns the last requests to the store and their responses, the newest first. */
  requests(page?: RequestsPage): Promise<LoggedRequest[]>
  /**
   * Sets the clock that decides which operations have been retired, and returns its instant. null sets it to the real
   * time.
   */
  clock(instant: string | Date | null): Promise<string>
  /** Deletes the sandbox. Does nothing if it does not exist, for example because it expired. */
  delete(): Promise<void>
}

/**
 * Creates a sandbox on a host (`petstore sandboxes`), and returns a client of its store. Throws TypeError or RangeError
 * for invalid options, and TypeError if the server has no host API. Throws ApiError if the host refuses, and
 * ConnectionError if no valid response arrives.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<SandboxClient> {
  const { host = hostOfEnvironment(), seed, seedKey, label, lifetimeSeconds, ...clientOptions } = options
  if (host === undefined) {
    throw new TypeError(
      'Give the address of a host of sandboxes as the option `host`, or in the environment variable PETSTORE_SANDBOXES. "petstore sandboxes" starts a host.',
    )
  }
  const anyone = createHostClient({ ...clientOptions, baseUrl: host, key: seedKey })
  const created = await anyone.createSandbox({ body: { seed, label, lifetimeSeconds } }).catch(error => {
    if (!(error instanceof ApiError) || !isFromOtherServer(error)) throw error
    throw new TypeError(`${host} is not a host of sandboxes: it may be a store, or one sandbox.`, {
      cause: error,
    })
  })
  const { id, baseUrl, adminKey, expiresAt } = created.data
  const client = createClient({ ...clientOptions, baseUrl, key: adminKey })
  const owner = createHostClient({ ...clientOptions, baseUrl: host, key: adminKey })
  return { ...client, id, baseUrl, adminKey, expiresAt, ...sandboxMethods(owner, id) }
}

type SandboxMethods = Omit<SandboxClient, keyof Client | 'id' | 'baseUrl' | 'adminKey' | 'expiresAt'>

function sandboxMethods(host: HostOperations, sandboxId: string): SandboxMethods {
  const remove = async (): Promise<void> => {
    try {
      await host.deleteSandbox({ sandboxId })
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'sandbox_not_found') throw error
    }
  }
  const reset: SandboxMethods['reset'] = async snapshot =>
    (await host.resetSandbox({ sandboxId, body: { snapshot } })).data
  return {
    reset,
    snapshot: async name => (await host.putSnapshot({ sandboxId, name })).data,
    restore: reset,
    faults: async rules => (await host.setFaults({ sandboxId, body: { rules } })).data.rules,
    faultStates: async () => (await host.getFaults({ sandboxId })).data.rules,
    requests: async (page = {}) => (await host.listRequests({ sandboxId, ...page })).data,
    clock: async instant => {
      const now = instant instanceof Date ? instant.toISOString() : instant
      const { data } = await host.setClock({ sandboxId, body: { now } })
      // Safe: null is only in requests.
      return data.now as string
    },
    delete: remove,
    // A browser without `await using` has no such symbol. The name of the member is then the text "undefined".
    [Symbol.asyncDispose]: remove,
  }
}

/** The codes of the responses (404 or 405) of a server without the host API. */
const OTHER_SERVER_CODES: readonly string[] = ['route_not_found', 'method_not_allowed', 'unknown']

/** Returns whether a refusal comes from a server without the host API, such as a store. */
export function isFromOtherServer({ status, code }: ApiError): boolean {
  return (status === 404 || status === 405) && OTHER_SERVER_CODES.includes(code)
}

/** Returns PETSTORE_SANDBOXES on Node, Bun and Deno; undefined if it is empty or not set, and in a browser. */
function hostOfEnvironment(): string | undefined {
  // Safe: the members may be absent, as the type says.
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } }
  return process?.env?.PETSTORE_SANDBOXES || undefined
}
