import { type ClientOptions, makeCall } from './client.ts'
import type { ApiError } from './errors.ts'
import type { OperationInput } from './request.ts'
import {
  type CreatedSandbox,
  type FaultRule,
  type FaultRuleState,
  type LoggedRequest,
  type NewSandbox,
  type Sandbox,
  type Snapshot,
  sandboxOperations,
} from './sandbox-api.ts'

/** The operations that create and control the sandboxes of one host. A call throws like those of a client. */
export interface SandboxControl {
  create(sandbox: NewSandbox): Promise<CreatedSandbox>
  read(sandboxId: string): Promise<Sandbox>
  reset(sandboxId: string, snapshot?: string): Promise<Sandbox>
  delete(sandboxId: string): Promise<void>
  takeSnapshot(sandboxId: string, name: string): Promise<Snapshot>
  setFaults(sandboxId: string, rules: readonly FaultRule[]): Promise<FaultRuleState[]>
  readFaults(sandboxId: string): Promise<FaultRuleState[]>
  listRequests(sandboxId: string, page: RequestsPage): Promise<LoggedRequest[]>
  /** Returns the instant of the clock. */
  setClock(sandboxId: string, now: string | null): Promise<string>
}

/** A part of the request log. */
export interface RequestsPage {
  /** The maximum number of requests, from 1 to 1,000; 100 by default. */
  readonly limit?: number | undefined
  /** Only requests before the one with this number. */
  readonly before?: bigint | number | undefined
}

/** Returns the control operations of a host. `key` belongs to the sandbox that is controlled or used as a seed. */
export function makeSandboxControl(options: ClientOptions): SandboxControl {
  const call = makeCall(options)
  const send = async <T>(id: keyof typeof sandboxOperations, input: OperationInput): Promise<T> => {
    const { data } = await call(id, sandboxOperations[id], input)
    // Safe: a success of an operation has the body that the contract says.
    return data as T
  }
  return {
    create: body => send('createSandbox', { body }),
    read: sandboxId => send('getSandbox', { sandboxId }),
    reset: (sandboxId, snapshot) => send('resetSandbox', { sandboxId, body: { snapshot } }),
    delete: sandboxId => send('deleteSandbox', { sandboxId }),
    takeSnapshot: (sandboxId, name) => send('putSnapshot', { sandboxId, name }),
    setFaults: async (sandboxId, rules) =>
      (await send<FaultStates>('setFaults', { sandboxId, body: { rules } })).rules,
    readFaults: async sandboxId => (await send<FaultStates>('getFaults', { sandboxId })).rules,
    listRequests: async (sandboxId, { limit, before }) => {
      const page = { ...(limit !== undefined && { limit }), ...(before !== undefined && { before }) }
      const entries = await send<LoggedRequest[]>('listRequests', { sandboxId, ...page })
      // A duration without a fraction is parsed as a bigint, like every integer.
      return entries.map(entry => ({ ...entry, ms: Number(entry.ms) }))
    },
    setClock: async (sandboxId, now) =>
      (await send<{ readonly now: string }>('setClock', { sandboxId, body: { now } })).now,
  }
}

interface FaultStates {
  readonly rules: FaultRuleState[]
}

/** The codes of the responses (404 or 405) of a server that does not have the control operations. */
const OTHER_SERVER_CODES: readonly string[] = ['route_not_found', 'method_not_allowed', 'unknown']

/** Returns whether a refusal comes from a server without control operations, such as a store. */
export function isFromOtherServer({ status, code }: ApiError): boolean {
  return (status === 404 || status === 405) && OTHER_SERVER_CODES.includes(code)
}
