// Generated from the contract by `npm run client`. Do not edit.

import type { ErrorCode, Int64Input } from './api-types.ts'
import type { CallOptions } from './call.ts'
import type { OperationShape } from './request.ts'
import type { ApiResponse } from './response.ts'

/** The seeds that every host has. */
export type SeedName = 'demo' | 'empty' | 'large'

/** What a tool did to a sandbox, and noticed. */
export interface BenchReport {
  hunt?: Hunt
  /** The responses since the faults were planted. */
  exercised: ExercisedOperation[]
  /** The planted faults; absent during a hunt. */
  faults?: FaultOutcome[]
  /** The result by class; only in the response to findings. */
  scores?: ClassScore[]
  /** The findings that belong to no planted fault, and to no run without faults. */
  falseAlarms?: bigint
}

/** A column of the board. */
export interface BoardExercise {
  /** The id of an exercise. */
  id: string
  /** The heading in the lesson. */
  title: string
  /** Whether the lesson has a hint. */
  hasHint: boolean
  /** Whether every student sees it now. */
  isHintOpen: boolean
}

/** A row of the board. */
export interface BoardStudent {
  /** The id of the sandbox: an unguessable value of 128 bits. */
  sandboxId: string
  /** The name that the board shows. */
  name: string
  /** What makes the student unique in the class, such as an e-mail address. */
  identifier: string
  /** When somebody joined with the name, or first used its key. */
  takenAt?: string
  /** When the last request arrived. */
  lastActivityAt?: string
  /** The requests to the store and the control calls of the last 60 seconds. */
  requestsPerMinute: bigint
  /** The last request that failed, and its response, until the next exercise is done. */
  lastError?: string
  /** In the order of the exercises of the board. */
  exercises: ExerciseResult[]
}

/** A class, without its students. */
export interface Class {
  /** The id of the class. */
  id: string
  /** The name of the class. */
  name: string
  /** When the sandboxes of the class expire; at most 200 days from now. */
  endsAt: string
  /** When it was created. */
  createdAt: string
  /** The number of students that the host reserves sandboxes and space for. */
  places: bigint
}

/** A class with its students and what they have done. */
export interface ClassBoard {
  /** The id of the class. */
  id: string
  /** The name of the class. */
  name: string
  /** When the sandboxes of the class expire; at most 200 days from now. */
  endsAt: string
  /** When it was created. */
  createdAt: string
  /** The number of students that the host reserves sandboxes and space for. */
  places: bigint
  /** When the link for students was opened; absent if it is closed. */
  invitationOpenedAt?: string
  /** The exercises of the lesson. */
  exercises: BoardExercise[]
  /** The students, by name. */
  students: BoardStudent[]
}

/** The members to change, as a JSON Merge Patch (RFC 7396). */
export interface ClassPatch {
  /** When the sandboxes of the class expire; at most 200 days from now. */
  endsAt?: string | undefined
  /** The number of students that the host reserves sandboxes and space for. */
  places?: Int64Input | undefined
  /** Another lesson. An exercise whose title stays keeps what was met, except for changed lines of its check. */
  lesson?: string | undefined
  /** The exercises whose hints every student sees now. The others open an hour after their first request. */
  openHints?: readonly string[] | undefined
}

/** The result of one class of faults. */
export interface ClassScore {
  class: PlantedFaultClass
  /** The number of planted faults. */
  planted: bigint
  /** How many of them the tool provoked. */
  provoked: bigint
  /** How many of them it provoked and reported. */
  reported: bigint
}

/** A new class and the key of its teacher. */
export interface CreatedClass {
  /** The id of the class. */
  id: string
  /** The name of the class. */
  name: string
  /** When the sandboxes of the class expire; at most 200 days from now. */
  endsAt: string
  /** When it was created. */
  createdAt: string
  /** The number of students that the host reserves sandboxes and space for. */
  places: bigint
  /** The key of the teacher, for this class only. Only this response contains it. */
  teacherKey: string
}

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
  /** What tells a student of a class from others with the same name. Absent outside of a class. */
  identifier?: string
}

/** Ends an event stream abruptly. */
export interface CutStreamEffect {
  /** The type. */
  type: 'cut_stream'
  /** The number of events that are sent first; 1 by default. */
  events?: Int64Input | undefined
}

