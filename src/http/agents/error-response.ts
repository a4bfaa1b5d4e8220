/** The code of JSON-RPC for an error that has none of its own. */
export const REFUSED = -32_000

/** Returns the response to a request that is no message, in the form of the protocol. */
export function errorResponse(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })
}
