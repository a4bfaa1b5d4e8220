import type { Answer } from './answer.ts'
import { type Ask, bytesOf } from './ask.ts'
import { Connection } from './connection.ts'
import { fetchDescription } from './document.ts'
import type { Lane } from './draft.ts'
import { type Finding, judge } from './judge.ts'
import { makeKeys } from './keys.ts'
import { emptyMemory, learn } from './memory.ts'
import { makeRandom } from './random.ts'
import { followUps, nextAsk, type Step } from './steps.ts'

/** Clients that ask at the same time. */
const LANES = 16

export interface FuzzOptions {
  /** Where the store is; on loopback, without a slash at its end. */
  readonly url: string
  /** A key that may do everything. */
  readonly key: string
  readonly requests: number
  readonly seed: number
  /**
   * Clients at once; 16 unless given. Several share the ids of the store, which then depend on the order in which the
   * machine runs them: only one client makes exactly the same requests under the same seed.
   */
  readonly clients?: number
}

/** The first of its kind, and how many there were. */
export interface Found extends Finding {
  readonly label: string
  /** The request in one line, with what makes it again. */
  readonly request: string
  count: number
}

export interface Report {
  readonly seed: number
  readonly findings: readonly Found[]
  /** Answers by what was asked and by the first digit of their status; 0 is for none. */
  readonly counts: ReadonlyMap<string, readonly number[]>
  readonly requests: number
  readonly seconds: number
}

/**
 * Asks a store so many questions, right ones and broken ones, as its description says they may be asked, and
 * holds each answer against the description. Throws for a store that is not on loopback, or that does not
 * describe itself. What it makes, it leaves.
 */
export async function fuzz({ url, key, requests, seed, clients = LANES }: FuzzOptions): Promise<Report> {
  const address = loopbackOnly(url)
  const description = await fetchDescription(url)
  const keys = await makeKeys(url, key, description)
  const findings = new Map<string, Found>()
  const counts = new Map<string, number[]>()
  const started = performance.now()
  const take = (ask: Ask, answer: Answer, list: readonly Finding[]): void => {
    count(counts, rowOf(ask), answer.status)
    for (const finding of list) {
      note(findings, `${ask.label} ${finding.check}`, () => ({
        check: finding.check,
        label: ask.label,
        detail: keys.masked(finding.detail),
        request: keys.masked(line(ask, answer, seed)),
        count: 1,
      }))
    }
  }
  const lanes = Math.min(clients, requests)
  await Promise.all(
    Array.from({ length: lanes }, (_, index) => {
      // A key under which something was done once may be in the store still: no run has those of another.
      const name = `${seed}-${index}-${Date.now().toString(36)}`
      const lane = { description, memory: emptyMemory(), keys, name }
      return runLane(lane, address, numbersOf(index, lanes, requests), seed, take)
    }),
  )
  return {
    seed,
    findings: [...findings.values()],
    counts,
    requests,
    seconds: (performance.now() - started) / 1000,
  }
}

async function runLane(
  known: Omit<Lane, 'random'>,
  address: URL,
  numbers: Iterable<number>,
  seed: number,
  take: (ask: Ask, answer: Answer, findings: readonly Finding[]) => void,
): Promise<void> {
  using connection = new Connection(address)
  const planned: Step[] = []
  for (const number of numbers) {
    const lane: Lane = { ...known, random: makeRandom(seed, number) }
    const isDue = planned[0]?.kind === 'head' || lane.random.chance(0.6)
    const drawn = nextAsk(lane, number, isDue ? planned.shift() : undefined)
    const ask: Ask = { ...drawn, headers: [...withoutId(drawn), ['X-Request-Id', `fuzz-${seed}-${number}`]] }
    const answer = await connection.send(ask.method, bytesOf(ask, address.host))
    const { findings, body } = judge(lane, ask, answer)
    take(ask, answer, findings)
    const made = learn(lane.memory, lane.description, ask, answer, body)
    planned.unshift(...followUps(lane, ask, answer, made))
  }
}

function withoutId({ headers }: Ask): Ask['headers'] {
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

/** A row of the table; what is no operation is not worth one for each path. */
function rowOf({ label, expects }: Ask): string {
  if (expects.kind === 'allow') return 'another method'
  return expects.kind === 'head' ? 'HEAD' : label
}

function count(counts: Map<string, number[]>, label: string, status: number): void {
  const classes = counts.get(label) ?? [0, 0, 0, 0, 0, 0]
  const index = Math.floor(status / 100)
  classes[index] = (classes[index] ?? 0) + 1
  counts.set(label, classes)
}

function note(findings: Map<string, Found>, kind: string, first: () => Found): void {
  const known = findings.get(kind)
  if (known) known.count++
  else findings.set(kind, first())
}

function line(ask: Ask, answer: Answer, seed: number): string {
  const fields = ask.headers.map(([name, value]) => `${name}: ${value}`).join(' | ')
  const body = ask.body ? ` | ${JSON.stringify(String(ask.body).slice(0, 1000))}` : ''
  return `--seed ${seed} #${ask.number}: ${ask.method} ${ask.target} | ${fields}${body} -> ${answer.status}`
}
