import { checkResponse } from './check-response.ts'
import { Connection } from './connection.ts'
import { fetchDescription } from './document.ts'
import type { Finding } from './finding.ts'
import { bytesOf, type FuzzRequest } from './fuzz-request.ts'
import type { FuzzResponse } from './fuzz-response.ts'
import { makeKeys } from './keys.ts'
import { emptyMemory, remember } from './memory.ts'
import { makeRandom } from './random.ts'
import type { VirtualClient } from './request-builder.ts'
import { followUps, nextRequest, type Step } from './steps.ts'

/** The number of concurrent virtual clients. */
const CLIENTS = 16

export interface FuzzOptions {
  /** The URL of the store: on loopback, without a slash at its end. */
  readonly url: string
  /** A key with the scope `admin`. */
  readonly key: string
  readonly requests: number
  readonly seed: number
  /**
   * The number of concurrent clients; 16 by default. With several clients, the ids that each client gets depend on the
   * order in which the machine runs them. The same seed repeats the same requests only with a single client. Even then,
   * the API keys, the idempotency keys and the port of the webhook receiver differ.
   */
  readonly clients?: number
  /** Called with the label and the check of each finding, joined by a space. The run ends once a call returns true. */
  readonly isEnough?: (finding: string) => boolean
}

/** The first finding of one kind, and the number of findings of that kind. */
export interface CountedFinding extends Finding {
  readonly label: string
  /** The request in one line, with the seed and number that reproduce it. */
  readonly request: string
  count: number
}

export interface Report {
  readonly seed: number
  readonly findings: readonly CountedFinding[]
  /** The number of responses, by row of the table and first digit of the status; 0 means no response. */
  readonly counts: ReadonlyMap<string, readonly number[]>
  readonly requests: number
  readonly seconds: number
}

/**
 * Sends the given number of valid and invalid requests, derived from the description of the store, and checks each
 * response against that description. Returns the report. Throws if the store is not on loopback or serves no
 * description, or if the key may not create keys. The created resources remain.
 */
export async function fuzz(options: FuzzOptions): Promise<Report> {
  const { url, key, requests, seed, clients = CLIENTS, isEnough } = options
  const address = loopbackOnly(url)
  const description = await fetchDescription(url)
  const keys = await makeKeys(url, key, description)
  const findings = new Map<string, CountedFinding>()
  const counts = new Map<string, number[]>()
  const startedMs = performance.now()
  let hasEnough = false
  const record = (request: FuzzRequest, response: FuzzResponse, found: readonly Finding[]): void => {
    countResponse(counts, rowOf(request), response.status)
    for (const finding of found) {
      hasEnough ||= isEnough?.(`${request.label} ${finding.check}`) ?? false
      addFinding(findings, `${request.label} ${finding.check}`, () => ({
        check: finding.check,
        label: request.label,
        detail: keys.masked(finding.detail),
        request: keys.masked(requestLine(request, response, seed)),
        count: 1,
      }))
    }
  }
  const virtualClients = Math.min(clients, requests)
  await Promise.all(
    Array.from({ length: virtualClients }, (_, index) => {
      // The store may still have idempotency keys of other runs, so each run uses its own.
      const name = `${seed}-${index}-${Date.now().toString(36)}`
      const client = { description, memory: emptyMemory(), keys, name }
      const numbers = numbersOf(index, virtualClients, requests)
      return runClient({ baseClient: client, address, numbers, seed, record, hasEnough: () => hasEnough })
    }),
  )
  return {
    seed,
    findings: [...findings.values()],
    counts,
    requests,
    seconds: (performance.now() - startedMs) / 1000,
  }
}

interface ClientRun {
  readonly baseClient: Omit<VirtualClient, 'random'>
  readonly address: URL
  readonly numbers: Iterable<number>
  readonly seed: number
  readonly record: (request: FuzzRequest, response: FuzzResponse, findings: readonly Finding[]) => void
  readonly hasEnough: () => boolean
}

async function runClient({
  baseClient,
  address,
  numbers,
  seed,
  record,
  hasEnough,
}: ClientRun): Promise<void> {
  using connection = new Connection(address)
  const planned: Step[] = []
  for (const number of numbers) {
    if (hasEnough()) return
    const client: VirtualClient = { ...baseClient, random: makeRandom(seed, number) }
    const followsPlan = planned[0]?.kind === 'head' || client.random.chance(0.6)
    const generated = nextRequest(client, number, followsPlan ? planned.shift() : undefined)
    const request: FuzzRequest = {
      ...generated,
      headers: [...withoutId(generated), ['X-Request-Id', `fuzz-${seed}-${number}`]],
    }
    const response = await connection.send(request.method, bytesOf(request, address))
    const { findings, body } = checkResponse(client, request, response)
    record(request, response, findings)
    const created = remember(client.memory, client.description, request, response, body)
    planned.unshift(...followUps(client, request, response, created))
  }
}

function withoutId({ headers }: FuzzRequest): FuzzRequest['headers'] {
  return headers.filter(([name]) => name !== 'X-Request-Id')
}

function* numbersOf(first: number, step: number, end: number): Generator<number> {
  for (let number = first; number < end; number += step) yield number
}

function loopbackOnly(url: string): URL {
  const address = new URL(url)
  if (address.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(address.hostname))
    return address
  throw new Error(
    `${url} is not on this machine: only http://127.0.0.1, http://localhost or http://[::1] is fuzzed`,
  )
}

/**
 * Returns the row of a request in the table. All HEAD requests share a row, and so do all requests with an undescribed
 * method, because a row for each path would make the table too long.
 */
function rowOf({ label, expects }: FuzzRequest): string {
  if (expects.kind === 'allow') return 'another method'
  return expects.kind === 'head' ? 'HEAD' : label
}

function countResponse(counts: Map<string, number[]>, label: string, status: number): void {
  const classes = counts.get(label) ?? [0, 0, 0, 0, 0, 0]
  const index = Math.floor(status / 100)
  classes[index] = (classes[index] ?? 0) + 1
  counts.set(label, classes)
}

function addFinding(findings: Map<string, CountedFinding>, kind: string, first: () => CountedFinding): void {
  const known = findings.get(kind)
  if (known) known.count++
  else findings.set(kind, first())
}

function requestLine(request: FuzzRequest, response: FuzzResponse, seed: number): string {
  const fields = request.headers.map(([name, value]) => `${name}: ${value}`).join(' | ')
  const body = request.body ? ` | ${JSON.stringify(String(request.body).slice(0, 1000))}` : ''
  const { number, method, target } = request
  return `--seed ${seed} #${number}: ${method} ${target} | ${fields}${body} -> ${response.status}`
}
