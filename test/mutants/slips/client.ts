import type { Slips } from '../slip.ts'

const SANDBOX = 'test/client/sandbox.test.ts'
const RETRY = 'src/client/retry.test.ts'

export const clientSlips: Slips = {
  'src/client/client.ts': [
    {
      before: `timeoutMs: attemptMs + (Number(input.wait ?? 0) || 0) * 1000,`,
      after: `timeoutMs: attemptMs,`,
      breaks: 'a long poll is given up while the store waits for events',
      tests: [
        'test/client/retries-and-time-limits.test.ts: a call that waits for events has this time in addition',
      ],
    },
    {
      before: `position === undefined ? input : { ...input, [pages]: position }`,
      after: `position === undefined ? input : { [pages]: position }`,
      breaks: 'the second page of a list has no filter',
      tests: ['test/client/lists.test.ts: a list is read page by page'],
    },
    {
      before: `if (error instanceof ApiError) notify(id, error.headers)`,
      after: `if (error instanceof ApiError && error.status >= 500) notify(id, error.headers)`,
      breaks: 'a refusal of a deprecated operation is not reported as deprecated',
      tests: ['test/client/responses.test.ts: a response of a deprecated operation is reported'],
    },
    {
      before: `if (status === 304 || !Array.isArray(data)) return { ...response, data: undefined }`,
      after: `if (!Array.isArray(data)) return { ...response, data: status === 304 ? { items: [] } : undefined }`,
      breaks: 'a list that has not changed seems to be empty',
      tests: ['test/client/responses.test.ts: a list that has not changed has no data'],
    },
    {
      before: `members.includes(name) ? Number(value) : value`,
      after: `value`,
      breaks: 'a duration in the request log is sometimes a bigint',
      tests: [`${SANDBOX}: a duration in the request log is a number`],
    },
  ],
  'src/client/deprecation.ts': [
    {
      before: `[...quoted.split(' '), bare].includes(relation)`,
      after: `[quoted, bare].includes(relation)`,
      breaks: 'a link with two relations is not found',
      tests: ['test/client/responses.test.ts: a link may have several relations'],
    },
    {
      before: `if (deprecation === null && sunset === null) return undefined`,
      after: `if (deprecation === null) return undefined`,
      breaks: 'an operation that only has a Sunset header is not reported',
      tests: ['test/client/responses.test.ts: an operation with only a Sunset header'],
    },
  ],
  'src/client/event-stream.ts': [
    {
      before: `if (data.length > 0) yield { kind: 'event', data: data.join('\\n') }
      if (id !== undefined) yield { kind: 'id', id }`,
      after: `if (id !== undefined) yield { kind: 'id', id }
      if (data.length > 0) yield { kind: 'event', data: data.join('\\n') }`,
      breaks: 'an event that could not be handled is skipped after a reconnection',
      tests: ['test/client/event-stream.test.ts: a stream is parsed correctly'],
    },
    {
      before: `if (isAfterCr && text.startsWith('\\n')) text = text.slice(1)`,
      after: `if (isAfterCr && text === '\\n') text = text.slice(1)`,
      breaks: 'a CRLF between two chunks ends an event in its middle',
      tests: ['test/client/event-stream.test.ts: a CRLF that is divided between two chunks of a stream'],
    },
    {
      before: `chars += value.length
      if (chars`,
      after: `if (chars`,
      breaks: 'an event of very many lines takes all memory',
      tests: [
        'test/client/event-stream.test.ts: a stream of events with an event that never ends is cut off',
      ],
    },
    {
      before: `clearTimeout(timer)
      timer = setTimeout(abort, Math.min(silenceMs, TIMER_MS_MAX))
      yield value`,
      after: `yield value`,
      breaks: 'a live stream is cut every 45 s',
      tests: ['test/client/event-stream.test.ts: a stream on which something arrives in time stays open'],
    },
  ],
  'src/client/follow-events.ts': [
    {
      before: `failures = 0
        //`,
      after: `//`,
      breaks: 'each reconnection of a long-lived stream waits longer than the last one',
      tests: ['test/client/event-stream.test.ts: the pause before a stream is opened again doubles'],
    },
    {
      before: `backoffMs(reconnectMs, failures++, RECONNECT_MAX_MS)`,
      after: `reconnectMs + failures++`,
      breaks: 'the clients of a store that is down try again every second for hours',
      tests: ['test/client/event-stream.test.ts: the pause before a stream is opened again doubles'],
    },
    {
      before: `error.status === 429 || `,
      after: ``,
      breaks: 'a rate limit ends a stream of events for ever',
      tests: ['test/client/event-stream.test.ts: a stream is opened again after a temporary refusal'],
    },
    {
      before: `if (signal?.aborted) return
      if (!isTemporary(error)) throw error`,
      after: `if (!isTemporary(error)) throw error`,
      breaks: 'a stream that the caller ended is reported as lost',
      tests: ['test/client/event-stream.test.ts: a stream that its caller ends while nothing arrives'],
    },
    {
      before: `else if (POSITION.test(part.id)) position = part.id`,
      after: `else if (POSITION.test(part.id)) position ??= part.id`,
      breaks: 'events are repeated after a reconnection',
      tests: [
        'test/client/event-stream.test.ts: a stream continues after the last event if the connection breaks',
      ],
    },
    {
      before: 'Math.min(demandedMs ?? 0, RETRY_AFTER_MAX_MS) + pauseMs',
      after: '(demandedMs ?? 0) + pauseMs',
      breaks: 'a wrong Retry-After stops a follower of events for days',
      tests: ['test/client/event-stream.test.ts: a stream of events waits for as long as the server demands'],
    },
  ],
  'src/client/paged-list.ts': [
    {
      before: `(data.next === position && data.items.length === 0)`,
      after: `data.items.length === 0`,
      breaks: 'a list ends at a page without items, although more pages follow',
      tests: ['test/client/lists.test.ts: a list continues after a page without items'],
    },
  ],
  'src/client/request.ts': [
    {
      before: `isRepeatable: method === 'GET' || headers['idempotency-key'] !== undefined,`,
      after: `isRepeatable: true,`,
      breaks: 'a key is created twice after a lost response',
      tests: [
        'test/client/retries-and-time-limits.test.ts: a failure is not retried if the command may have run',
      ],
    },
    {
      before: `if (values.length === 0) throw new TypeError(\`\${name} must have at least one value.\`)`,
      after: ``,
      breaks: 'a filter with an empty list returns everything',
      tests: [
        'test/client/requests.test.ts: a request with input that would change its path, filter or body',
      ],
    },
  ],
  'src/client/response.ts': [
    {
      before: `headers.get('idempotent-replayed') === 'true'`,
      after: `headers.has('idempotency-key')`,
      breaks: 'a stored response looks like a new effect',
      tests: [`${SANDBOX}: an order whose response was dropped after the commit is placed once`],
    },
    {
      before: `errors: Array.isArray(errors) ? (errors as unknown as FieldError[]) : [],`,
      after: `errors: Array.isArray(errors) && errors.length > 1 ? (errors as unknown as FieldError[]) : [],`,
      breaks: 'a refusal with one invalid field does not name the field',
      tests: ['test/client/responses.test.ts: a refusal names each invalid field'],
    },
  ],
  'src/client/retry.ts': [
    {
      before: `demandedMs > RETRY_AFTER_MAX_MS ? undefined : demandedMs + pauseMs`,
      after: `Math.min(demandedMs, RETRY_AFTER_MAX_MS) + pauseMs`,
      breaks: 'a call hangs for a minute before it fails, if the store asks for an hour',
      tests: [RETRY],
    },
    {
      before: `if (!isRepeatable) return false`,
      after: `if (!isRepeatable && status === undefined) return false`,
      breaks: 'a key is created twice after a 503 of a proxy',
      tests: [RETRY],
    },
  ],
  'src/client/sandbox.ts': [
    {
      before: `if (!(error instanceof ApiError) || error.code !== 'sandbox_not_found') throw error`,
      after: `if (!(error instanceof ApiError)) throw error`,
      breaks: 'a sandbox that could not be deleted seems to be deleted',
      tests: [`${SANDBOX}: a sandbox that cannot be deleted is an error`],
    },
    {
      before: `listRequests({ sandboxId, ...page })`,
      after: `listRequests({ sandboxId })`,
      breaks: 'the second page of the request log is the first one',
      tests: [`${SANDBOX}: an order whose response was dropped after the commit is placed once`],
    },
  ],
  'src/client/send.ts': [
    {
      before: `clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  return readResponse`,
      after: `if (signal) clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  return readResponse`,
      breaks: 'a program ends only 30 s after its last call',
      tests: ['test/client/retries-and-time-limits.test.ts: a program ends right after its last call'],
    },
    {
      before: `clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
  return readResponse`,
      after: `clearTimeout(timer)
  }
  return readResponse`,
      breaks: 'a signal that is used for many calls keeps all of them in memory',
      tests: [
        'test/client/retries-and-time-limits.test.ts: a signal that is used for many calls keeps no trace',
      ],
    },
    {
      before: `if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error`,
      after: `if (!(error instanceof ApiError)) throw error`,
      breaks: 'a lost connection is not retried',
      tests: ['test/client/retries-and-time-limits.test.ts: a failed connection is retried'],
    },
  ],
  'src/client/webhook.ts': [
    {
      before: `if (signature && (await crypto.subtle.verify('HMAC', key, signature, signedContent))) return true`,
      after: `return signature !== undefined && crypto.subtle.verify('HMAC', key, signature, signedContent)`,
      breaks: 'a receiver refuses deliveries while a secret is being rotated',
      tests: [
        'test/client/webhook-verification.test.ts: a webhook request that the library of Standard Webhooks signed is accepted',
      ],
    },
    {
      before: `if (!(Math.abs(nowMs / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS)) {`,
      after: `if (!(nowMs / 1000 - Number(timestamp) <= TOLERANCE_SECONDS)) {`,
      breaks: 'a recorded request with a later timestamp is accepted',
      tests: [
        'test/client/webhook-verification.test.ts: a webhook request is refused if it is changed or incomplete',
      ],
    },
  ],
}