/** Waits before the request is handled. */
export interface DelayEffect {
  /** The type. */
  type: 'delay'
  /** The time, in milliseconds. */
  delayMs: Int64Input
  /** Up to this time is added at random, in milliseconds. */
  jitterMs?: Int64Input | undefined
}

/** Closes the connection after the change was committed. */
export interface DropAfterCommitEffect {
  /** The type. */
  type: 'drop_after_commit'
}

/** Closes the connection before anything has changed. */
export interface DropBeforeCommandEffect {
  /** The type. */
  type: 'drop_before_command'
}

/** Responds with a code of the catalogue. */
export interface ErrorEffect {
  /** The type. */
  type: 'error'
  code: ErrorCode
  /** For a status of 429 or 503: the header Retry-After. */
  retryAfterSeconds?: Int64Input | undefined
}

/** What a student has done of one exercise, and its hint. */
export interface ExerciseProgress {
  /** The id of an exercise. */
  id: string
  state: ExerciseState
  /** How many lines of the check were met. */
  met: bigint
  /** How many lines the check has. */
  of: bigint
  /** When all were met. */
  doneAt?: string
  /** The heading in the lesson. */
  title: string
  /** The hint, as Markdown, once it is open. */
  hint?: string
}

/** What a student has done of one exercise. */
export interface ExerciseResult {
  /** The id of an exercise. */
  id: string
  state: ExerciseState
  /** How many lines of the check were met. */
  met: bigint
  /** How many lines the check has. */
  of: bigint
  /** When all were met. */
  doneAt?: string
  /** The requests that belong to the exercise, until it was done. */
  tries: bigint
}

/** How far a student is with an exercise. */
export type ExerciseState = 'open' | 'tried' | 'done'

/** How often an operation responded with a status. */
export interface ExercisedOperation {
  /** The operationId of an operation of the store. */
  operation: string
  /** The status. */
  status: bigint
  /** The number of responses. */
  count: bigint
}

/** When a rule applies: one condition; without one, the rule always applies. */
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
      /** The same seed chooses the same calls; 1 by default. */
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

/** What a rule does to a request, or with a delivery. Its `type` determines its members. */
export type FaultEffect =
  | ErrorEffect
  | DelayEffect
  | ThrottleEffect
  | DropBeforeCommandEffect
  | DropAfterCommitEffect
  | TruncateEffect
  | RateLimitEffect
  | CutStreamEffect
  | WebhookTwiceEffect
  | WebhookLateEffect
  | WebhookOutOfOrderEffect
  | WebhookLostEffect

/** The operation that the rule is for; all operations if absent. */
export type FaultOperation =
  | 'listPets'
  | 'createPet'
  | 'getPet'
  | 'updatePet'
  | 'deletePet'
  | 'listCategories'
  | 'createCategory'
  | 'getCategory'
  | 'updateCategory'
  | 'deleteCategory'
  | 'listOrders'
  | 'placeOrder'
  | 'getOrder'
  | 'updateOrder'
  | 'cancelOrder'
  | 'recordSale'
  | 'returnOrder'
  | 'returnSale'
  | 'listSales'
  | 'listSalesTotals'
  | 'listInventory'
  | 'getInventoryItem'
  | 'setInventory'
  | 'adjustInventory'
  | 'listMovements'
  | 'getStoreSummary'
  | 'listEvents'
  | 'streamEvents'
  | 'listAudit'
  | 'listWebhooks'
  | 'createWebhook'
  | 'rotateWebhookSecret'
  | 'sendTestEvent'
  | 'listDeliveries'
  | 'redeliver'
  | 'redeliverFailed'
  | 'getWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'listKeys'
  | 'createKey'
  | 'getCurrentKey'
  | 'revokeKey'
  | 'listErrors'
  | 'getError'

/** What became of a planted fault. */
export interface FaultOutcome {
  /** The id of the fault. */
  id: string
  class: PlantedFaultClass
  /** The operationId of an operation of the store. */
  operation?: string
  /** How many wrong responses or events left the store. */
  provoked: bigint
  first?: FirstProvocation
  reportedBy?: FindingMatch
}

