import { type LoggedEvents, RequestLog } from '../../src/sandboxes/requests/log.ts'

/**
 * Broken on purpose: serves a host whose log streams read the whole log at once. The arguments are those of `petstore
 * sandboxes`.
 */
const readPage = RequestLog.prototype.readEvents
RequestLog.prototype.readEvents = async function (after: number): Promise<LoggedEvents> {
  const pages: Uint8Array[] = []
  let page = await readPage.call(this, after)
  for (; page.bytes.length > 0; page = await readPage.call(this, page.to)) pages.push(page.bytes)
  return { bytes: Buffer.concat(pages), to: page.to }
}

process.argv.splice(2, 0, 'sandboxes')
await import('../../src/main.ts')
