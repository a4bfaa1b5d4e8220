import type { OperationId } from '../../shop/registry/operations.ts'
import { formatInstantMs } from '../../values/instant.ts'
import { parseJson, writeJson } from '../../values/json.ts'
import type { Outgoing } from '../../webhooks/request.ts'
import type { FaultEffect } from '../failures/rules.ts'
import { plantableFaults } from './catalogue.ts'
import type { BenchReply, PlantedCall, PlantedFault, ReplyChange } from './planted-fault.ts'
import { operationsAt, type Provocation, type ProvokedFault, score } from './report.ts'
import type { BenchReport, Hunt, NewHunt, PlantedChoice, ToolFindings } from './schema.ts'

/** The provocations of a fault that are recorded, for matching them to findings. */
const PROVOCATIONS_KEPT = 200
/** The most faults of a hunt. */
const HUNTED_MAX = 8

interface Planted {
  readonly fault: PlantedFault
  readonly operation: string | undefined
  readonly change: ReplyChange | undefined
  readonly provocations: Provocation[]
  provoked: number
}

/** What is stored, so that the faults and the report survive the process. */
interface Saved {
  readonly hunt?: Hunt
  readonly exercised: readonly (readonly [string, bigint])[]
  readonly planted: readonly {
    readonly choice: PlantedChoice
    readonly provoked: bigint
    readonly provocations: readonly Provocation[]
  }[]
}

/** The planted faults of one sandbox, with what was recorded of them. What they change is in no stored data. */
export class PlantedFaultsOfSandbox {
  #planted: Planted[] = []
  #hunt: Hunt | undefined
  /** Responses by operation and status. */
  #exercised = new Map<string, number>()
  readonly #clock: () => number

  /** `saved` is the text that `save` returned, or an empty text. */
  constructor(saved: string, clock: () => number) {
    this.#clock = clock
    this.restore(saved)
  }