/** A failure on demand. */
export interface FaultRule {
  /** The name of the rule. */
  name: string
  operation?: FaultOperation | undefined
  when?: FaultCondition | undefined
  effect: FaultEffect
}

/** A rule, and how often it was checked and applied. */
export interface FaultRuleState {
  /** The name of the rule. */
  name: string
  operation?: FaultOperation
  when?: FaultCondition
  effect: FaultEffect
  /** The number of calls that the rule was checked for since the rules were set. */
  calls: bigint
  /** How often the rule was applied. */
  applied: bigint
}

/** All rules of a sandbox, with their counts. */
export interface FaultRuleStates {
  rules: FaultRuleState[]
}

/** All rules of a sandbox. */
export interface FaultRules {
  /** The rules. Only the first rule that applies to a call takes effect. */
  rules: readonly FaultRule[]
}

/** How a finding was matched to the fault; absent if none was. */
export type FindingMatch = 'request' | 'operation and status' | 'operation'

/** The first of them. */
export interface FirstProvocation {
  /** When it was sent. */
  at: string
  /** The operationId of an operation of the store. */
  operation: string
  /** The status. */
  status: bigint
  /** Its X-Request-Id; for a delivery, its webhook-id. */
  requestId: string
}

/** The name of a student with which nobody has joined. */
export interface FreeName {
  /** The name that the board shows. */
  name: string
  /** What tells the student from another one with this name; absent if the name does. */
  identifier?: string
}

/** A search for unknown faults. */
export interface Hunt {
  /** The same seed plants the same faults. */
  seed: bigint
  class?: PlantedFaultClass
  /** When the hunt began. */
  startedAt: string
  /** Whether its faults were revealed. */
  isRevealed: boolean
}

/** A link with which students join a class. */
export interface Invitation {
  /** The link for students. Only this response contains its code. */
  link: string
  /** The QR code of the link: the address of an image, with all of it (`data:`). */
  qrCode: string
  /** When the link for students was opened; absent if it is closed. */
  openedAt: string
}

/** What somebody with the link may know of a class. */
export interface InvitedClass {
  /** The name of the class. */
  name: string
  /** The students whose names nobody has taken, by name. */
  students: FreeName[]
  /** Whether a student can join with another name. */
  hasRoom: boolean
}

/** The student who joins. */
export interface Joining {
  /** The name that the board shows. */
  name: string
  /** What tells the student from another one with this name; absent if the name does. */
  identifier?: string | undefined
  /** A random text of the caller. If the response was lost, the same request with the same ticket takes the same name again, for ten minutes. */
  ticket?: string | undefined
}

