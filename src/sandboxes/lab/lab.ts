import { createHash, randomBytes } from 'node:crypto'
import { BODY_BYTES_MAX } from '../../contract/limits.ts'
import { bodyTooLarge, invalidParameter } from '../../contract/refusals.ts'
import { receiveBody } from '../../http/pipeline/body.ts'
import type { Handler, RequestContext } from '../../http/request/request-context.ts'
import { textResponse } from '../../http/request/text-response.ts'
import type { Methods, Paths } from '../../http/router/routes.ts'
import { notThisForm } from '../contract/refusals.ts'

const REDIRECTS = [301, 302, 303, 307, 308]
const REDIRECTS_MAX = 20
const COOKIE = 'petstore-lab'
const MULTIPART = 'multipart/form-data'
const URL_ENCODED = 'application/x-www-form-urlencoded'

const about = {
  'GET /lab/redirect?status=307&times=2':
    'Any method: redirects, by default once with 302, and then to /lab/echo.',
  'GET /lab/echo': 'Any method: what arrived.',
  'GET /lab/cookie': 'Sets a cookie, and returns the one that was sent.',
  'POST /lab/upload': `${MULTIPART}: the name, type, size and SHA-256 of each file.`,
  'POST /lab/form': `${URL_ENCODED} or ${MULTIPART}: the values of each field.`,
}

/**
 * Returns the paths of the lab: what HTTP clients and gateways meet elsewhere and the contract does not have. Nothing
 * in it reads or changes the store. `base` is the address of the sandbox.
 */
export function labPaths(base: string): Paths {
  const { pathname } = new URL(base)
  return new Map([
    ['/lab', methods(['GET', 'HEAD'], context => json(context, about))],
    ['/lab/redirect', methods(EVERY, context => redirect(context, base))],
    ['/lab/echo', methods(EVERY, echo)],
    ['/lab/cookie', methods(['GET', 'HEAD'], context => cookie(context, `${pathname}/lab`))],
    ['/lab/upload', methods(['POST'], upload)],
    ['/lab/form', methods(['POST'], form)],
  ])
}

const EVERY = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

function methods(names: readonly string[], handle: Handler['handle']): Methods {
  return new Map(names.map(name => [name, { handle }]))
}

function json(context: RequestContext, value: object): Response {
  const headers = { ...context.headers, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  return textResponse(context, JSON.stringify(value), headers)
}

async function redirect(context: RequestContext, base: string): Promise<Response> {
  await bodyOf(context)
  const query = new URLSearchParams(context.query)
  const status = numberIn(query, 'status', 302, REDIRECTS)
  const times = numberIn(query, 'times', 1, [...Array(REDIRECTS_MAX + 1).keys()].slice(1))
  const next = times > 1 ? `redirect?status=${status}&times=${times - 1}` : 'echo'
  const headers = { ...context.headers, Location: `${base}/lab/${next}`, 'Cache-Control': 'no-store' }
  return new Response(null, { status, headers })
}

async function bodyOf(context: RequestContext): Promise<Uint8Array> {
  if (Number(context.request.headers.get('content-length') ?? 0) > BODY_BYTES_MAX) throw bodyTooLarge()
  return await receiveBody(context)
}

function numberIn(
  query: URLSearchParams,
  name: string,
  byDefault: number,
  allowed: readonly number[],
): number {
  const text = query.get(name)
  const value = text === null ? byDefault : Number(text)
  if (allowed.includes(value)) return value
  const message = `${name} must be one of ${allowed.join(', ')}.`
  throw invalidParameter({ in: 'query', name, code: 'not_in_enum', message })
}

async function echo(context: RequestContext): Promise<Response> {
  const { byteLength } = await bodyOf(context)
  const { method, headers } = context.request
  return json(context, {
    method,
    contentType: headers.get('content-type'),
    bytes: byteLength,
    hasAuthorization: headers.has('authorization'),
    cookie: headers.get('cookie'),
  })
}

function cookie(context: RequestContext, path: string): Response {
  const sent = new Bun.CookieMap(context.request.headers.get('cookie') ?? '').get(COOKIE)
  const value = randomBytes(6).toString('hex')
  context.headers['Set-Cookie'] = `${COOKIE}=${value}; Path=${path}; HttpOnly; SameSite=Lax`
  return json(context, { sent, set: value })
}

async function upload(context: RequestContext): Promise<Response> {
  const fields = await fieldsIn(context, [MULTIPART])
  const files = fields.flatMap(([field, file]) => (typeof file === 'string' ? [] : [{ field, file }]))
  const described = files.map(async ({ field, file }) => {
    const { name, type, size } = file
    const sha256 = createHash('sha256').update(new Uint8Array(await file.arrayBuffer()))
    return { field, name, type, bytes: size, sha256: sha256.digest('hex') }
  })
  return json(context, await Promise.all(described))
}

async function form(context: RequestContext): Promise<Response> {
  const fields = await fieldsIn(context, [URL_ENCODED, MULTIPART])
  const byName = Map.groupBy(fields, ([name]) => name)
  const valuesOf = (all: typeof fields): string[] =>
    all.map(([, value]) => (typeof value === 'string' ? value : value.name))
  return json(context, Object.fromEntries(Array.from(byName, ([name, all]) => [name, valuesOf(all)])))
}

/** Returns the fields of a form. Throws `unsupported_media_type`, or `validation_failed` if the body is no form. */
async function fieldsIn(
  context: RequestContext,
  types: readonly string[],
): Promise<[string, string | File][]> {
  const type = context.request.headers.get('content-type') ?? ''
  if (!types.includes(type.split(';')[0]?.trim().toLowerCase() ?? '')) throw notThisForm(types)
  const bytes = await bodyOf(context)
  const data = await new Response(bytes, { headers: { 'Content-Type': type } }).formData().catch(() => {
    throw notThisForm(undefined)
  })
  const fields: [string, string | File][] = []
  data.forEach((value, name) => void fields.push([name, value]))
  return fields
}
