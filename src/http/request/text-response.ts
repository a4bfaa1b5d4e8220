import type { RequestContext } from './request-context.ts'

/**
 * Returns a response with a text. The response to a HEAD request has the length of the text instead of the text (RFC
 * 9110, section 9.3.2).
 */
export function textResponse(
  { request }: Pick<RequestContext, 'request'>,
  text: string,
  headers: Readonly<Record<string, string>>,
  status = 200,
): Response {
  if (request.method !== 'HEAD') return new Response(text, { status, headers })
  return new Response(null, {
    status,
    headers: { ...headers, 'Content-Length': String(Buffer.byteLength(text)) },
  })
}