/** The clock that decides which operations have been retired. */
export interface LifecycleClock {
  /** The instant of the clock. In a request, null returns it to the real time. */
  now: string | null
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

/** A class to create. */
export interface NewClass {
  /** The name of the class. */
  name: string
  /** The lesson: Markdown with blocks for checks, solutions, hints and answers. */
  lesson: string
  /** When the sandboxes of the class expire; at most 200 days from now. */
  endsAt: string
  /** The number of students that the host reserves sandboxes and space for. */
  places: Int64Input
}

/** Which faults are planted: unknown ones of one class, or of all classes if absent. */
export interface NewHunt {
  /** The same seed plants the same faults. */
  seed: Int64Input
  class?: PlantedFaultClass | undefined
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

/** A student to add. */
export interface NewStudent {
  /** The name that the board shows. */
  name: string
  /** What makes the student unique in the class, such as an e-mail address. */
  identifier: string
}

/** Students to add to a class. */
export interface NewStudents {
  /** The students. Those that the class has are left as they are. */
  students: readonly NewStudent[]
}

/** A way in which a sandbox can be wrong on purpose. */
export interface PlantableFault {
  /** The id of the fault. */
  id: string
  class: PlantedFaultClass
  /** What is wrong. */
  summary: string
  /** What a correct tool sees. */
  sign: string
  /** What it breaks. */
  clause: string
  /** The operations whose responses it can make wrong. */
  operations: string[]
}

/** A fault to plant. */
export interface PlantedChoice {
  /** The id of the fault. */
  id: string
  /** The only operation that is wrong; all that the fault can be planted in if absent. */
  operation?: string
}

/** What planted faults are about. */
export type PlantedFaultClass =
  | 'schema'
  | 'status'
  | 'headers'
  | 'conditions'
  | 'paging'
  | 'idempotency'
  | 'security'
  | 'state'
  | 'streams'
  | 'webhooks'

/** The faults that are planted in a sandbox. */
export interface PlantedFaults {
  /** The planted faults. */
  faults: PlantedChoice[]
}

/** Allows a number of requests per period. */
export interface RateLimitEffect {
  /** The type. */
  type: 'rate_limit'
  /** The number of requests allowed in each period. */
  requests: Int64Input
  /** The length of the period, in seconds. */
  seconds: Int64Input
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

/** The members to change, as a JSON Merge Patch (RFC 7396). */
export interface SandboxPatch {
  /** A text for people, such as the name of a student. */
  label?: string | null | undefined
  /** The time from now until the sandbox expires, in seconds; unchanged if absent. */
  lifetimeSeconds?: Int64Input | undefined
}

/** What the sandbox is reset to: a snapshot of its own, or its seed if none is named. */
export interface SandboxReset {
  /** The name of a snapshot: lower-case letters, digits and hyphens. */
  snapshot?: string | undefined
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

/** What a student has done. */
export interface StudentProgress {
  /** The exercises of the lesson; empty if the sandbox belongs to no class. */
  exercises: ExerciseProgress[]
}

/** Sends the body of the response slowly. */
export interface ThrottleEffect {
  /** The type. */
  type: 'throttle'
  /** The bytes that are sent in a second. */
  bytesPerSecond: Int64Input
}

/** Something that a tool reported, and where. */
export interface ToolFinding {
  /** What the tool found. */
  message: string
  /** The operationId of an operation of the store. */
  operation?: string | undefined
  /** The method of the request, if the operation is not known. */
  method?: string | undefined
  /** Its path, or the path of the operation in the description. */
  path?: string | undefined
  /** The status. */
  status?: Int64Input | undefined
  /** The X-Request-Id of the response. */
  requestId?: string | undefined
}

/** What a tool reported of a sandbox. */
export interface ToolFindings {
  /** What the tool reported. */
  findings: readonly ToolFinding[]
  /** What it reported in runs without planted faults, with the same options and seed: two are enough. A finding that is in one of them does not count. */
  cleanRuns?: readonly (readonly ToolFinding[])[] | undefined
}

/** Cuts the body of the response. */
export interface TruncateEffect {
  /** The type. */
  type: 'truncate'
  /** The number of bytes that are sent; by default half of the body, or 100 bytes of an event stream. */
  bytes?: Int64Input | undefined
}

/** Sends a delivery later. */
export interface WebhookLateEffect {
  /** The type. */
  type: 'webhook_late'
  /** The time, in milliseconds. */
  delayMs: Int64Input
}

/** Does not send a delivery, which counts as sent. */
export interface WebhookLostEffect {
  /** The type. */
  type: 'webhook_lost'
}

/** Sends a delivery after the next one. */
export interface WebhookOutOfOrderEffect {
  /** The type. */
  type: 'webhook_out_of_order'
}

/** Sends a delivery twice. */
export interface WebhookTwiceEffect {
  /** The type. */
  type: 'webhook_twice'
}

/** The operations that create and control the sandboxes of a host, by operationId. */
export interface HostOperations {
  /**
   * Create a sandbox. Creates a private store and returns its base address and its key. Only this response contains the key. An absent body means a sandbox with the demo shop for 24 hours. A seed that is the snapshot of another sandbox requires the key of that sandbox.
   *
   * Requires no key.
   *
   * Specific errors:
   *
   * - 401 `authentication_required`: The operation requires a key: Authorization: Bearer pst_...
   * - 401 `invalid_token`: The key is malformed, unknown, expired or revoked.
   * - 404 `sandbox_not_found`: There is no sandbox at this address: it expired, was deleted, or never existed.
   * - 404 `snapshot_not_found`: The sandbox has no snapshot with this name.
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   * - 429 `rate_limited`: Too many requests in this window; Retry-After says when to retry.
   */
  createSandbox(
    input?: {
      body?: NewSandbox | undefined
    },
    options?: CallOptions,
  ): Promise<ApiResponse<CreatedSandbox>>

