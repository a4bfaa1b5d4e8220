import { authenticationRequired, insufficientScope, routeNotFound } from '../../contract/refusals.ts'
import { hasScope } from '../../contract/scopes.ts'
import type { StoreRecords } from '../observe/store-state.ts'
import { authenticate } from '../pipeline/auth.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import type { Handler, RequestContext } from '../request/request-context.ts'
import { textResponse } from '../request/text-response.ts'

/** The backups that the console makes, and the records of all. */
export interface ConsoleBackups {
  records(): Promise<StoreRecords>
  /** Returns what the console shows about the backups. */
  state(): Promise<object>
  /** Makes a backup under an id, and returns when it began. Throws `overloaded` while another one is made. */
  make(id: string): Promise<{ readonly at: string; readonly isAuditIntact: boolean }>
  /** Returns the path of a backup that was made, until it is replaced or some minutes have passed; then undefined. */
  file(id: string): string | undefined
  /** Records a backup that the browser has received completely. Returns false if it was replaced. */
  confirm(id: string): Promise<boolean>
  /** Deletes what waits to be saved. */
  dispose(): void
}

/** Returns the handlers with which the console makes, saves and records backups, for admins, by path and method. */
export function backupRoutes(
  backups: ConsoleBackups,
  { callers, failedAuthentications }: Pick<Pipeline, 'callers' | 'failedAuthentications'>,
): [string, Map<string, Handler>][] {
  const forAdmin = (
    method: string,
    respond: (context: RequestContext, id: string) => Promise<Response> | Response,
    kind: Pick<Handler, 'isSlow'> = {},
  ): [string, Handler] => {
    const handle = async (context: RequestContext): Promise<Response> => {
      const caller = await authenticate(context, callers, failedAuthentications)
      if (caller.keyId === null) throw authenticationRequired('admin')
      if (!hasScope(caller, 'admin')) throw insufficientScope('admin')
      context.caller = caller
      return await respond(context, context.pathParameters.id ?? '')
    }
    return [method, { handle, ...kind }]
  }
  const path = '/console/backups'
  return [
    [path, new Map([forAdmin('GET', async context => json(context, await backups.state()))])],
    [
      `${path}/{id}`,
      new Map([
        forAdmin('PUT', (context, id) => makeFile(context, backups, id), { isSlow: true }),
        forAdmin('GET', (context, id) => sendFile(context, backups.file(id))),
      ]),
    ],
    [
      `${path}/{id}/saved`,
      new Map([
        forAdmin('PUT', async (context, id) => {
          if (await backups.confirm(id)) return new Response(null, { status: 204, headers: context.headers })
          throw noLongerHeld(context)
        }),
      ]),
    ],
  ]
}

async function makeFile(context: RequestContext, backups: ConsoleBackups, id: string): Promise<Response> {
  const { at, isAuditIntact } = await backups.make(id)
  return json(context, { at, isAuditIntact })
}

function json(context: RequestContext, value: object): Response {
  const fields = { ...context.headers, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  return textResponse(context, JSON.stringify(value), fields)
}

function noLongerHeld({ path }: RequestContext) {
  return routeNotFound(path, ' The backup was replaced by a newer one, or waited too long to be saved.')
}

/** The runtime sends a file in pieces, as fast as the browser reads them, and with its length: a cut is noticed. */
function sendFile(context: RequestContext, file: string | undefined): Response {
  if (file === undefined) throw noLongerHeld(context)
  const fields = { 'Content-Type': 'application/vnd.sqlite3', 'Cache-Control': 'no-store' }
  return new Response(Bun.file(file), { headers: { ...context.headers, ...fields } })
}
