import { type JsonValue, readJson } from '../src/model/json.ts'
import type { Answer } from './answer.ts'
import { type Ask, headerOf } from './ask.ts'
import type { Lane } from './draft.ts'
import { judgeByDescription } from './judge-description.ts'
import { judgeExpectation } from './judge-expectation.ts'
import { judgeMeaning } from './judge-meaning.ts'

/** A response that is wrong. `check` names the rule, `detail` the observation. */
export interface Finding {
  readonly check: string
  readonly detail: string
}

export interface Judgement {
  readonly findings: readonly Finding[]
  /** The body of the response, if it could be read. */
  readonly body: JsonValue | undefined
}

/** Checks a response against the description, the expectation of its request and the knowledge of the client. */
export function judge(lane: Lane, ask: Ask, answer: Answer): Judgement {
  const { status, headers } = answer
  if (status === 0)
    return { findings: [{ check: 'no-answer', detail: String(answer.body) }], body: undefined }
  const findings: Finding[] = []
  if (status >= 500) findings.push({ check: 'server-error', detail: `the answer is ${status}` })
  if (headers.get('x-request-id') !== headerOf(ask, 'x-request-id')) {
    findings.push({ check: 'request-id', detail: `X-Request-Id is ${headers.get('x-request-id')}` })
  }
  const body = bodyOf(answer)
  if (body === UNREADABLE) findings.push({ check: 'body-unreadable', detail: 'the body is not exact JSON' })
  const readable = body === UNREADABLE ? undefined : body
  findings.push(
    ...judgeByDescription(ask, answer, readable),
    ...judgeExpectation(ask, answer, readable),
    ...judgeMeaning(lane, ask, answer, readable),
  )
  return { findings, body: readable }
}

const UNREADABLE = Symbol('unreadable')

function bodyOf({ body }: Answer): JsonValue | undefined | typeof UNREADABLE {
  if (body.length === 0) return undefined
  try {
    return readJson(body)
  } catch {
    return UNREADABLE
  }
}
