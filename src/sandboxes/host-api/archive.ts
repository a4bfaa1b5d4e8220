import type { RequestContext } from '../../http/request/request-context.ts'
import { writeJson } from '../../values/json.ts'
import type { OpenSandbox } from '../host/open-sandbox.ts'
import { type LogPage, REQUESTS_KEPT } from '../requests/log.ts'

/** The lists of the archive. None of them has a key or a secret. */
const lists = { categories: '/categories', pets: '/pets', orders: '/store/orders' } as const

/** Sends an archive of what a sandbox contains, and of its last requests, whose secrets are masked in the log. */
export async function sendArchive(context: RequestContext, sandbox: OpenSandbox): Promise<Response> {
  const files: Record<string, string | Uint8Array> = {}
  for (const [name, path] of Object.entries(lists))
    files[`${name}.json`] = `${writeJson(await sandbox.readAll(path))}\n`
  const page = await sandbox.requests.page(REQUESTS_KEPT)
  try {
    files['requests.json'] = await wholePage(page)
  } finally {
    await page.close()
  }
  const bytes = await new Bun.Archive(files, { compress: 'gzip' }).bytes()
  const fields = { 'Content-Type': 'application/gzip', 'Content-Length': String(bytes.length) }
  return new Response(context.request.method === 'HEAD' ? null : bytes, {
    headers: { ...context.headers, ...fields, 'Cache-Control': 'no-store' },
  })
}

export async function wholePage(page: LogPage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for (let chunk = await page.next(); chunk; chunk = await page.next()) chunks.push(chunk)
  return Buffer.concat(chunks)
}
