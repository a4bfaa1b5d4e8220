import { contract } from '../../shop/registry/operations.ts'
import { type JsonValue, parseJson, writeJson } from '../../values/json.ts'
import { similarName } from '../../values/similar-name.ts'
import { FAULT_HEADER } from '../failures/faults.ts'

/** The control calls that a lesson can ask for, besides the operations of a store. */
export const controlCalls = ['resetSandbox', 'setClock', 'setFaults', 'deleteFaults'] as const
/** What a line calls a delivery to a webhook. The store sends it, and not the student. */
export const DELIVERY = 'deliverWebhook'
const TIMES_MAX = 100
const WITHIN = /^([1-9][0-9]{0,4})(s|m|h)$/
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }
const TEST = /^(status|(?:header|sent|query):[^=~]+|(?:body|sent-body):\/(?:[^=~]|~[01])*)(?:([=~])(.*))?$/s

/** A request of a student, or a delivery, and its response, before anything is masked. */
export interface Happening {
  /** Undefined if no operation has this method and path. */
  readonly operationId: string | undefined
  readonly method: string
  /** The path and query, below the base address. */
  readonly target: string
  readonly requestHeaders: Headers
  readonly requestBody: string
  /** Undefined if the connection was dropped, or a delivery got no response. */
  readonly status: number | undefined
  readonly responseHeaders: Headers
  readonly responseBody: string
  readonly atMs: number
}

/** What a condition requires of one part of a request, of its response, or of a state. */
interface PartTest {
  readonly part: 'status' | 'header' | 'sent' | 'query' | 'body' | 'sent-body'
  /** The name of the header or query parameter, or a JSON Pointer. */
  readonly name: string
  /** `=`: equal; `~`: contains; undefined: present. */
  readonly comparison: '=' | '~' | undefined
  readonly value: string
}

/** One line of a check: a call that happened, or what a read of the store returns after a change. */
export interface CheckLine {
  /** The line itself. */
  readonly text: string
  readonly kind: 'call' | 'state'
  /** The id of the operation, or the path of the read. */
  readonly of: string
  readonly tests: readonly PartTest[]
  /** Whether the condition of the line before must have been met earlier. */
  readonly isThen: boolean
  readonly times: number
  /** The longest time since the condition before, or else that all calls may take; undefined for any. */
  readonly withinMs: number | undefined
}

/** What a student has done of one exercise. Instants are in milliseconds since 1970. */
export interface ExerciseProgress {
  /** For each condition, when it was last met; null until then. */
  readonly metAt: readonly (number | null)[]
  /** For each condition, when its last calls happened: at most as many as it needs. */
  readonly calls: readonly (readonly number[])[]
  /** The calls of operations of the exercise, until it was done. */
  readonly tries: number
  readonly firstMs: number | null
  readonly doneMs: number | null
}

/** A mistake in a lesson. The message is a sentence for its author. */
export class LessonProblem extends Error {}

