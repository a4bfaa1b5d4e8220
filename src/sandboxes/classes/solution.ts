import { type JsonValue, parseJson, writeJson } from '../../values/json.ts'
import { LessonProblem, memberAt } from './conditions.ts'

const REQUEST = /^(GET|HEAD|POST|PUT|PATCH|DELETE) +(\S+)$/
const FIELD = /^([\w-]+):(.*)$/
const CONTROL = '$CONTROL'
const BASE = '$BASE'
/** A value of the last response: a header, `next` of Link, or a JSON Pointer into the body. */
const PLACEHOLDER = /\{\{([^{}]+)\}\}/g
const DROPPED_MS_MAX = 10_000

/** A request of a solution. Its texts can have placeholders for values of the response before. */
export interface SolutionRequest {
  readonly method: string
  /** A path below the base address, `$CONTROL/…`, or a placeholder for an address. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  /** Empty if there is none. */
  readonly body: string
}

/** Reads the requests of a solution. `title` is that of the exercise. Throws LessonProblem. */
export function readSolution(title: string, text: string): SolutionRequest[] {
  const requests: { method: string; target: string; headers: Record<string, string>; body: string }[] = []
  for (const line of text.split('\n')) {
    const [, method, target = ''] = REQUEST.exec(line.trim()) ?? []
    const last = requests.at(-1)
    const [, name, value = ''] = FIELD.exec(line.trim()) ?? []
    if (method !== undefined) requests.push({ method, target, headers: {}, body: '' })
    else if (last && last.body === '' && name !== undefined) last.headers[name.toLowerCase()] = value.trim()
    else if (last) last.body += line.trim() === '' ? '' : `${line}\n`
    else if (line.trim() !== '')
      throw new LessonProblem(
        `"${title}": a solution must begin with a request such as GET /pets, not "${line}".`,
      )
  }
  return requests
}

interface SolutionPlace {
  readonly baseUrl: string
  readonly controlUrl: string
  readonly key: string
}

/** Sends the requests of a solution, one after the other. Returns a line about each, with its status. */
export async function runSolution(
  requests: readonly SolutionRequest[],
  { baseUrl, controlUrl, key }: SolutionPlace,
): Promise<string[]> {
  const lines: string[] = []
  let last: { headers: Headers; body: JsonValue | undefined } | undefined
  for (const { method, target, headers, body } of requests) {
    const filled = (text: string): string =>
      text
        .replaceAll(BASE, () => baseUrl)
        .replaceAll(PLACEHOLDER, (_, name: string) => placeholderValue(name, last))
    const address = filled(target).replace(CONTROL, () => controlUrl)
    const { authorization = `Bearer ${key}`, ...others } = headers
    const response = await fetchInTime(address.startsWith('/') ? baseUrl + address : address, {
      method,
      headers: {
        ...(authorization !== 'none' && { authorization }),
        ...(body !== '' && { 'content-type': 'application/json' }),
        ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, filled(value)])),
      },
      ...(body !== '' && { body: filled(body) }),
    })
    if (response) last = { headers: response.headers, body: jsonOf(response.text) ?? last?.body }
    lines.push(`${method} ${target}: ${response ? `status ${response.status}` : 'no response'}`)
  }
  return lines
}

/** Returns the address with `rel="next"` of a Link header of a store; empty if there is none. */
function nextIn(links: string): string {
  const link = links.split(', ').find(text => text.endsWith('>; rel="next"')) ?? ''
  return link.slice(1, link.indexOf('>'))
}

/** Returns a response; undefined if the connection was dropped, or nothing came in time. */
async function fetchInTime(
  url: string,
  options: RequestInit,
): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string } | undefined> {
  const controller = new AbortController()
  // The timer of AbortSignal.timeout would keep the process alive after the last response.
  const timer = setTimeout(() => controller.abort(), DROPPED_MS_MAX)
  try {
    const response = await fetch(url, { ...options, signal: controller.signal })
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

function placeholderValue(
  name: string,
  last: { headers: Headers; body: JsonValue | undefined } | undefined,
): string {
  if (name === 'next') return nextIn(last?.headers.get('link') ?? '')
  if (!name.startsWith('/')) return last?.headers.get(name) ?? ''
  const value = memberAt(last?.body, name)
  return typeof value === 'string' ? value : value === undefined ? '' : writeJson(value)
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
