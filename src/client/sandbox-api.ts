// Generated from the contract by `npm run client`. Do not edit.

import type { ErrorCode, Int64Input } from './api-types.ts'
import type { Operations } from './operations.ts'
import type { OperationShape } from './request.ts'

/** The seeds that every host has. */
export type SeedName = 'demo' | 'empty' | 'large'

/** A new sandbox and its key. */
export interface CreatedSandbox {
  /** The id of the sandbox: an unguessable value of 128 bits. */
  id: string
  /** The base address of the store. Every operation of the store works under it. */
  baseUrl: string
  /** A text for people, such as the name of a student. */
  label?: string
  /** What the sandbox started with, and is reset to: `demo`, `empty`, `large`, or `snapshot/{name}` for the snapshot of another sandbox. */
  seed: string
  state: SandboxState
  /** How often the content was created: 1, and one more after each reset. */
  generation: bigint
  /** When it was created. */
  createdAt: string
  /** When it expires. It is deleted at least five minutes later. */
  expiresAt: string
  /** The key of the sandbox: an admin key of its store, and the key of its control operations. Only this response contains it. It is valid for this sandbox only. */
  adminKey: string
}

/** One request to a sandbox, and its response. */
export interface LoggedRequest {
  /** The number of the request in this sandbox: 1, 2, 3, ... */
  number: bigint
  /** When the request arrived. */
  at: string
  /** The method. */
  method: string
  /** The path and query, below the base address. */
  path: string
  /** The header fields of the request. Keys and secrets are replaced by asterisks. */
  requestHeaders: Record<string, string>
  /** The first 4 KiB of the body, as text. */
  requestBody?: string
  /** The status; absent if the connection was dropped. */
  status?: bigint
  /** The header fields of the response. Keys and secrets are replaced by asterisks. */
  responseHeaders?: Record<string, string>
  /** The first 4 KiB of the body, as text. */
  responseBody?: string
  /** The time until the response, in milliseconds. */
  ms: number
  /** The operation; absent if no operation has this method and path. */
  operationId?: string
  /** The failure that a rule caused or the request asked for: the value of the response header Petstore-Fault. */
  fault?: string
}

/** A sandbox to create. */
export interface NewSandbox {
  /** What the sandbox starts with, and is reset to: `demo` (the demo shop), `empty`, `large` (10,000 pets), or the snapshot of another sandbox as `{sandboxId}/{name}`; a snapshot requires the key of its sandbox. */
  seed?: string | undefined
  /** A text for people, such as the name of a student. */
  label?: string | undefined
  /** The time from now until the sandbox expires, in seconds; 86400 by default. */
  lifetimeSeconds?: Int64Input | undefined
}

/** A private store with a lifetime. */
export interface Sandbox {
  /** The id of the sandbox: an unguessable value of 128 bits. */
  id: string
  /** The base address of the store. Every operation of the store works under it. */
  baseUrl: string
  /** A text for people, such as the name of a student. */
  label?: string
  /** What the sandbox started with, and is reset to: `demo`, `empty`, `large`, or `snapshot/{name}` for the snapshot of another sandbox. */
  seed: string
  state: SandboxState
  /** How often the content was created: 1, and one more after each reset. */
  generation: bigint
  /** When it was created. */
  createdAt: string
  /** When it expires. It is deleted at least five minutes later. */
  expiresAt: string
}

/** Whether the store can be used. A damaged one can be reset. */
export type SandboxState = 'ready' | 'damaged'

/** The content of a sandbox at one moment. */
export interface Snapshot {
  /** The name of a snapshot: lower-case letters, digits and hyphens. */
  name: string
  /** The size of the snapshot. */
  bytes: bigint
  /** When it was taken. */
  takenAt: string
}

/** The operations to which a rule can apply. */
export type FaultOperation = keyof Operations | 'streamEvents'