  restore(saved: string): void {
    // Safe: `save` wrote the text.
    const state = saved === '' ? undefined : (parseJson(saved) as unknown as Saved)
    this.#hunt = state?.hunt
    this.#exercised = new Map(state?.exercised.map(([name, count]) => [name, Number(count)]))
    this.#planted = (state?.planted ?? []).flatMap(({ choice, provoked, provocations }) =>
      plant(choice, Number(provoked), [...provocations]),
    )
  }

  get isEmpty(): boolean {
    return this.#planted.length === 0
  }

  /** Whether faults are planted that nobody may be told. */
  get isHunted(): boolean {
    return this.#hunt?.isRevealed === false
  }

  save(): string {
    if (this.isEmpty) return ''
    const saved: Saved = {
      ...(this.#hunt && { hunt: this.#hunt }),
      exercised: [...this.#exercised].map(([name, count]) => [name, BigInt(count)]),
      planted: this.#planted.map(({ fault, operation, provoked, provocations }) => ({
        choice: { id: fault.id, operation },
        provoked: BigInt(provoked),
        provocations,
      })),
    }
    return writeJson(saved)
  }

  /** Replaces the planted faults, and begins a new report. */
  set(choices: readonly PlantedChoice[]): void {
    this.#planted = choices.flatMap(choice => plant(choice))
    this.#hunt = undefined
    this.#exercised = new Map()
  }

  choices(): readonly PlantedChoice[] {
    return this.#planted.map(({ fault, operation }) => ({ id: fault.id, operation }))
  }

  /** Plants faults that depend only on the seed and the class, each in one of its operations. */
  startHunt(hunt: NewHunt): Hunt {
    const pool = plantableFaults.filter(fault => hunt.class === undefined || fault.class === hunt.class)
    const drawn = pool
      .map(fault => ({ fault, rank: randomOf(hunt, fault.id) }))
      .sort((left, right) => left.rank - right.rank)
    const most = Math.min(HUNTED_MAX, Math.ceil(pool.length / 2))
    const size = 1 + Math.floor(randomOf(hunt, 'size') * most)
    this.set(
      drawn.slice(0, size).map(({ fault: { id, operations } }) => {
        const operation = operations[Math.floor(randomOf(hunt, `${id} operation`) * operations.length)]
        return { id, operation }
      }),
    )
    this.#hunt = { ...hunt, startedAt: formatInstantMs(this.#clock()), isRevealed: false }
    return this.#hunt
  }

  /** Returns the report; with findings, also their scores. In a hunt, findings reveal the faults, and end it. */
  report(findings?: ToolFindings): BenchReport {
    if (findings && this.#hunt) this.#hunt = { ...this.#hunt, isRevealed: true }
    const exercised = [...this.#exercised].map(([name, count]) => {
      const [operation = '', status = '0'] = name.split(' ')
      return { operation, status: BigInt(status), count: BigInt(count) }
    })
    const faults = this.#planted.map(
      ({ fault, operation, provoked, provocations }): ProvokedFault => ({
        provocations,
        outcome: {
          id: fault.id,
          class: fault.class,
          operation,
          provoked: BigInt(provoked),
          first: provocations[0],
        },
      }),
    )
    return {
      ...(this.#hunt && { hunt: this.#hunt }),
      exercised,
      ...(!this.isHunted && { faults: faults.map(({ outcome }) => outcome) }),
      ...(findings && score(faults, findings)),
    }
  }

  /** Returns the operation of a request if a planted fault must see it; undefined for all other requests. */
  operationOf(method: string, path: string): OperationId | undefined {
    if (this.isEmpty) return undefined
    return operationsAt(method, path).find(id => this.#planted.some(planted => sees(planted, id)))
  }

  needsBefore(id: OperationId): boolean {
    return this.#planted.some(planted => sees(planted, id) && 'needsBefore' in planted.fault)
  }

  countResponse(operation: string, status: number): void {
    const name = `${operation} ${status}`
    this.#exercised.set(name, (this.#exercised.get(name) ?? 0) + 1)
  }

  /** Returns a response as the planted faults make it. */
  async changeReply(reply: BenchReply, call: PlantedCall): Promise<BenchReply> {
    let changed = reply
    const provoked: Planted[] = []
    for (const planted of this.#planted) {
      if (!planted.change || !sees(planted, call.operationId)) continue
      const wrong = await planted.change(changed, call)
      if (!wrong) continue
      changed = wrong
      provoked.push(planted)
    }
    // What several faults make of a response has one status.
    const requestId = changed.headers.get('x-request-id') ?? ''
    for (const planted of provoked) this.#count(planted, call.operationId, changed.status, requestId)
    return changed
  }

  /** Returns a stream of events as the planted faults make it. */
  changeStream(response: Response, id: OperationId): Response {
    const changes = this.#planted.flatMap(planted => {
      if (!('stream' in planted.fault) || !sees(planted, id)) return []
      return { planted, change: planted.fault.stream() }
    })
    if (changes.length === 0) return response
    const requestId = response.headers.get('x-request-id') ?? ''
    return changeEvents(response, event =>
      changes.reduce<readonly string[]>(
        (events, { planted, change }) =>
          events.flatMap(one => {
            const sent = change(one)
            if (sent.length !== 1) this.#count(planted, id, response.status, requestId)
            return sent
          }),
        [event],
      ),
    )
  }

  /** Returns the effect of a planted fault on the next delivery; undefined if there is none. */
  forDelivery(outgoing: Outgoing): { readonly effect: FaultEffect } | undefined {
    const planted = this.#planted.find(({ fault }) => 'delivery' in fault)
    if (!planted || !('delivery' in planted.fault)) return undefined
    this.#count(planted, 'createWebhook', 200, deliveryId(outgoing))
    return { effect: { type: planted.fault.delivery } }
  }

  /** Returns a delivery as the planted faults make it. */
  changeSent(outgoing: Outgoing): Outgoing {
    let { headers } = outgoing
    for (const planted of this.#planted) {
      if (!('sent' in planted.fault)) continue
      headers = planted.fault.sent(headers)
      this.#count(planted, 'createWebhook', 200, deliveryId(outgoing))
    }
    return { ...outgoing, headers }
  }

  #count(planted: Planted, operation: string, status: number, requestId: string): void {
    planted.provoked++
    if (planted.provocations.length >= PROVOCATIONS_KEPT) return
    const at = formatInstantMs(this.#clock())
    planted.provocations.push({ at, operation, status: BigInt(status), requestId })
  }
}

function deliveryId({ headers }: Outgoing): string {
  return headers['webhook-id'] ?? ''
}

function plant({ id, operation }: PlantedChoice, provoked = 0, provocations: Provocation[] = []): Planted[] {
  const fault = plantableFaults.find(known => known.id === id)
  if (!fault) return []
  return [
    { fault, operation, change: 'change' in fault ? fault.change() : undefined, provoked, provocations },
  ]
}

function sees({ fault, operation }: Planted, id: OperationId): boolean {
  const isSeen = 'sees' in fault && (fault.sees?.includes(id) ?? false)
  return isSeen || (operation === undefined ? fault.operations.includes(id) : operation === id)
}

/** Returns a number from 0 to below 1 that depends only on a hunt and a name. */
function randomOf({ seed, class: name }: NewHunt, text: string): number {
  return Number(Bun.hash(`${seed}/${name ?? 'all'}/${text}`) % 1_000_003n) / 1_000_003
}

const EVENT_END = '\n\n'

/** Returns the stream with other events; blocks without data, such as keep-alives, stay. */
function changeEvents(response: Response, change: (event: string) => readonly string[]): Response {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        for (;;) {
          const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
          if (done) return controller.close()
          const blocks = (rest + value).split(EVENT_END)
          rest = blocks.pop() ?? ''
          const sent = blocks.flatMap(block => (block.includes('data: ') ? change(block) : [block]))
          if (sent.length === 0) continue
          controller.enqueue(new TextEncoder().encode(sent.map(block => block + EVENT_END).join('')))
          return
        }
      },
      cancel: () => reader?.cancel(),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, response)
}
