import type { Operation, Page } from '../../contract/operation.ts'
import { writeJson } from '../../values/json.ts'
import type { Reply } from '../kernel/idempotency.ts'
import { etagOf, weakEtagOf } from '../kernel/preconditions.ts'
import { taggedCursor, taggedPosition } from '../log/content-tag.ts'

/** Returns the reply of an operation whose verb returned `output`. The next page gets the content tag of a query. */
export function encodeReply(operation: Operation, output: object | undefined, contentTag?: bigint): Reply {
  const { status } = operation.success
  if (output === undefined) return { status, body: null }
  if (isPage(output)) return encodePage(operation, output, contentTag)
  const body = writeJson(output)
  // Safe: the output is the result of the verb of this operation.
  const location = operation.location as ((resource: object) => string) | undefined
  return {
    status,
    body,
    // The response to a PUT has no validator, because the store transforms what was sent (RFC 9110, section 9.3.4).
    ...(operation.resourceHasEtag && operation.method !== 'PUT' && { etag: etagOf(body) }),
    ...(location && { location: location(output) }),
  }
}

function isPage(output: object): output is Page<unknown> {
  return 'items' in output
}

function encodePage(
  { success, endless }: Operation,
  page: Page<unknown>,
  contentTag: bigint | undefined,
): Reply {
  const body = writeJson(page.items)
  const tagged = (next: string): string =>
    endless ? String(taggedPosition(BigInt(next), contentTag)) : taggedCursor(next, contentTag)
  return {
    status: success.status,
    body,
    etag: page.isSingle ? etagOf(writeJson(page.items[0])) : weakEtagOf(body),
    ...(page.next !== undefined && { next: tagged(page.next) }),
    ...(page.isAtHead !== undefined && { isAtHead: page.isAtHead }),
  }
}
