import { CapacityLimiter } from '../../src/http/limits/admission.ts'
import { openRequestContext, type RequestContext } from '../../src/http/request/request-context.ts'

/** Returns the context of a request from an address, outside of a server. */
export function contextOf(request: Request, address = '192.0.2.1'): RequestContext {
  return openRequestContext({
    request,
    findPeer: () => address,
    address,
    nowMs: 0,
    largeBodies: new CapacityLimiter({ total: 1, perCaller: 1 }),
    newRequestId: () => 'request',
    match: undefined,
    closeConnection: () => {},
  })
}
