import type { z } from 'zod'
import type { ErrorCodeName } from '../../contract/error.ts'
import { int64Parameter, integerParameter, type Parameter } from '../../contract/parameter.ts'
import { int64Between } from '../../values/int64.ts'
import { FaultRuleStates, FaultRules } from '../failures/rules.ts'
import { REQUESTS_KEPT } from '../requests/log.ts'
import {
  CreatedSandbox,
  LifecycleClock,
  LoggedRequest,
  NewSandbox,
  Sandbox,
  SandboxPatch,
  SandboxReset,
  Snapshot,
  sandboxId,
  snapshotName,
} from './schema.ts'

/** One control operation, as data: its route, its checks and its description are derived from it. */
export interface ControlOperation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: `/${string}`
  readonly summary: string
  readonly description: string
  /** Whether the operation requires the key of the sandbox. */
  readonly needsKey: boolean
  readonly pathParameters?: Readonly<Record<string, Parameter>>
  readonly query?: Readonly<Record<string, Parameter>>
  readonly body?: z.ZodType
  /** Whether the body may be absent. */
  readonly isBodyOptional?: true
  readonly success:
    | { readonly status: 200 | 201; readonly resource: z.ZodType; readonly description: string }
    | { readonly status: 200; readonly list: z.ZodType; readonly description: string }
    | { readonly status: 200; readonly stream: z.ZodType; readonly description: string }
    | { readonly status: 204; readonly description: string }
  /** The error codes of the operation, except those that every operation has or that `needsKey` or `body` implies. */
  readonly errors: readonly ErrorCodeName[]
}

const id: Parameter<string> = {
  schema: sandboxId,
  read: value => value,
  expects: 'the id of a sandbox',
  description: 'The id of the sandbox.',
  example: '7k2m9xq4w8e3rtyu5pasdf6ghj',
}
const name: Parameter<string> = {
  schema: snapshotName,
  read: value => value,
  expects: 'a name of 1 to 50 lower-case letters, digits and hyphens that does not start with a hyphen',
  description: 'The name of the snapshot.',
  example: 'lesson-1',
}
const sandboxParameters = { sandboxId: id }
const snapshotParameters = { sandboxId: id, name }