  /**
   * Read a sandbox. Returns the sandbox, without its key.
   *
   * Requires the key of the sandbox.
   */
  getSandbox(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Sandbox>>

  /**
   * Change the label or the lifetime. Changes the members that are present. The lifetime counts from now.
   *
   * Requires the key of the sandbox; in a class, that of the teacher.
   *
   * Specific errors:
   *
   * - 403 `insufficient_scope`: The key does not have the scope that the operation requires.
   */
  updateSandbox(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
      body: SandboxPatch
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Sandbox>>

  /**
   * Delete a sandbox. Deletes the sandbox, its snapshots and its request log at once.
   *
   * Requires the key of the sandbox; in a class, that of the teacher.
   *
   * Specific errors:
   *
   * - 403 `insufficient_scope`: The key does not have the scope that the operation requires.
   */
  deleteSandbox(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<undefined>>

  /**
   * Reset a sandbox. Restores the content of the seed or of a snapshot. Each reset to the same content gives the same data, ids and positions, so that a recorded test can be replayed; only instants, secrets and event ids can differ. Streams end, and earlier cursors are refused. The key, the fault rules, the clock and the request log remain.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 404 `snapshot_not_found`: The sandbox has no snapshot with this name.
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   */
  resetSandbox(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
      body?: SandboxReset | undefined
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Sandbox>>

  /**
   * List the snapshots. Returns all snapshots of the sandbox, sorted by name.
   *
   * Requires the key of the sandbox.
   */
  listSnapshots(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Snapshot[]>>

  /**
   * Read a snapshot. Returns the size of a snapshot, and when it was taken.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 404 `snapshot_not_found`: The sandbox has no snapshot with this name.
   */
  getSnapshot(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
      /** The name of the snapshot. */
      name: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Snapshot>>

  /**
   * Take a snapshot. Stores the current content under a name. An earlier snapshot with this name is overwritten.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 409 `sandbox_limit_reached`: The sandbox or the class has reached a limit; the message names the limit.
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   */
  putSnapshot(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
      /** The name of the snapshot. */
      name: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Snapshot>>

  /**
   * Delete a snapshot. Deletes a snapshot. Sandboxes that were created from it keep a copy.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 404 `snapshot_not_found`: The sandbox has no snapshot with this name.
   */
  deleteSnapshot(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
      /** The name of the snapshot. */
      name: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<undefined>>

  /**
   * Read the lifecycle clock. Returns the instant of the clock, which decides which operations have been retired.
   *
   * Requires the key of the sandbox.
   */
  getClock(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<LifecycleClock>>

  /**
   * Set the lifecycle clock. Sets the clock, which continues from there. Data and events keep the real time.
   *
   * Requires the key of the sandbox.
   */
  setClock(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
      body: LifecycleClock
    },
    options?: CallOptions,
  ): Promise<ApiResponse<LifecycleClock>>

  /**
   * Read the fault rules. Returns the rules, and how often each was checked and applied.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   * - 503 `storage_full`: The storage is full: the store cannot write, but reads still work.
   */
  getFaults(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<FaultRuleStates>>

  /**
   * Set the fault rules. Replaces all rules; their counts begin at 0. Only the first rule that applies to a call takes effect. A response that a rule affected carries the header Petstore-Fault. A single request can also ask for a failure without a rule, with the request header Petstore-Fault.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   * - 503 `storage_full`: The storage is full: the store cannot write, but reads still work.
   */
  setFaults(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
      body: FaultRules
    },
    options?: CallOptions,
  ): Promise<ApiResponse<FaultRuleStates>>

  /**
   * Delete the fault rules. Deletes all rules.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   * - 503 `storage_full`: The storage is full: the store cannot write, but reads still work.
   */
  deleteFaults(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<undefined>>

  /**
   * List the faults that can be planted. Returns all ways in which a sandbox can be wrong on purpose.
   *
   * Requires the key of the sandbox.
   */
  listPlantableFaults(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<PlantableFault[]>>

  /**
   * Read the planted faults. Returns the planted faults. During a hunt, nobody may read them.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   * - 503 `storage_full`: The storage is full: the store cannot write, but reads still work.
   * - 409 `hunt_in_progress`: The planted faults of the sandbox are secret until its findings are scored.
   */
  getPlantedFaults(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<PlantedFaults>>

  /**
   * Plant faults. Replaces the planted faults, and begins a new report; an empty list makes the store right again. The responses of the store, and what it delivers, are then wrong as the faults say, and carry no sign of it. What is stored stays right. Rules and `Petstore-Fault` apply as well: to a store that is wrong. Ends a hunt.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   * - 503 `storage_full`: The storage is full: the store cannot write, but reads still work.
   */
  setPlantedFaults(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
      body: PlantedFaults
    },
    options?: CallOptions,
  ): Promise<ApiResponse<PlantedFaults>>

  /**
   * Plant unknown faults. Replaces the planted faults by unknown ones, each in one operation, and begins a new report. No response names them until `scoreFindings`.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   * - 503 `storage_full`: The storage is full: the store cannot write, but reads still work.
   */
  startHunt(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
      body: NewHunt
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Hunt>>

  /**
   * Read what was exercised and provoked. Returns which operations responded with which statuses since the faults were planted, and, except in a hunt, which faults made a response or a delivery wrong.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   * - 503 `storage_full`: The storage is full: the store cannot write, but reads still work.
   */
  getBenchReport(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<BenchReport>>

  /**
   * Score what a tool reported. Compares the findings of a tool with the faults that it provoked, and returns the report with scores. A finding counts if no run without faults has an equal one, and if it belongs to a wrong response: by its request id, or else by operation and status, or by operation. In a hunt, this reveals the faults and ends the hunt.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   * - 503 `storage_full`: The storage is full: the store cannot write, but reads still work.
   */
  scoreFindings(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
      body: ToolFindings
    },
    options?: CallOptions,
  ): Promise<ApiResponse<BenchReport>>

  /**
   * List the last requests. Returns requests to the sandbox and their responses, the newest first. The log keeps the last 1000, or fewer if they are large.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   * - 503 `storage_full`: The storage is full: the store cannot write, but reads still work.
   */
  listRequests(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
      /** The maximum number of requests; 100 by default. */
      limit?: Int64Input | undefined
      /** Only requests before the one with this number. */
      before?: Int64Input | undefined
    },
    options?: CallOptions,
  ): Promise<ApiResponse<LoggedRequest[]>>

  /**
   * Clear the request log. Deletes all logged requests. The numbers continue.
   *
   * Requires the key of the sandbox; in a class, that of the teacher.
   *
   * Specific errors:
   *
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   * - 503 `storage_full`: The storage is full: the store cannot write, but reads still work.
   * - 403 `insufficient_scope`: The key does not have the scope that the operation requires.
   */
  deleteRequests(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<undefined>>

  /**
   * Replace the key. Gives the sandbox another key at the same address. The key before is revoked, and so are all other keys of the store, also in its snapshots.
   *
   * Requires the key of the sandbox; in a class, that of the teacher.
   *
   * Specific errors:
   *
   * - 403 `insufficient_scope`: The key does not have the scope that the operation requires.
   */
  replaceSandboxKey(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<CreatedSandbox>>

  /**
   * Read the progress of a student. Returns what the student has done of the lesson, and the hints that are open.
   *
   * Requires the key of the sandbox.
   */
  getProgress(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<StudentProgress>>

  /**
   * Create a class. Creates a class without students, and reserves sandboxes and space for them. Only this response contains the key of the teacher.
   *
   * Requires the host key.
   *
   * Specific errors:
   *
   * - 401 `authentication_required`: The operation requires a key: Authorization: Bearer pst_...
   * - 401 `invalid_token`: The key is malformed, unknown, expired or revoked.
   */
  createClass(
    input: {
      body: NewClass
    },
    options?: CallOptions,
  ): Promise<ApiResponse<CreatedClass>>

  /**
   * List the classes. Returns all classes of the host, without their students.
   *
   * Requires the host key.
   *
   * Specific errors:
   *
   * - 401 `authentication_required`: The operation requires a key: Authorization: Bearer pst_...
   * - 401 `invalid_token`: The key is malformed, unknown, expired or revoked.
   */
  listClasses(input?: Record<string, never>, options?: CallOptions): Promise<ApiResponse<Class[]>>

  /**
   * Read a class and its board. Returns the class, its students, and what they have done of each exercise.
   *
   * Requires the key of the teacher, or the host key.
   *
   * Specific errors:
   *
   * - 401 `authentication_required`: The operation requires a key: Authorization: Bearer pst_...
   * - 401 `invalid_token`: The key is malformed, unknown, expired or revoked.
   * - 404 `class_not_found`: There is no class with this id: it was deleted, or never existed.
   */
  getClass(
    input: {
      /** The id of the class. */
      classId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<ClassBoard>>

  /**
   * Extend a class, or open hints. Changes the members that are present. All sandboxes of the class expire when it ends.
   *
   * Requires the key of the teacher, or the host key.
   *
   * Specific errors:
   *
   * - 401 `authentication_required`: The operation requires a key: Authorization: Bearer pst_...
   * - 401 `invalid_token`: The key is malformed, unknown, expired or revoked.
   * - 404 `class_not_found`: There is no class with this id: it was deleted, or never existed.
   */
  updateClass(
    input: {
      /** The id of the class. */
      classId: string
      body: ClassPatch
    },
    options?: CallOptions,
  ): Promise<ApiResponse<ClassBoard>>

  /**
   * Read who can join a class. Returns the names that are free.
   *
   * Requires the code of the link to the class, in place of a key.
   *
   * Specific errors:
   *
   * - 401 `authentication_required`: The operation requires a key: Authorization: Bearer pst_...
   * - 401 `invalid_token`: The key is malformed, unknown, expired or revoked.
   */
  readInvitation(
    input: {
      /** The id of the class. */
      classId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<InvitedClass>>

  /**
   * Join a class. Takes a free name, once, and returns its sandbox with a new key; an earlier key stops working. In a class with room, a name that is not in the list gets a new sandbox. Only this response contains the key.
   *
   * Requires the code of the link to the class, in place of a key.
   *
   * Specific errors:
   *
   * - 401 `authentication_required`: The operation requires a key: Authorization: Bearer pst_...
   * - 401 `invalid_token`: The key is malformed, unknown, expired or revoked.
   * - 409 `name_taken`: Somebody else has taken this name in the class.
   * - 409 `sandbox_limit_reached`: The sandbox or the class has reached a limit; the message names the limit.
   */
  joinClass(
    input: {
      /** The id of the class. */
      classId: string
      body: Joining
    },
    options?: CallOptions,
  ): Promise<ApiResponse<CreatedSandbox>>

  /**
   * Open a link for students. Returns a link with which students take their names. A link that was opened before stops working.
   *
   * Requires the key of the teacher, or the host key.
   *
   * Specific errors:
   *
   * - 401 `authentication_required`: The operation requires a key: Authorization: Bearer pst_...
   * - 401 `invalid_token`: The key is malformed, unknown, expired or revoked.
   * - 404 `class_not_found`: There is no class with this id: it was deleted, or never existed.
   */
  openInvitation(
    input: {
      /** The id of the class. */
      classId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<Invitation>>

  /**
   * Close the link for students. The link stops working. Students who have joined stay in the class.
   *
   * Requires the key of the teacher, or the host key.
   *
   * Specific errors:
   *
   * - 401 `authentication_required`: The operation requires a key: Authorization: Bearer pst_...
   * - 401 `invalid_token`: The key is malformed, unknown, expired or revoked.
   * - 404 `class_not_found`: There is no class with this id: it was deleted, or never existed.
   */
  closeInvitation(
    input: {
      /** The id of the class. */
      classId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<undefined>>

  /**
   * Delete a class. Deletes the class, its sandboxes, and all that is known of its students.
   *
   * Requires the key of the teacher, or the host key.
   *
   * Specific errors:
   *
   * - 401 `authentication_required`: The operation requires a key: Authorization: Bearer pst_...
   * - 401 `invalid_token`: The key is malformed, unknown, expired or revoked.
   * - 404 `class_not_found`: There is no class with this id: it was deleted, or never existed.
   */
  deleteClass(
    input: {
      /** The id of the class. */
      classId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<undefined>>

  /**
   * Add students. Creates a sandbox for each student that the class lacks, and returns only these with their keys. Only this response contains the keys.
   *
   * Requires the key of the teacher, or the host key.
   *
   * Specific errors:
   *
   * - 401 `authentication_required`: The operation requires a key: Authorization: Bearer pst_...
   * - 401 `invalid_token`: The key is malformed, unknown, expired or revoked.
   * - 404 `class_not_found`: There is no class with this id: it was deleted, or never existed.
   */
  addStudents(
    input: {
      /** The id of the class. */
      classId: string
      body: NewStudents
    },
    options?: CallOptions,
  ): Promise<ApiResponse<CreatedSandbox[]>>

  /**
   * Remove a student. Deletes the sandbox of a student and all results. The name and the place are free again.
   *
   * Requires the key of the teacher, or the host key.
   *
   * Specific errors:
   *
   * - 401 `authentication_required`: The operation requires a key: Authorization: Bearer pst_...
   * - 401 `invalid_token`: The key is malformed, unknown, expired or revoked.
   * - 404 `class_not_found`: There is no class with this id: it was deleted, or never existed.
   * - 404 `sandbox_not_found`: There is no sandbox at this address: it expired, was deleted, or never existed.
   */
  removeStudent(
    input: {
      /** The id of the class. */
      classId: string
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): Promise<ApiResponse<undefined>>

  /**
   * Stream the requests. Server-sent events: each new request as it is logged. `data` is a LoggedRequest, `id` its number.
   *
   * Requires the key of the sandbox.
   *
   * Specific errors:
   *
   * - 503 `sandbox_damaged`: The files of the sandbox were damaged, probably by a power failure: reset it.
   * - 503 `storage_full`: The storage is full: the store cannot write, but reads still work.
   */
  streamRequests(
    input: {
      /** The id of the sandbox. */
      sandboxId: string
    },
    options?: CallOptions,
  ): AsyncGenerator<LoggedRequest, void>
}

/** How each of these operations is sent. */
export const hostOperations = {
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
  listPlantableFaults: { method: 'GET', path: '/sandboxes/{sandboxId}/plantable-faults', list: true },
  getPlantedFaults: { method: 'GET', path: '/sandboxes/{sandboxId}/planted-faults' },
  setPlantedFaults: { method: 'PUT', path: '/sandboxes/{sandboxId}/planted-faults' },
  startHunt: { method: 'POST', path: '/sandboxes/{sandboxId}/hunt' },
  getBenchReport: { method: 'GET', path: '/sandboxes/{sandboxId}/report' },
  scoreFindings: { method: 'POST', path: '/sandboxes/{sandboxId}/report' },
  listRequests: {
    method: 'GET',
    path: '/sandboxes/{sandboxId}/requests',
    query: ['limit', 'before'],
    list: true,
    numbers: ['ms'],
  },
  deleteRequests: { method: 'DELETE', path: '/sandboxes/{sandboxId}/requests', empty: true },
  replaceSandboxKey: { method: 'POST', path: '/sandboxes/{sandboxId}/key' },
  getProgress: { method: 'GET', path: '/sandboxes/{sandboxId}/progress' },
  createClass: { method: 'POST', path: '/classes' },
  listClasses: { method: 'GET', path: '/classes', list: true },
  getClass: { method: 'GET', path: '/classes/{classId}' },
  updateClass: { method: 'PATCH', path: '/classes/{classId}' },
  readInvitation: { method: 'GET', path: '/classes/{classId}/join' },
  joinClass: { method: 'POST', path: '/classes/{classId}/join' },
  openInvitation: { method: 'POST', path: '/classes/{classId}/invitation' },
  closeInvitation: { method: 'DELETE', path: '/classes/{classId}/invitation', empty: true },
  deleteClass: { method: 'DELETE', path: '/classes/{classId}', empty: true },
  addStudents: { method: 'POST', path: '/classes/{classId}/students', list: true },
  removeStudent: { method: 'DELETE', path: '/classes/{classId}/students/{sandboxId}', empty: true },
  streamRequests: {
    method: 'GET',
    path: '/sandboxes/{sandboxId}/requests/stream',
    stream: true,
    numbers: ['ms'],
  },
} as const satisfies Record<keyof HostOperations, OperationShape>
