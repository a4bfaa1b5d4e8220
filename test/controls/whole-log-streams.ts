import { type LoggedText, RequestLog } from '../../src/sandboxes/request-log.ts'

/**
 * Broken on purpose: serves a host whose log streams read the whole log at once. The arguments are those of `petstore
 * sandboxes`.
 */
const readPage = RequestLog.prototype.readAfter
RequestLog.prototype.readAfter = async function (number: number): Promise<readonly LoggedText[]> {
  const texts: LoggedText[] = []
  for (let page = await readPage.call(this, number); page.length > 0; ) {
    texts.push(...page)
    page = await readPage.call(this, page.at(-1)?.number ?? number)
  }
  return texts
}

process.argv.splice(2, 0, 'sandboxes')
await import('../../src/main.ts')