/** The operations that create and control sandboxes, by operationId. */
export const controlOperations = {
  createSandbox: {
    method: 'POST',
    path: '/sandboxes',
    summary: 'Create a sandbox',
    description:
      'Creates a private store and returns its base address and its key. Only this response contains the key. An absent body means a sandbox with the demo shop for 24 hours. A seed that is the snapshot of another sandbox requires the key of that sandbox.',
    needsKey: false,
    body: NewSandbox,
    isBodyOptional: true,
    success: { status: 201, resource: CreatedSandbox, description: 'The sandbox and its key.' },
    errors: [
      'authentication_required',
      'invalid_token',
      'sandbox_not_found',
      'snapshot_not_found',
      'rate_limited',
    ],
  },
  getSandbox: {
    method: 'GET',
    path: '/sandboxes/{sandboxId}',
    summary: 'Read a sandbox',
    description: 'Returns the sandbox, without its key.',
    needsKey: true,
    pathParameters: sandboxParameters,
    success: { status: 200, resource: Sandbox, description: 'The sandbox.' },
    errors: [],
  },
  updateSandbox: {
    method: 'PATCH',
    path: '/sandboxes/{sandboxId}',
    summary: 'Change the label or the lifetime',
    description: 'Changes the members that are present. The lifetime counts from now.',
    needsKey: true,
    pathParameters: sandboxParameters,
    body: SandboxPatch,
    success: { status: 200, resource: Sandbox, description: 'The sandbox.' },
    errors: [],
  },
  deleteSandbox: {
    method: 'DELETE',
    path: '/sandboxes/{sandboxId}',
    summary: 'Delete a sandbox',
    description: 'Deletes the sandbox, its snapshots and its request log at once.',
    needsKey: true,
    pathParameters: sandboxParameters,
    success: { status: 204, description: 'The sandbox was deleted.' },
    errors: [],
  },
  resetSandbox: {
    method: 'POST',
    path: '/sandboxes/{sandboxId}/reset',
    summary: 'Reset a sandbox',
    description:
      'Restores the content of the seed or of a snapshot. Each reset to the same content gives the same data, ids and positions, so that a recorded test can be replayed; only instants, secrets and event ids can differ. Streams end, and earlier cursors are refused. The key, the fault rules, the clock and the request log remain.',
    needsKey: true,
    pathParameters: sandboxParameters,
    body: SandboxReset,
    isBodyOptional: true,
    success: { status: 200, resource: Sandbox, description: 'The sandbox, with its new generation.' },
    errors: ['snapshot_not_found'],
  },
  listSnapshots: {
    method: 'GET',
    path: '/sandboxes/{sandboxId}/snapshots',
    summary: 'List the snapshots',
    description: 'Returns all snapshots of the sandbox, sorted by name.',
    needsKey: true,
    pathParameters: sandboxParameters,
    success: { status: 200, list: Snapshot, description: 'The snapshots.' },
    errors: [],
  },
  getSnapshot: {
    method: 'GET',
    path: '/sandboxes/{sandboxId}/snapshots/{name}',
    summary: 'Read a snapshot',
    description: 'Returns the size of a snapshot, and when it was taken.',
    needsKey: true,
    pathParameters: snapshotParameters,
    success: { status: 200, resource: Snapshot, description: 'The snapshot.' },
    errors: ['snapshot_not_found'],
  },
  putSnapshot: {
    method: 'PUT',
    path: '/sandboxes/{sandboxId}/snapshots/{name}',
    summary: 'Take a snapshot',
    description:
      'Stores the current content under a name. An earlier snapshot with this name is overwritten.',
    needsKey: true,
    pathParameters: snapshotParameters,
    success: { status: 200, resource: Snapshot, description: 'The snapshot.' },
    errors: ['sandbox_limit_reached', 'sandbox_damaged'],
  },
  deleteSnapshot: {
    method: 'DELETE',
    path: '/sandboxes/{sandboxId}/snapshots/{name}',
    summary: 'Delete a snapshot',
    description: 'Deletes a snapshot. Sandboxes that were created from it keep a copy.',
    needsKey: true,
    pathParameters: snapshotParameters,
    success: { status: 204, description: 'The snapshot was deleted.' },
    errors: ['snapshot_not_found'],
  },
  getClock: {
    method: 'GET',
    path: '/sandboxes/{sandboxId}/clock',
    summary: 'Read the lifecycle clock',
    description: 'Returns the instant of the clock, which decides which operations have been retired.',
    needsKey: true,
    pathParameters: sandboxParameters,
    success: { status: 200, resource: LifecycleClock, description: 'The clock.' },
    errors: [],
  },
  setClock: {
    method: 'PUT',
    path: '/sandboxes/{sandboxId}/clock',
    summary: 'Set the lifecycle clock',
    description: 'Sets the clock, which continues from there. Data and events keep the real time.',
    needsKey: true,
    pathParameters: sandboxParameters,
    body: LifecycleClock,
    success: { status: 200, resource: LifecycleClock, description: 'The clock.' },
    errors: [],
  },
  getFaults: {
    method: 'GET',
    path: '/sandboxes/{sandboxId}/faults',
    summary: 'Read the fault rules',
    description: 'Returns the rules, and how often each was checked and applied.',
    needsKey: true,
    pathParameters: sandboxParameters,
    success: { status: 200, resource: FaultRuleStates, description: 'The rules.' },
    errors: ['sandbox_damaged'],
  },
  setFaults: {
    method: 'PUT',
    path: '/sandboxes/{sandboxId}/faults',
    summary: 'Set the fault rules',
    description:
      'Replaces all rules; their counts begin at 0. Only the first rule that applies to a call takes effect. A response that a rule affected carries the header Petstore-Fault. A single request can also ask for a failure without a rule, with the request header Petstore-Fault.',
    needsKey: true,
    pathParameters: sandboxParameters,
    body: FaultRules,
    success: { status: 200, resource: FaultRuleStates, description: 'The rules.' },
    errors: ['sandbox_damaged'],
  },
  deleteFaults: {
    method: 'DELETE',
    path: '/sandboxes/{sandboxId}/faults',
    summary: 'Delete the fault rules',
    description: 'Deletes all rules.',
    needsKey: true,
    pathParameters: sandboxParameters,
    success: { status: 204, description: 'The rules were deleted.' },
    errors: ['sandbox_damaged'],
  },
  listRequests: {
    method: 'GET',
    path: '/sandboxes/{sandboxId}/requests',
    summary: 'List the last requests',
    description: `Returns requests to the sandbox and their responses, the newest first. The log keeps the last ${REQUESTS_KEPT}, or fewer if they are large.`,
    needsKey: true,
    pathParameters: sandboxParameters,
    query: {
      limit: integerParameter(1, REQUESTS_KEPT, 'The maximum number of requests; 100 by default.'),
      before: int64Parameter(
        int64Between(1n, 9_007_199_254_740_991n),
        'the number of a request',
        'Only requests before the one with this number.',
      ),
    },
    success: { status: 200, list: LoggedRequest, description: 'The requests.' },
    errors: ['sandbox_damaged'],
  },
  deleteRequests: {
    method: 'DELETE',
    path: '/sandboxes/{sandboxId}/requests',
    summary: 'Clear the request log',
    description: 'Deletes all logged requests. The numbers continue.',
    needsKey: true,
    pathParameters: sandboxParameters,
    success: { status: 204, description: 'The log is empty.' },
    errors: ['sandbox_damaged'],
  },
  streamRequests: {
    method: 'GET',
    path: '/sandboxes/{sandboxId}/requests/stream',
    summary: 'Stream the requests',
    description:
      'Server-sent events: each new request as it is logged. `data` is a LoggedRequest, `id` its number.',
    needsKey: true,
    pathParameters: sandboxParameters,
    success: { status: 200, stream: LoggedRequest, description: 'The requests as they arrive.' },
    errors: ['sandbox_damaged'],
  },
} as const satisfies Record<string, ControlOperation>

export type ControlId = keyof typeof controlOperations