/** Returns the condition in one line of a check. Throws LessonProblem. */
export function readCondition(line: string): CheckLine {
  const words = line.match(/(?:[^\s"]|"(?:[^"\\]|\\.)*")+/g) ?? []
  const isThen = words[0] === 'then'
  const [first = '', ...rest] = isThen ? words.slice(1) : words
  const isState = first === 'state'
  const [of = '', ...texts] = isState ? rest : [first, ...rest]
  if (isState && !of.startsWith('/'))
    throw new LessonProblem(`"state" needs a path such as /pets, not "${of}".`)
  if (!isState) refuseUnknownOperation(of)
  const tests: PartTest[] = []
  let times = 1
  let withinMs: number | undefined
  for (const text of texts) {
    const [, name, value = ''] = /^(times|within)=(.*)$/.exec(text) ?? []
    if (name === 'times') times = readTimes(value)
    else if (name === 'within') withinMs = readWithin(value)
    else tests.push(readTest(text))
  }
  if (isState && tests.length === 0)
    throw new LessonProblem(`"state ${of}" needs a body:/… that it must have.`)
  const isControl = controlCalls.some(call => call === of)
  if (isControl && !tests.some(({ part }) => part === 'status')) tests.push(readTest('status=2xx'))
  return { text: line, kind: isState ? 'state' : 'call', of, tests, isThen, times, withinMs }
}

function refuseUnknownOperation(id: string): void {
  const known = [...Object.keys(contract), ...controlCalls, DELIVERY]
  if (known.includes(id)) return
  const meant = similarName(id, known)
  throw new LessonProblem(`"${id}" is no operation${meant === undefined ? '' : ` (did you mean ${meant}?)`}.`)
}

function readTimes(text: string): number {
  const times = /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : Number.NaN
  if (times <= TIMES_MAX) return times
  throw new LessonProblem(`times must be from 1 to ${TIMES_MAX}, not "${text}".`)
}

function readWithin(text: string): number {
  const [, count, unit = ''] = WITHIN.exec(text) ?? []
  if (count !== undefined) return Number(count) * (unitMs[unit] ?? 0)
  throw new LessonProblem(`within must be a time such as 30s, 5m or 1h, not "${text}".`)
}

function readTest(text: string): PartTest {
  const [, place, comparison, given = ''] = TEST.exec(text) ?? []
  if (place === undefined)
    throw new LessonProblem(
      `"${text}" is none of status=…, header:…, sent:…, query:…, body:/…, sent-body:/…, times=… and within=….`,
    )
  const [part = '', ...name] = place.split(':')
  if (part === 'status' && (comparison !== '=' || !/^([1-5][0-9]{2}|[1-5]xx|none)$/.test(given)))
    throw new LessonProblem(`status must be a number such as 201, or 4xx, or none, not "${given}".`)
  return {
    // Safe: the pattern of a test has exactly these parts.
    part: part as PartTest['part'],
    name: name.join(':'),
    comparison: comparison === '=' || comparison === '~' ? comparison : undefined,
    value: given.startsWith('"') ? readQuoted(given) : given,
  }
}

function readQuoted(text: string): string {
  try {
    return String(parseJson(text))
  } catch {
    throw new LessonProblem(`${text} is not a text in quotes.`)
  }
}

export function newProgress(conditions: readonly CheckLine[]): ExerciseProgress {
  return {
    metAt: conditions.map(() => null),
    calls: conditions.map(() => []),
    tries: 0,
    firstMs: null,
    doneMs: null,
  }
}

/** The bodies of reads after a change, by path. A path is absent if it was not read. */
export type States = ReadonlyMap<string, JsonValue | undefined>

/**
 * Returns the progress after a call. It is the same object if the call has nothing to do with the exercise, or if the
 * exercise was done before.
 */
export function advance(
  conditions: readonly CheckLine[],
  before: ExerciseProgress,
  happening: Happening,
  states: States,
): ExerciseProgress {
  if (before.doneMs !== null) return before
  const { atMs } = happening
  const metAt = [...before.metAt]
  const calls = [...before.calls]
  for (const [index, condition] of conditions.entries()) {
    if (!holds(condition, happening, states)) continue
    // A call never counts for the line before, too: what was met before this call decides. A state may follow a call.
    const earlier = condition.kind === 'state' ? metAt[index - 1] : before.metAt[index - 1]
    if (condition.isThen && !isInTime(earlier, atMs, condition.withinMs)) continue
    const last = [...(calls[index] ?? []), atMs].slice(-condition.times)
    calls[index] = last
    const isQuick = condition.isThen || isInTime(last[0], atMs, condition.withinMs)
    if (last.length === condition.times && isQuick) metAt[index] = atMs
  }
  const hasMet = metAt.some((at, index) => at !== before.metAt[index])
  const hasCounted = calls.some((last, index) => last !== before.calls[index])
  // A read that meets nothing may belong to another exercise, unless this one was begun.
  const isRead = happening.method === 'GET' || happening.method === 'HEAD'
  const isTry =
    happening.operationId !== DELIVERY &&
    conditions.some(({ kind, of }) => kind === 'call' && of === happening.operationId) &&
    (!isRead || hasCounted || before.firstMs !== null)
  if (!isTry && !hasMet && !hasCounted) return before
  return {
    metAt,
    calls,
    tries: before.tries + (isTry ? 1 : 0),
    firstMs: before.firstMs ?? atMs,
    doneMs: metAt.every(at => at !== null) ? atMs : null,
  }
}

/**
 * Returns the progress in an exercise whose check has changed: what is done stays done, and a line that is in both
 * checks keeps what was met.
 */
export function carriedOver(
  { metAt, calls, doneMs, ...others }: ExerciseProgress,
  from: readonly CheckLine[],
  to: readonly CheckLine[],
): ExerciseProgress {
  const indexes = to.map(({ text }) => from.findIndex(line => line.text === text))
  const kept = indexes.map(index => metAt[index] ?? doneMs)
  const isDone = kept.every(at => at !== null)
  return {
    ...others,
    metAt: kept,
    calls: indexes.map(index => calls[index] ?? []),
    doneMs: isDone ? (doneMs ?? Math.max(...kept)) : null,
  }
}

/** Returns whether a call has met a condition that was never met before: a student may be told of it. */
export function hasNewlyMet(before: ExerciseProgress, after: ExerciseProgress): boolean {
  return after.metAt.some((at, index) => at !== null && (before.metAt[index] ?? null) === null)
}

function isInTime(fromMs: number | null | undefined, toMs: number, withinMs: number | undefined): boolean {
  return typeof fromMs === 'number' && (withinMs === undefined || toMs - fromMs <= withinMs)
}

function holds({ kind, of, tests }: CheckLine, happening: Happening, states: States): boolean {
  if (kind === 'call')
    return (
      of === happening.operationId &&
      (!isAskedError(happening) || tests.some(namesFault)) &&
      tests.every(test => passes(test, happening))
    )
  if (!states.has(of)) return false
  const body = states.get(of)
  return tests.every(test => test.part === 'body' && comparesTo(memberAt(body, test.name), test))
}

/** Returns whether the request itself asked for its error: then the response shows nothing of what was done. */
function isAskedError({ requestHeaders, responseHeaders }: Happening): boolean {
  const asked = requestHeaders.get(FAULT_HEADER)?.split(';')[0]?.trim()
  return asked === 'error' && responseHeaders.has(FAULT_HEADER)
}

function namesFault({ part, name }: PartTest): boolean {
  return ['sent', 'header'].includes(part) && name.toLowerCase() === FAULT_HEADER.toLowerCase()
}

function passes(test: PartTest, happening: Happening): boolean {
  const { part, name, value } = test
  switch (part) {
    case 'status':
      if (value === 'none') return happening.status === undefined
      return value.endsWith('xx')
        ? String(happening.status).startsWith(value.charAt(0))
        : String(happening.status) === value
    case 'header':
      return comparesTo(happening.responseHeaders.get(name), test)
    case 'sent':
      return comparesTo(happening.requestHeaders.get(name), test)
    case 'query':
      return comparesTo(new URLSearchParams(happening.target.split('?')[1]).get(name), test)
    case 'body':
      return comparesTo(memberAt(jsonIn(happening.responseBody), name), test)
    case 'sent-body':
      return comparesTo(memberAt(jsonIn(happening.requestBody), name), test)
  }
}

function comparesTo(found: JsonValue | undefined, { comparison, value }: PartTest): boolean {
  if (found === undefined || (found === null && comparison === undefined)) return false
  const text = typeof found === 'string' ? found : writeJson(found)
  if (comparison === undefined) return true
  return comparison === '=' ? text === value : text.includes(value)
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Returns the value that a JSON Pointer (RFC 6901) names; `/` names the whole body. Undefined if there is none. */
export function memberAt(body: JsonValue | undefined, pointer: string): JsonValue | undefined {
  if (pointer === '/' || pointer === '') return body
  let value: JsonValue | undefined = body
  for (const part of pointer.slice(1).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(value)) value = value[Number(name)]
    else if (typeof value === 'object' && value !== null && Object.hasOwn(value, name)) value = value[name]
    else return undefined
  }
  return value
}
