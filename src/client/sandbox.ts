/// <reference lib="esnext.disposable" preserve="true" />
import type { Int64Input } from './api-types.ts'
import { type Client, type ClientOptions, createClient } from './client.ts'
import { ApiError } from './errors.ts'
import type { FaultRule, FaultRuleState, LoggedRequest, Sandbox, SeedName, Snapshot } from './sandbox-api.ts'
import {
  isFromOtherServer,
  makeSandboxControl,
  type RequestsPage,
  type SandboxControl,
} from './sandbox-control.ts'

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
 * for invalid options, and TypeError if the server has no control operations. Throws ApiError if the host refuses, and
 * ConnectionError if no valid response arrives.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<SandboxClient> {
  const { host = hostOfEnvironment(), seed, seedKey, label, lifetimeSeconds, ...clientOptions } = options
  if (host === undefined) {
    throw new TypeError(
      'Give the address of a host of sandboxes as the option `host`, or in the environment variable PETSTORE_SANDBOXES. "petstore sandboxes" starts a host.',
    )
  }
  const hostControl = makeSandboxControl({ ...clientOptions, baseUrl: host, key: seedKey })
  const created = await hostControl.create({ seed, label, lifetimeSeconds }).catch(error => {
    if (!(error instanceof ApiError) || !isFromOtherServer(error)) throw error
    throw new TypeError(`${host} is not a host of sandboxes: it may be a store, or one sandbox.`, {
      cause: error,
    })
  })
  const { id, baseUrl, adminKey, expiresAt } = created
  const client = createClient({ ...clientOptions, baseUrl, key: adminKey })
  const control = makeSandboxControl({ ...clientOptions, baseUrl: host, key: adminKey })
  return { ...client, id, baseUrl, adminKey, expiresAt, ...controlsOf(control, id) }
}

type SandboxMethods = Omit<SandboxClient, keyof Client | 'id' | 'baseUrl' | 'adminKey' | 'expiresAt'>

function controlsOf(control: SandboxControl, id: string): SandboxMethods {
  const remove = async (): Promise<void> => {
    try {
      await control.delete(id)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'sandbox_not_found') throw error
    }
  }
  return {
    reset: snapshot => control.reset(id, snapshot),
    snapshot: name => control.takeSnapshot(id, name),
    restore: name => control.reset(id, name),
    faults: rules => control.setFaults(id, rules),
    faultStates: () => control.readFaults(id),
    requests: (page = {}) => control.listRequests(id, page),
    clock: instant => control.setClock(id, instant instanceof Date ? instant.toISOString() : instant),
    delete: remove,
    // A browser without `await using` has no such symbol. The name of the member is then the text "undefined".
    [Symbol.asyncDispose]: remove,
  }
}

/** Returns PETSTORE_SANDBOXES on Node, Bun and Deno; undefined if it is empty or not set, and in a browser. */
function hostOfEnvironment(): string | undefined {
  // Safe: the members may be absent, as the type says.
  const { process } = globalThis as { process?: { env?: Readonly<Record<string, string | undefined>> } }
  return process?.env?.PETSTORE_SANDBOXES || undefined
}