/** What happens: `error` responds with a code of the catalogue; `delay` waits before the request is handled; `drop_before_command` closes the connection before anything has changed; `drop_after_commit` closes it after the change was committed; `truncate` cuts the body of the response; `rate_limit` allows a number of requests per period; `cut_stream` ends an event stream abruptly; the `webhook_` effects change a delivery. */
export type FaultEffect =
  | {
      type: 'error'
      /** `error`: the code. */
      code: ErrorCode
      /** `error` with a status of 429 or 503: the header Retry-After. */
      retryAfterSeconds?: Int64Input | undefined
    }
  | {
      type: 'delay'
      /** `delay` and `webhook_late`: the time, in milliseconds. */
      delayMs: Int64Input
    }
  | { type: 'drop_before_command' }
  | { type: 'drop_after_commit' }
  | {
      type: 'truncate'
      /** `truncate`: the number of bytes that are sent; by default half of the body, or 100 bytes of an event stream. */
      bytes?: Int64Input | undefined
    }
  | {
      type: 'rate_limit'
      /** `rate_limit`: the number of requests allowed in each period. */
      requests: Int64Input
      /** `rate_limit`: the length of the period, in seconds. */
      seconds: Int64Input
    }
  | {
      type: 'cut_stream'
      /** `cut_stream`: the number of events that are sent first; 1 by default. */
      events?: Int64Input | undefined
    }
  | { type: 'webhook_twice' }
  | {
      type: 'webhook_late'
      /** `delay` and `webhook_late`: the time, in milliseconds. */
      delayMs: Int64Input
    }
  | { type: 'webhook_out_of_order' }
  | { type: 'webhook_lost' }

/** When a rule applies: one condition. */
export type FaultCondition =
  | {
      /** Only this call: 1 is the first one after the rules were set. */
      call: Int64Input
    }
  | {
      /** Every n-th call. */
      every: Int64Input
    }
  | {
      /** This share of the calls, above 0 and at most 1, chosen by `seed`. */
      share: number
      /** With `share`: the same seed chooses the same calls; 1 by default. */
      seed?: Int64Input | undefined
    }
  | {
      /** Only calls with this Idempotency-Key. */
      idempotencyKey: string
    }
  | {
      /** Only calls with this header field. */
      header: {
        /** The name of the field. */
        name: string
        /** Its value; any value if absent. */
        value?: string | undefined
      }
    }

/** A failure on demand. */
export interface FaultRule {
  /** The name of the rule. */
  name: string
  /** The operation that the rule is for; all operations if absent. */
  operation?: FaultOperation | undefined
  /** The condition; without one, the rule always applies. */
  when?: FaultCondition | undefined
  /** What the rule does. */
  effect: FaultEffect
}

/** A rule, and how often it was checked and applied. */
export interface FaultRuleState extends FaultRule {
  /** The number of calls for which the rule was checked since the rules were set. */
  calls: bigint
  /** How often the rule was applied. */
  applied: bigint
}

/** How each operation that controls a sandbox is sent. */
export const sandboxOperations = {
  createSandbox: { method: 'POST', path: '/sandboxes' },
  getSandbox: { method: 'GET', path: '/sandboxes/{sandboxId}' },
  updateSandbox: { method: 'PATCH', path: '/sandboxes/{sandboxId}' },
  deleteSandbox: { method: 'DELETE', path: '/sandboxes/{sandboxId}', empty: true },
  resetSandbox: { method: 'POST', path: '/sandboxes/{sandboxId}/reset' },
  listSnapshots: { method: 'GET', path: '/sandboxes/{sandboxId}/snapshots', list: true },
  getSnapshot: { method: 'GET', path: '/sandboxes/{sandboxId}/snapshots/{name}' },
  putSnapshot: { method: 'PUT', path: '/sandboxes/{sandboxId}/snapshots/{name}' },
  deleteSnapshot: { method: 'DELETE', path: '/sandboxes/{sandboxId}/snapshots/{name}', empty: true },
  getClock: { method: 'GET', path: '/sandboxes/{sandboxId}/clock' },
  setClock: { method: 'PUT', path: '/sandboxes/{sandboxId}/clock' },
  getFaults: { method: 'GET', path: '/sandboxes/{sandboxId}/faults' },
  setFaults: { method: 'PUT', path: '/sandboxes/{sandboxId}/faults', hasFractions: true },
  deleteFaults: { method: 'DELETE', path: '/sandboxes/{sandboxId}/faults', empty: true },
  listRequests: {
    method: 'GET',
    path: '/sandboxes/{sandboxId}/requests',
    query: ['limit', 'before'],
    list: true,
  },
  deleteRequests: { method: 'DELETE', path: '/sandboxes/{sandboxId}/requests', empty: true },
} as const satisfies Record<string, OperationShape>
