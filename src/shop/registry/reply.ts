import { locationOf, type Operation, type Page } from '../../contract/operation.ts'
import { writeJson } from '../../values/json.ts'
import type { Reply } from '../kernel/idempotency.ts'
import { etagOf, weakEtagOf } from '../kernel/preconditions.ts'
import { taggedCursor, taggedPosition } from '../log/content-tag.ts'
import type { OperationId } from './operations.ts'

/** What the reply to an operation has besides its body. A worker gets it as data, because it loads no contract. */
interface ReplyForm {
  readonly status: number
  readonly location: string | undefined
  readonly hasEtag: boolean
  readonly isEndless: boolean
}

export type ReplyForms = Readonly<Record<OperationId, ReplyForm>>

export function replyFormOf({ success, location, resourceHasEtag, method, endless }: Operation): ReplyForm {
  return {
    status: success.status,
    location,
    // The response to a PUT has no validator, because the store transforms what was sent (RFC 9110, section 9.3.4).
    hasEtag: resourceHasEtag === true && method !== 'PUT',
    isEndless: endless !== undefined,
  }
}

/** Returns the reply of an operation whose verb returned `output`. The next page gets the content tag of a query. */
export function encodeReply(form: ReplyForm, output: object | undefined, contentTag?: bigint): Reply {
  const { status, location, hasEtag } = form
  if (output === undefined) return { status, body: null }
  if (isPage(output)) return encodePage(form, output, contentTag)
  const body = writeJson(output)
  return {
    status,
    body,
    ...(hasEtag && { etag: etagOf(body) }),
    ...(location !== undefined && { location: locationOf(location, output) }),
  }
}

function isPage(output: object): output is Page<unknown> {
  return 'items' in output
}

function encodePage(
  { status, isEndless }: ReplyForm,
  page: Page<unknown>,
  contentTag: bigint | undefined,
): Reply {
  const body = writeJson(page.items)
  const tagged = (next: string): string =>
    isEndless ? String(taggedPosition(BigInt(next), contentTag)) : taggedCursor(next, contentTag)
  return {
    status,
    body,
    etag: page.isSingle ? etagOf(writeJson(page.items[0])) : weakEtagOf(body),
    ...(page.next !== undefined && { next: tagged(page.next) }),
    ...(page.isAtHead !== undefined && { isAtHead: page.isAtHead }),
  }
}
