import { Parser } from 'saxen'
import type { ToolFinding } from '../../sandboxes/bench/schema.ts'
import { contract } from '../../shop/registry/operations.ts'
import { writeJson } from '../../values/json.ts'

const FINDINGS_MAX = 500
const MESSAGE_CHARS_MAX = 300
const TEXT_CHARS_MAX = 20_000

/** Thrown if a file is no report of a known form. The message is the reason, as a part of a sentence. */
export class UnreadableFindings extends Error {}

/** The base addresses of a sandbox, which a report may name. */
interface SandboxPlace {
  readonly baseUrl: string
}

/**
 * Returns the findings of a report: JSON as `scoreFindings` takes them, SARIF 2.1.0, or JUnit XML. What a SARIF result
 * or a failed test case says in words is searched for an operationId, a method with a path, a status and a request id.
 * Throws UnreadableFindings.
 */
export function readFindings(report: string, place: SandboxPlace): readonly ToolFinding[] {
  const text = report.trim()
  if (text === '') return []
  const found = text.startsWith('<') ? fromJunit(text, place) : fromJson(text, place)
  const known = new Set<string>()
  const distinct = found.filter(finding => {
    const name = writeJson(finding)
    return known.has(name) ? false : known.add(name)
  })
  return distinct.slice(0, FINDINGS_MAX)
}

function fromJunit(xml: string, place: SandboxPlace): ToolFinding[] {
  const findings: ToolFinding[] = []
  let testCase = ''
  /** The text of the failure that is being read; undefined outside of one. */
  let failure: string | undefined
  let isJunit = false
  const parser = new Parser()
  parser.on('openTag', (name, attributes, decode) => {
    const { classname = '', name: title = '', message = '' } = attributes()
    isJunit ||= name === 'testsuites' || name === 'testsuite'
    if (name === 'testcase') testCase = decode(`${classname} ${title}`)
    if (name === 'failure' || name === 'error') failure = decode(message)
  })
  parser.on('text', (text, decode) => {
    if (failure !== undefined) failure += ` ${decode(text)}`
  })
  parser.on('cdata', text => {
    if (failure !== undefined) failure += ` ${text}`
  })
  parser.on('closeTag', name => {
    if (failure === undefined || (name !== 'failure' && name !== 'error')) return
    findings.push(inWords(testCase, failure, place))
    failure = undefined
  })
  parser.on('error', error => {
    throw new UnreadableFindings(`is no XML: ${error.message}`)
  })
  parser.parse(xml)
  if (!isJunit) throw new UnreadableFindings('is XML, but no JUnit XML')
  return findings
}

function fromJson(text: string, place: SandboxPlace): ToolFinding[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UnreadableFindings('is neither JSON, SARIF nor JUnit XML')
  }
  const runs = memberOf(value, 'runs')
  if (Array.isArray(runs)) {
    const results: unknown[] = runs.flatMap(run => memberOf(run, 'results') ?? [])
    return results.map(result => {
      const { text: message } = Object(memberOf(result, 'message'))
      const rest = JSON.stringify(result)
      return inWords(`${memberOf(result, 'ruleId') ?? ''} ${rest}`, String(message ?? ''), place)
    })
  }
  const findings = Array.isArray(value) ? value : memberOf(value, 'findings')
  if (!Array.isArray(findings)) throw new UnreadableFindings('has no list of findings')
  return findings.map(finding => {
    const message = shortened(String(memberOf(finding, 'message') ?? JSON.stringify(finding)))
    const status = Number(memberOf(finding, 'status'))
    return {
      message,
      ...textMember(finding, 'operation', 64),
      ...textMember(finding, 'method', 20),
      ...textMember(finding, 'path', 2048, place),
      ...textMember(finding, 'requestId', 128),
      ...(status >= 100 && status <= 599 && { status: BigInt(status) }),
    }
  })
}

/** Returns a message as the host takes it: not empty, and cut between two characters. */
function shortened(message: string): string {
  const text = message.replaceAll('\0', '').trim().slice(0, MESSAGE_CHARS_MAX)
  return text.toWellFormed() || 'a finding without a message'
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function textMember(
  finding: unknown,
  name: string,
  charsMax: number,
  place?: SandboxPlace,
): Record<string, string> {
  const value = memberOf(finding, name)
  if (typeof value !== 'string' || value === '') return {}
  return { [name]: (place ? pathBelow(value, place) : value).slice(0, charsMax) }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** The words before the status that was received; a report also names the one that was expected. */
const RECEIVED = /^(received|got|was|actual|http\/1\.1)$/i
const STATUS = /^(status|code|response|returned)$/i
const REQUEST_ID = /x-request-id:? {0,2}["']?([\w.-]{1,128})/i
const operationIds = Object.keys(contract)

/** Returns the finding of a report in words. `where` is the text around the message, such as the name of the test. */
function inWords(where: string, message: string, place: SandboxPlace): ToolFinding {
  const text = `${where} ${message}`.slice(0, TEXT_CHARS_MAX).replaceAll(place.baseUrl, '')
  const words = text.split(/[\s"'`()[\],;<>=]|[:.](?=\s|$)|::/).filter(word => word !== '')
  const operation = words.find(word => operationIds.includes(word))
  const methodAt = words.findIndex(word => METHODS.includes(word))
  // A status may be between them.
  const path =
    methodAt < 0 ? undefined : words.slice(methodAt + 1, methodAt + 3).find(word => word.startsWith('/'))
  const status = statusAfter(words, RECEIVED) ?? statusAfter(words, STATUS)
  const requestId = REQUEST_ID.exec(text)?.[1]
  return {
    message: shortened(message.trim() || where),
    ...(operation !== undefined && { operation }),
    ...(path !== undefined && { method: words[methodAt], path: pathBelow(path, place) }),
    ...(status !== undefined && { status }),
    ...(requestId !== undefined && { requestId }),
  }
}

/** Returns the first status that follows one of these words at once. */
function statusAfter(words: readonly string[], names: RegExp): bigint | undefined {
  const status = words.find((word, index) => names.test(words[index - 1] ?? '') && /^[1-5]\d\d$/.test(word))
  return status === undefined ? undefined : BigInt(status)
}

/** Returns the path of a URL of the sandbox below its base address, without the query. */
function pathBelow(url: string, { baseUrl }: SandboxPlace): string {
  const path = url.startsWith(baseUrl) ? url.slice(baseUrl.length) : url
  return path.split('?')[0] || '/'
}
